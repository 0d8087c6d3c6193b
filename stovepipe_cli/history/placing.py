"""Where a missing entry would stand among those that are retained."""

from collections.abc import Sequence

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.history.identity import BUILD_EVENTS, LogId, event_log_id, parse_log_id

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


class Places:
    """Where missing entries belong among those that are there, which are in order.

    `end_version` is the version of the request's terminal state, 0 where it has none.
    """

    def __init__(self, entries: Sequence[RequestLog], end_version: int) -> None:
        self._entries = entries
        self._end_version = end_version
        self._by_id = {entry.id: index for index, entry in enumerate(entries) if entry.event in BUILD_EVENTS}
        self._versions = [(index, entry.request_version) for index, entry in enumerate(entries) if entry.is_state]
        # The first entry of each rank, and the first event of it: a state is placed among states by its version.
        self._first: dict[int, int] = {}
        self._first_event: dict[int, int] = {}
        for index, entry in enumerate(entries):
            self._first.setdefault(_place(entry), index)
            if not entry.is_state:
                self._first_event.setdefault(_place(entry), index)

    def rank(self, log_id: str) -> int:
        """The rank of a missing entry in the order in which the service writes; of another missing row, the last."""
        if not log_id:
            return _LAST_PLACE
        wanted = parse_log_id(log_id)
        is_end = bool(self._end_version) and wanted.version == self._end_version
        return _PLACES.get(wanted.event) or _state_place(is_end=is_end)

    def position(self, log_id: str) -> int:
        """The index of the entry that a missing one belongs before; the number of entries where it is the last."""
        size = len(self._entries)
        if not log_id:
            return size
        wanted = parse_log_id(log_id)
        if wanted.event in BUILD_EVENTS:
            beside = self._beside_its_build(wanted)
            if beside is not None:
                return beside
        rank = self.rank(log_id)
        firsts = self._first if wanted.kind != "state" else self._first_event
        later = [index for place, index in firsts.items() if place > rank]
        if wanted.kind == "state":
            later += [index for index, version in self._versions if version > wanted.version][:1]
        return min(later, default=size)

    def _beside_its_build(self, wanted: LogId) -> int | None:
        """Right before the end of the same build, or behind its start and whatever other builds ended then."""
        is_start = wanted.event == "build_triggered"
        other = event_log_id("build_finished" if is_start else "build_triggered", wanted.occurrence)
        found = self._by_id.get(other)
        if found is None or is_start:
            return found
        entries = self._entries
        behind = range(found + 1, len(entries))
        return next((index for index in behind if entries[index].event != "build_finished"), len(entries))


def _place(entry: RequestLog) -> int:
    if entry.is_state:
        return _state_place(is_end=entry.state in TERMINAL_STATES)
    return _PLACES.get(entry.event, _LAST_PLACE)


def _state_place(*, is_end: bool) -> int:
    return _END_PLACE if is_end else _STATE_PLACE
