"""The history of one request as it reads: every entry in order, what is wrong with it, and what is missing where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stovepipe_cli.entities import Request, RequestLog
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.history.consistency import DEFAULT_CLOCK_SKEW_MS, Deviation, examine, out_of_order, visible
from stovepipe_cli.history.context import context_problems, identity_problems, metadata_problems, unknown_words
from stovepipe_cli.history.gaps import MISSING_CODES, Missing, Surroundings, missing_around
from stovepipe_cli.history.identity import parse_log_id
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID

REPAIRED = "repaired"

_MISSING_STATES = frozenset({"H101", "H102", "H103", "H104"})
_PLACES = {
    "build_triggered": 3,
    "build_finished": 4,
    "validation_fact_recorded": 6,
    "project_facts_recorded": 7,
    "record_abandoned": 7,
}
_STATE_PLACE = 2
_END_PLACE = 5
_LAST_PLACE = 8


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to say about an entry: the code of a rule, or `repaired`."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A retained entry and its marks, by code."""

    entry: RequestLog
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing. `log_id` is the missing entry's identity, empty where another row is missing.

    `position` is the index of the entry it belongs before; the number of entries where it belongs at the end.
    """

    code: str
    log_id: str
    message: str
    position: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Entries by (time, id bytes), and gaps by position, then in the order in which the service writes."""

    request: Request | None
    entries: tuple[TimelineEntry, ...]
    gaps: tuple[Gap, ...]


def build_timeline(
    request: Request | None,
    entries: Iterable[RequestLog],
    surroundings: Surroundings | None = None,
    *,
    skew_ms: int = DEFAULT_CLOCK_SKEW_MS,
    is_legacy: bool = False,
) -> Timeline:
    """Lay out what is retained of one request.

    Nothing is reported missing of a request that `is_legacy`. Entries of unknown words or unreadable metadata are
    shown as they are, with marks.
    """
    ordered = tuple(sorted(entries, key=lambda entry: entry.order))
    missing, deviations = _judge(request, ordered, surroundings or Surroundings(), skew_ms)
    marks: dict[str, list[Mark]] = {entry.id: _own_marks(entry, is_orphan=request is None) for entry in ordered}
    for deviation in deviations:
        marks[deviation.log_id].append(Mark(deviation.code, _sentence(deviation)))
    gaps = [
        Gap(each.code, each.log_id, each.message, _position(each, request, ordered))
        for each in sorted(
            missing, key=lambda each: (_missing_place(each, request), each.versions, each.code, each.log_id)
        )
        if not (is_legacy and each.code in MISSING_CODES)
    ]
    return Timeline(
        request,
        tuple(TimelineEntry(entry, tuple(sorted(marks[entry.id], key=_mark_order))) for entry in ordered),
        tuple(sorted(gaps, key=lambda gap: gap.position)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A state entry under the column names that consistency reads."""

    log_id: str
    timestamp_ms: int
    state: str
    request_version: int
    is_repaired: bool


def _judge(
    request: Request | None, entries: Sequence[RequestLog], surroundings: Surroundings, skew_ms: int
) -> tuple[list[Missing], list[Deviation]]:
    """The visible missing things, and the visible deviations of entries that exist."""
    if request is None:
        return [], []
    rows = [
        _Row(entry.id, entry.timestamp_ms, entry.state, entry.request_version, REPAIR_RUN_ID in entry.metadata)
        for entry in entries
    ]
    deviations = [
        *examine(request.state, request.version, rows),
        *out_of_order(rows, skew_ms, lambda row: row.is_repaired),
    ]
    around = missing_around(request, entries, surroundings)
    judged = [(each.code, each.versions) for each in deviations] + [(each.code, each.versions) for each in around]
    shown = visible(judged)
    seen = [each for each, is_shown in zip(deviations, shown[: len(deviations)], strict=True) if is_shown]
    missing = [each for each, is_shown in zip(around, shown[len(deviations) :], strict=True) if is_shown]
    missing += [
        Missing(each.code, each.log_id, each.versions, _sentence(each)) for each in seen if each.code in _MISSING_STATES
    ]
    return missing, [each for each in seen if each.code not in _MISSING_STATES]


def _own_marks(entry: RequestLog, *, is_orphan: bool) -> list[Mark]:
    marks = [Mark("H109", f"request '{entry.request_id}' does not exist")] if is_orphan else []
    marks += [Mark("H110", problem) for problem in identity_problems(entry)]
    marks += [Mark("H111", problem) for problem in context_problems(entry)]
    marks += [Mark("H112", f"{word} is not known to this version") for word in unknown_words(entry)]
    if entry.malformed_metadata:
        marks.append(Mark("H115", "its metadata is not an object of strings"))
    marks += [Mark("H115", problem) for problem in metadata_problems(entry.metadata)]
    if REPAIR_RUN_ID in entry.metadata:
        marks.append(Mark(REPAIRED, f"written by repair run '{entry.metadata[REPAIR_RUN_ID]}'"))
    return marks


def _sentence(deviation: Deviation) -> str:
    return f"expected {deviation.expected}, found {deviation.found}"


def _mark_order(mark: Mark) -> tuple[bool, str, str]:
    return (mark.code == REPAIRED, mark.code, mark.message)


def _position(missing: Missing, request: Request | None, entries: Sequence[RequestLog]) -> int:
    if not missing.log_id:
        return len(entries)
    wanted = parse_log_id(missing.log_id)
    place = _missing_place(missing, request)
    for index, entry in enumerate(entries):
        if entry.is_state and wanted.kind == "state":
            if entry.request_version > wanted.version:
                return index
        elif _place(entry) > place:
            return index
    return len(entries)


def _missing_place(missing: Missing, request: Request | None) -> int:
    if not missing.log_id:
        return _LAST_PLACE
    wanted = parse_log_id(missing.log_id)
    is_end = request is not None and request.is_terminal and request.version == wanted.version
    return _PLACES.get(wanted.event) or _state_place(is_end=is_end)


def _place(entry: RequestLog) -> int:
    if entry.is_state:
        return _state_place(is_end=entry.state in TERMINAL_STATES)
    return _PLACES.get(entry.event, _LAST_PLACE)


def _state_place(*, is_end: bool) -> int:
    return _END_PLACE if is_end else _STATE_PLACE
