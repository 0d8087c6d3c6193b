"""The history of one request as it reads: every entry in order, what is wrong with it, and what is missing where."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stovepipe_cli.entities import Build, Request, RequestLog
from stovepipe_cli.entities.limits import TEXT_CHARACTERS
from stovepipe_cli.history.consistency import DEFAULT_CLOCK_SKEW_MS, Deviation, examine, out_of_order, visible
from stovepipe_cli.history.context import context_problems, identity_problems, metadata_problems, unknown_words
from stovepipe_cli.history.contradictions import HIDES_OF_ENTRY, Contradiction, build_problem, contradictions
from stovepipe_cli.history.gaps import MISSING_CODES, EntriesOfBuilds, Missing, Surroundings, missing_around
from stovepipe_cli.history.identity import BUILD_EVENTS, event_log_id
from stovepipe_cli.history.mendable import is_mendable
from stovepipe_cli.history.metadata_keys import BUILD_ID, REPAIR_RUN_ID
from stovepipe_cli.history.placing import Places
from stovepipe_cli.reports.history import REPAIRED

_MISSING_STATES = frozenset({"H101", "H102", "H103", "H104"})


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
    `is_mendable`: stored rows prove some of what a repair would write.
    """

    code: str
    log_id: str
    message: str
    position: int
    is_mendable: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """Entries by (time, id bytes), and gaps by position, then in the order in which the service writes.

    `remarks` are contradictions that are about no entry.
    """

    request: Request | None
    entries: tuple[TimelineEntry, ...]
    gaps: tuple[Gap, ...]
    remarks: tuple[Mark, ...] = ()


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
    around = surroundings or Surroundings()
    builds = {build.id: build for build in around.builds or ()}
    ordered = sorted(entries, key=lambda entry: entry.order)
    marked = [TimelineEntry(entry, entry_marks(request, entry, builds, around.asked_builds)) for entry in ordered]
    return lay_out(request, marked, around, skew_ms=skew_ms, is_legacy=is_legacy)


def entry_marks(
    request: Request | None, entry: RequestLog, builds: Mapping[str, Build], asked_builds: Collection[str]
) -> tuple[Mark, ...]:
    """What can be said of an entry without looking at the others."""
    if request is not None and _is_usual(entry):
        # Most entries of a very long history, which is to be shown at once.
        problem = build_problem(request, entry, builds, asked_builds) if asked_builds else None
        return (Mark(*problem),) if problem else ()
    marks = [Mark("H109", f"request '{entry.request_id}' does not exist")] if request is None else []
    marks += [Mark("H110", problem) for problem in identity_problems(entry)]
    marks += [Mark("H111", problem) for problem in context_problems(entry)]
    marks += [Mark("H112", f"{word} is not known to this version") for word in unknown_words(entry)]
    if entry.malformed_metadata:
        marks.append(Mark("H115", "its metadata is not an object of strings"))
    marks += [Mark("H115", problem) for problem in metadata_problems(entry.metadata)]
    if request is not None and asked_builds:
        problem_of_build = build_problem(request, entry, builds, asked_builds)
        marks += [Mark(*problem_of_build)] if problem_of_build else []
    if REPAIR_RUN_ID in entry.metadata:
        marks.append(Mark(REPAIRED, f"written by repair run '{entry.metadata[REPAIR_RUN_ID]}'"))
    return tuple(marks)


def _is_usual(entry: RequestLog) -> bool:
    """Whether an entry is of a build and holds just what the service writes of one."""
    build_id = entry.metadata.get(BUILD_ID)
    return (
        bool(build_id)
        and entry.event in BUILD_EVENTS
        and len(entry.metadata) == 1
        and entry.id == event_log_id(entry.event, build_id or "")
        and entry.timestamp_ms > 0
        and not (entry.state or entry.request_version or entry.outcome_reason or entry.malformed_metadata)
        and len(entry.id) <= TEXT_CHARACTERS
    )


def lay_out(
    request: Request | None,
    marked: Sequence[TimelineEntry],
    surroundings: Surroundings,
    of_builds: EntriesOfBuilds | None = None,
    *,
    skew_ms: int = DEFAULT_CLOCK_SKEW_MS,
    is_legacy: bool = False,
) -> Timeline:
    """The timeline of entries that carry their own marks already, in order.

    Events may be left out among them that `of_builds` knows and that repeat one which is there.
    """
    entries = [each.entry for each in marked]
    missing, problems = _judge(request, entries, surroundings, of_builds, skew_ms)
    marks = {each.entry.id: [*each.marks] for each in marked}
    remarks: list[Mark] = []
    for problem in problems:
        marks.get(problem.log_id, remarks).append(Mark(problem.code, problem.message))
    places = Places(entries, request.version if request is not None and request.is_terminal else 0)
    gaps = [
        Gap(
            each.code,
            each.log_id,
            each.message,
            places.position(each.log_id),
            request is not None and is_mendable(each.code, request, entries, surroundings),
        )
        for each in sorted(missing, key=lambda each: (places.rank(each.log_id), each.versions, each.code, each.log_id))
        if not (is_legacy and each.code in MISSING_CODES)
    ]
    return Timeline(
        request,
        tuple(TimelineEntry(entry, tuple(_shown(marks[entry.id]))) for entry in entries),
        tuple(sorted(gaps, key=lambda gap: gap.position)),
        tuple(remarks),
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
    request: Request | None,
    entries: Sequence[RequestLog],
    surroundings: Surroundings,
    of_builds: EntriesOfBuilds | None,
    skew_ms: int,
) -> tuple[list[Missing], list[Contradiction]]:
    """What is missing, and what contradicts, as far as they are shown beside each other."""
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
    missing = [*missing_around(request, entries, surroundings, of_builds), *_missing_states(deviations)]
    problems = [
        *(
            Contradiction(each.code, each.log_id, each.versions, _sentence(each))
            for each in deviations
            if each.code not in _MISSING_STATES
        ),
        *contradictions(request, entries, surroundings),
    ]
    judged = [(each.code, each.versions) for each in missing] + [(each.code, each.versions) for each in problems]
    is_shown = visible(judged)
    return (
        [each for each, shown in zip(missing, is_shown, strict=False) if shown],
        [each for each, shown in zip(problems, is_shown[len(missing) :], strict=True) if shown],
    )


def _missing_states(deviations: Iterable[Deviation]) -> Iterator[Missing]:
    for each in deviations:
        if each.code in _MISSING_STATES:
            yield Missing(each.code, each.log_id, each.versions, _sentence(each))


def _sentence(deviation: Deviation) -> str:
    return f"expected {deviation.expected}, found {deviation.found}"


def _shown(marks: Sequence[Mark]) -> list[Mark]:
    """By code, repairs last, without those that follow from another on the same entry."""
    if len(marks) > 1:
        hidden = {code for mark in marks for code in HIDES_OF_ENTRY.get(mark.code, ())}
        marks = [mark for mark in marks if mark.code not in hidden]
    return sorted(marks, key=lambda mark: (mark.code == REPAIRED, mark.code, mark.message))
