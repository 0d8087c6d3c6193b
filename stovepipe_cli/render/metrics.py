"""Verifies as a Prometheus textfile: gauges without sample times, merged with what the file held before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import get_args

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.errors import Refused
from stovepipe_cli.keys import is_text
from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.render.sanitise import visible
from stovepipe_cli.reports import Verdict

PREFIX = "stovepipe_verify_"
METRICS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "last_run_timestamp_seconds": ("When verify last ran, however that ended.", ()),
        "last_success_timestamp_seconds": (
            "When verify last looked at everything it was asked to look at, whatever it found; 0 if never.",
            (),
        ),
        "verdict": ("1 for the verdict of the last run, 0 for the others.", ("verdict",)),
        "exit_code": ("The exit code of the last run.", ()),
        "findings": (
            "Findings of the last run by rule; known tells whether the baseline expects them.",
            ("code", "severity", "known"),
        ),
        "checked": ("Rows that the last run checked, by pass.", ("pass",)),
        "skipped": ("Parts that the last run could not read, by pass.", ("pass",)),
        "pending": ("Findings about steps that were too young to judge.", ()),
        "legacy_requests": ("Requests from before history was kept.", ()),
    }
)
_SCOPED = ("queue", "scope")

# Labels of a series beside its queue and scope, and its value.
Samples = dict[tuple[str, ...], float]


@dataclass(slots=True)
class _Series:
    """Everything that is known of one queue in one scope, by metric."""

    samples: dict[str, Samples] = field(default_factory=dict)

    def put(self, name: str, value: float, *labels: str) -> None:
        self.samples.setdefault(name, {})[labels] = value


# By queue and scope.
_State = dict[tuple[str, str], _Series]


def metrics_text(runs: Sequence[AuditRun], existing: str, *, merge: bool) -> str:
    """What the file is to hold after these runs, `existing` being what it holds.

    A queue's last success stays where a run did not see everything, and so does what is known of its other scopes.
    `Refused` where the file is another program's, and where it holds other queues and is not to be merged.
    """
    require_mergeable(existing, [run.queue for run in runs], merge=merge)
    # What is told of no queue is told of a run that failed before it knew of any; this one knows.
    state = {place: series for place, series in _parse(existing).items() if place[0]}
    for run in runs:
        place = (queue_label(run.queue), run.scope)
        state[place] = _after(run, state.get(place))
    return _write(state)


def require_mergeable(existing: str, queues: Iterable[str], *, merge: bool) -> None:
    """`Refused` where replacing the text would lose the metrics of a queue that is none of these."""
    ours = {queue_label(queue) for queue in queues}
    others = sorted(set(queues_in(existing)) - ours)
    if others and not merge:
        named = ", ".join(f"'{name}'" for name in others[:3]) + (", …" if len(others) > 3 else "")  # noqa: PLR2004 - enough to recognise the file by
        raise Refused(
            f"the metrics file holds other queues: {named}",
            hint="add --metrics-merge to keep them, or give this queue a file of its own",
        )


def queues_in(existing: str) -> tuple[str, ...]:
    """The queues that a file holds."""
    return tuple(sorted({queue for queue, _ in _parse(existing) if queue}))


def queue_label(queue: str) -> str:
    """A queue's name as a label; bytes that are no UTF-8 are spelled out."""
    return queue if is_text(queue) else visible(queue)


def _after(run: AuditRun, before: _Series | None) -> _Series:
    seconds = run.at_ms / 1000
    last_success = 0.0 if before is None else before.samples.get("last_success_timestamp_seconds", {}).get((), 0.0)
    series = _Series()
    series.put("last_run_timestamp_seconds", seconds)
    series.put("last_success_timestamp_seconds", seconds if run.is_whole else last_success)
    for verdict in get_args(Verdict):
        series.put("verdict", float(verdict == run.verdict), verdict)
    series.put("exit_code", run.exit_code)
    report = run.report
    if report is None:
        return series
    for code, count in report.counts.items():
        known = report.known.get(code, 0)
        for number, word in ((count - known, "false"), (known, "true")):
            if number:
                series.put("findings", number, code, RULES[code].severity, word)
    for name, part in report.coverage.items():
        if not part.absent:
            series.put("checked", part.checked, name)
            series.put("skipped", part.skipped, name)
    series.put("pending", report.pending)
    series.put("legacy_requests", report.legacy_requests)
    return series


def _write(state: _State) -> str:
    from prometheus_client import CollectorRegistry, Gauge, generate_latest  # noqa: PLC0415 - only where asked for

    registry = CollectorRegistry()
    for name, (meaning, labels) in METRICS.items():
        gauge = Gauge(PREFIX + name, meaning, (*_SCOPED, *labels), registry=registry)
        for (queue, scope), series in sorted(state.items()):
            for values, number in series.samples.get(name, {}).items():
                gauge.labels(queue, scope, *values).set(number)
    return generate_latest(registry).decode()


def _parse(existing: str) -> _State:
    state: _State = {}
    for name, labels, value in _samples(existing):
        _, more = METRICS[name]
        place = (labels["queue"], labels["scope"])
        state.setdefault(place, _Series()).put(name, value, *(labels.get(each, "") for each in more))
    return state


def _samples(existing: str) -> Iterator[tuple[str, Mapping[str, str], float]]:
    if not existing.strip():
        return
    from prometheus_client.parser import text_string_to_metric_families  # noqa: PLC0415 - only where asked for

    try:
        for family in text_string_to_metric_families(existing):
            for sample in family.samples:
                name = sample.name.removeprefix(PREFIX)
                if name == sample.name or name not in METRICS or not {*_SCOPED} <= sample.labels.keys():
                    raise _foreign()
                yield name, sample.labels, sample.value
    except ValueError as error:
        raise _foreign() from error


def _foreign() -> Refused:
    return Refused(
        "the metrics file exists and holds something else than metrics of verify",
        hint="give --metrics-file a name of its own; a textfile collector reads every file of its directory",
    )
