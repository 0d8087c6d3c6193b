"""What an event makes of its step."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from stovepipe_cli.entities.work import WorkEvent, WorkStep


def projected(step: WorkStep | None, event: WorkEvent) -> WorkStep | None:
    """The step after the event; None while there is none. Events of the workflow change no step."""
    body = cast("Mapping[str, Any]", event.body)
    if event.kind == "StepStarted":
        return _started(step, event, body)
    if step is None:
        return None
    match event.kind:
        case "StepCompleted":
            step = replace(step, status="completed", lease_until_ms=0, output=body["output"], reason=None)
        case "StepFailed" if body.get("is_final") is True:
            step = replace(step, status="failed", lease_until_ms=0, reason=body["reason"])
        case "StepFailed":
            step = replace(step, reason=body["reason"])
        case "RetryScheduled":
            until = body["not_before_ms"]
            step = replace(step, status="pending", worker="", lease_until_ms=until, reason=body["reason"])
        case "StepWaiting":
            step = replace(step, status="waiting", worker="", lease_until_ms=0, reason=body["reason"])
        case "StepResumed":
            step = replace(step, status="pending", lease_until_ms=0, input=body.get("input", step.input), reason=None)
        case "WorkerRecovered":
            step = replace(step, lease_until_ms=event.at_ms)
    return step


def _started(step: WorkStep | None, event: WorkEvent, body: Mapping[str, Any]) -> WorkStep:
    return WorkStep(
        queue=event.queue,
        run_id=event.run_id,
        step_index=event.step_index,
        status="running",
        attempt=event.attempt,
        fencing=event.fencing,
        worker=event.worker,
        lease_until_ms=body["until_ms"],
        input=body.get("input", {} if step is None else step.input),
    )
