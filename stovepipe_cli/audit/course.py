"""The courses that requests usually take through the service, each as the texts that its folded history must have."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stovepipe_cli.entities.request_log import OUTCOME_REASONS
from stovepipe_cli.history.consistency import WHOLE_CHAINS
from stovepipe_cli.history.identity import event_log_id, state_log_id
from stovepipe_cli.history.metadata_keys import BASE_URI, BUILD_ID, FACT_DEGREE
from stovepipe_cli.storage.contract.folding import BETWEEN_COLUMNS, BETWEEN_ENTRIES

TRIGGERED, FINISHED, RECORDED = "build_triggered", "build_finished", "validation_fact_recorded"
LAST_VERSION = 3

_TRIGGERED_PREFIX = event_log_id(TRIGGERED, "")
_FEWEST_STATES = 2
_VERSIONS: Mapping[str, int] = MappingProxyType({"0": 0, "1": 1, "2": 2, "3": LAST_VERSION})
_DECIDED_BY_BUILD = frozenset({"build_succeeded", "build_failed", "build_cancelled"})

_ENDS = (
    ("succeeded", 3, "build_succeeded"),
    ("failed", 3, "build_failed"),
    ("cancelled", 3, "build_cancelled"),
    ("superseded", 2, "superseded_by_newer_head"),
    ("failed", 2, "processing_failed"),
)

# {0} is the build, {1} the occurrence of the fact, {2} its degree, and {3} the baseline.
_EVENT_IDS: Mapping[str, str] = MappingProxyType(
    {
        TRIGGERED: event_log_id(TRIGGERED, "{0}"),
        FINISHED: event_log_id(FINISHED, "{0}"),
        RECORDED: event_log_id(RECORDED, "{1}"),
    }
)
_BUILT, _BASED = f'"{BUILD_ID}":"{{0}}"', f'"{BASE_URI}":"{{3}}"'
_EVENT_METADATA: Mapping[str, str] = MappingProxyType(
    {TRIGGERED: _BUILT, FINISHED: _BUILT, RECORDED: f'"{FACT_DEGREE}":"{{2}}"'}
)
_PLACE = re.compile(r"\{(\d)\}")


class Entry(NamedTuple):
    """One entry in words; on an event `version` is 0."""

    state: str
    event: str
    version: int
    reason: str


class Pattern(NamedTuple):
    """Text with places for values, and which value goes into each."""

    text: str
    values: tuple[int, ...]

    def filled(self, values: Sequence[Sequence[str]], size: int) -> list[str]:
        """Its texts for `size` requests, from the values of all of them."""
        if not self.values:
            return [self.text] * size
        return [*map(self.text.__mod__, zip(*(values[place] for place in self.values), strict=True))]


class Course(NamedTuple):
    """A whole way with one build at most, in the order of its entries.

    The patterns are of the history folded by entry and by column, and of each column alone, to be filled in from
    (build, occurrence, degree, baseline). `states` are the places of the states by version.
    """

    entries: tuple[Entry, ...]
    version: int
    state: str
    reason: str
    by_entry: Pattern
    by_column: Pattern
    columns: tuple[Pattern, ...]
    states: tuple[int, ...]
    has_build: bool
    has_fact: bool

    def degrees(self, size: int) -> list[float]:
        """The degrees that the facts of so many requests have today."""
        return [0.0 if self.state == "succeeded" else 1.0] * size

    def build_named_in(self, ids: Sequence[str]) -> str:
        """The build that the triggered entry's id names, empty where that is none."""
        log_id = ids[next(place for place, entry in enumerate(self.entries) if entry.event == TRIGGERED)]
        return log_id.removeprefix(_TRIGGERED_PREFIX) if log_id.startswith(_TRIGGERED_PREFIX) else ""


def usual_courses() -> dict[tuple[str, int, int], Course]:
    """The courses in the order in which ids are sorted, by state, version and number of entries."""
    found: dict[tuple[str, int, int], Course] = {}
    for state, version, reason in _ENDS:
        last = Entry(state, "", version, reason)
        states = [Entry("accepted", "", 1, ""), Entry("processing", "", 2, "")][: version - 1]
        course = course_of((*(_event(name) for name in sorted(_events_of(last))), *states, last))
        if course is not None:
            found[state, version, len(course.entries)] = course
    return found


def course_of(entries: tuple[Entry, ...]) -> Course | None:
    """The course that these entries make; None where it is not a usual one."""
    states = [entry for entry in entries if entry.state]
    if len(states) < _FEWEST_STATES or tuple((each.version, each.state) for each in states) not in WHOLE_CHAINS:
        return None
    last = states[-1]
    if last.reason not in OUTCOME_REASONS.get(last.state, ()) or any(each.reason or each.event for each in states[:-1]):
        return None
    events = [entry for entry in entries if not entry.state]
    if last.event or sorted(events) != sorted(map(_event, _events_of(last))):
        return None
    ids = [_EVENT_IDS.get(each.event) or state_log_id(each.version) for each in entries]
    rows = [
        (log_id, each.state, each.event, str(each.version), each.reason, _metadata(each, last, has_build=bool(events)))
        for log_id, each in zip(ids, entries, strict=True)
    ]
    return Course(
        entries,
        last.version,
        last.state,
        last.reason,
        _pattern(BETWEEN_ENTRIES.join(map(BETWEEN_COLUMNS.join, rows))),
        _pattern(BETWEEN_COLUMNS.join(map(BETWEEN_ENTRIES.join, zip(*rows, strict=True)))),
        tuple(_pattern(BETWEEN_ENTRIES.join(column)) for column in zip(*rows, strict=True)),
        tuple(entries.index(each) for each in states),
        has_build=bool(events),
        has_fact=_event(RECORDED) in events,
    )


def entry_of(state: str, event: str, version: str, reason: str) -> Entry:
    """The words of an entry as they stand in a folded text; a version that no course has becomes -1."""
    return Entry(state, event, _VERSIONS.get(version, -1), reason)


def _events_of(last: Entry) -> tuple[str, ...]:
    """The events of a request that ended like this, after one build where a build decided it."""
    if last.reason not in _DECIDED_BY_BUILD:
        return ()
    return (TRIGGERED, FINISHED) if last.state == "cancelled" else (TRIGGERED, FINISHED, RECORDED)


def _event(name: str) -> Entry:
    return Entry("", name, 0, "")


def _metadata(entry: Entry, last: Entry, *, has_build: bool) -> str:
    """What the service of today writes, spelled as it spells it."""
    if entry.event:
        inside = _EVENT_METADATA[entry.event]
    elif entry.version == 1 or last.version < LAST_VERSION:
        # No baseline is chosen before a request is processed.
        inside = ""
    else:
        inside = f"{_BASED},{_BUILT}" if entry == last and has_build else _BASED
    return f"{{{inside}}}"


def _pattern(text: str) -> Pattern:
    return Pattern(_PLACE.sub("%s", text), tuple(int(place) for place in _PLACE.findall(text)))
