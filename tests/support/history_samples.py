"""Rows of one made-up request, and a clock that moves only when told."""

from dataclasses import dataclass

from stovepipe_cli.entities import Build, Request, RequestLog, ValidationFact
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_finished_entry,
    build_triggered_entry,
    fact_entry,
    outcome_entry,
    processing_entry,
    project_facts_entry,
)

QUEUE = "monorepo/main"
REQUEST_ID = "request/monorepo/main/41"
URI = "git://remote/monorepo/main/deadbeef"
BASE_URI = "git://remote/monorepo/main/cafe"
STARTED_MS = 1_790_000_000_000


@dataclass
class ManualClock:
    """Gives the time it was set to, and moves on by `step_ms` at each look."""

    current_ms: int = STARTED_MS
    step_ms: int = 0

    def now_ms(self) -> int:
        self.current_ms += self.step_ms
        return self.current_ms

    def monotonic(self) -> float:
        return self.current_ms / 1000

    def sleep(self, seconds: float) -> None:
        self.current_ms += int(seconds * 1000)


def succeeded_request(**changes: str | int) -> Request:
    """A request that was built incrementally and succeeded at version 3."""
    fields: dict[str, str | int] = {
        "queue": QUEUE,
        "id": REQUEST_ID,
        "uri": URI,
        "state": "succeeded",
        "version": 3,
        "build_strategy": "incremental_since_green",
        "base_uri": BASE_URI,
        **changes,
    }
    return Request(**fields)  # type: ignore[arg-type]  # the fields are named by the tests, each with its own type


def finished_build(build_id: str = "bk-41", status: str = "succeeded") -> Build:
    """A build of the request."""
    return Build(queue=QUEUE, id=build_id, request_id=REQUEST_ID, status=status, version=2)


def green_fact(created_at_ms: int = STARTED_MS + 5000) -> ValidationFact:
    """The repository's verdict on the request."""
    return ValidationFact(
        queue=QUEUE, uri=URI, project="", degree=0.0, request_id=REQUEST_ID, created_at_ms=created_at_ms
    )


def whole_history(*, timed: bool = True) -> tuple[RequestLog, ...]:
    """Every entry of the succeeded request in order, a second apart; without times where not `timed`."""
    request, build = succeeded_request(), finished_build()

    def at(second: int) -> int:
        return STARTED_MS + 1000 * second if timed else 0

    return (
        accepted_entry(request, timestamp_ms=at(0)),
        processing_entry(request, timestamp_ms=at(1)),
        build_triggered_entry(build, timestamp_ms=at(2)),
        build_finished_entry(build, timestamp_ms=at(3)),
        outcome_entry(request, "build_succeeded", build.id, timestamp_ms=at(4)),
        fact_entry(green_fact()),
        project_facts_entry(QUEUE, REQUEST_ID, (7, 2), timestamp_ms=at(6)),
    )
