"""What one request's state entries must satisfy, as predicates for the audit and the timeline.

`examine(state, version, rows)` answers H101 to H108 of one request at once, through a table of whole chains for
the undamaged case; `out_of_order(rows, skew_ms, is_repaired)` answers H113. Each rule is also a function of its own:
`history_missing(rows)`, `current_state_missing(state, version, states)`, `accepted_missing(states)`,
`earlier_state_missing(state, version, states)`, `state_mismatches(state, version, states)`,
`states_ahead(version, states)`, `versions_duplicated(states)`, `illegal_transitions(states)`, where `states` is
`state_rows(rows)`. `visible(codes_with_versions)` tells which codes of one request stand beside each other.
Nothing here knows of legacy requests or of pending steps.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeVar

from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES, LEGAL_EDGES, REQUEST_STATES, TERMINAL_STATES
from stovepipe_cli.instants import format_instant
from stovepipe_cli.keys import key_bytes

FIRST_VERSION = 1
FIRST_OUTCOME_VERSION = 3
DEFAULT_CLOCK_SKEW_MS = 5000


class HistoryRow(Protocol):
    """The columns of a log row that consistency depends on; the audit's rows have them as they are."""

    @property
    def log_id(self) -> str:
        """The identity within the request."""

    @property
    def timestamp_ms(self) -> int:
        """When the entry was first retained."""

    @property
    def state(self) -> str:
        """The state, empty on an event."""

    @property
    def request_version(self) -> int:
        """The request version of a state, 0 on an event."""


Entry = TypeVar("Entry", bound=HistoryRow)


class Deviation(NamedTuple):
    """One broken rule: the entry it is about (for a missing one, its identity) and the versions involved.

    `expected` and `found` are short phrases for a reader.
    """

    code: str
    log_id: str
    versions: tuple[int, ...]
    expected: str
    found: str


def _chains() -> frozenset[tuple[tuple[int, str], ...]]:
    found: set[tuple[tuple[int, str], ...]] = set()
    pending: list[tuple[tuple[int, str], ...]] = [((FIRST_VERSION, "accepted"),)]
    while pending:
        chain = pending.pop()
        found.add(chain)
        version, state = chain[-1]
        pending += [(*chain, (version + 1, after)) for before, after in LEGAL_EDGES if before == state]
    return frozenset(found)


WHOLE_CHAINS = _chains()


def state_rows(rows: Iterable[Entry]) -> list[Entry]:
    """The state entries by version, entries of one version in byte order of their ids."""
    states = [row for row in rows if row.state]
    states.sort(key=lambda row: (row.request_version, key_bytes(row.log_id)))
    return states


def examine(state: str, version: int, rows: Sequence[Entry]) -> list[Deviation]:
    """Every deviation of H101 to H108 of a request at (state, version), before hiding; empty is undamaged."""
    chain = tuple((row.request_version, row.state) for row in rows if row.state)
    if chain in WHOLE_CHAINS and chain[-1] == (version, state):
        return []
    missing = history_missing(rows)
    if missing:
        return missing
    states = state_rows(rows)
    return [
        *current_state_missing(state, version, states),
        *accepted_missing(states),
        *earlier_state_missing(state, version, states),
        *state_mismatches(state, version, states),
        *states_ahead(version, states),
        *versions_duplicated(states),
        *illegal_transitions(states),
    ]


def history_missing(rows: Sequence[Entry]) -> list[Deviation]:
    """H101: nothing at all was retained. The identity is that of the first entry every request has."""
    if rows:
        return []
    return [Deviation("H101", f"state/{FIRST_VERSION}", (), "retained entries", "none")]


def current_state_missing(state: str, version: int, states: Sequence[Entry]) -> list[Deviation]:
    """H102: no state entry at the request's version."""
    if any(row.request_version == version for row in states):
        return []
    return [Deviation("H102", f"state/{version}", (version,), f"'{state}' at version {version}", "no entry")]


def accepted_missing(states: Sequence[Entry]) -> list[Deviation]:
    """H103: no accepted entry of version 1. Only for requests that have some entry."""
    if any(row.request_version == FIRST_VERSION and row.state == "accepted" for row in states):
        return []
    log_id = f"state/{FIRST_VERSION}"
    return [Deviation("H103", log_id, (FIRST_VERSION,), f"'accepted' at version {FIRST_VERSION}", "no such entry")]


def earlier_state_missing(state: str, version: int, states: Sequence[Entry]) -> list[Deviation]:
    """H104: a build outcome at version 3 or more, and no state entry between version 1 and it."""
    if version < FIRST_OUTCOME_VERSION or state not in BUILD_OUTCOME_STATES:
        return []
    if any(FIRST_VERSION < row.request_version < version for row in states):
        return []
    before = version - 1
    expected = f"a state between versions {FIRST_VERSION} and {version}"
    return [Deviation("H104", f"state/{before}", (before,), expected, "no entry")]


def state_mismatches(state: str, version: int, states: Sequence[Entry]) -> list[Deviation]:
    """H105: entries at the request's version that name another state than the request."""
    return [
        Deviation("H105", row.log_id, (version,), f"'{state}' as the request says", f"'{row.state}'")
        for row in states
        if row.request_version == version and row.state != state
    ]


def states_ahead(version: int, states: Sequence[Entry]) -> list[Deviation]:
    """H106: entries of a later version than the request has reached."""
    return [
        Deviation(
            "H106", row.log_id, (row.request_version,), f"at most version {version}", f"version {row.request_version}"
        )
        for row in states
        if row.request_version > version
    ]


def versions_duplicated(states: Sequence[Entry]) -> list[Deviation]:
    """H107: one deviation a version that has several state entries, about the one with the less regular id."""
    found: list[Deviation] = []
    for version, group in groupby(states, key=lambda row: row.request_version):
        ids = [row.log_id for row in group]
        if len(ids) > 1:
            extra = next((log_id for log_id in ids if log_id != f"state/{version}"), ids[-1])
            names = ", ".join(f"'{log_id}'" for log_id in ids)
            found.append(Deviation("H107", extra, (version,), f"one entry for version {version}", names))
    return found


def illegal_transitions(states: Sequence[Entry]) -> list[Deviation]:
    """H108: consecutive versions that form no legal edge, or an entry after a terminal one.

    An unknown state is not judged as an edge. Both versions are named, the earlier one first.
    """
    found: list[Deviation] = []
    terminal: Entry | None = None
    by_version = [(version, list(group)) for version, group in groupby(states, key=lambda row: row.request_version)]
    for position, (version, group) in enumerate(by_version):
        before_version, before = by_version[position - 1] if position else (0, [])
        for row in group:
            source = terminal
            if source is None and before_version == version - 1:
                source = next((each for each in before if _is_illegal(each.state, row.state)), None)
            if source is not None:
                found.append(_transition(source, row))
        terminal = terminal or next((row for row in group if row.state in TERMINAL_STATES), None)
    return found


def _is_illegal(before: str, after: str) -> bool:
    return before in REQUEST_STATES and after in REQUEST_STATES and (before, after) not in LEGAL_EDGES


def _transition(before: Entry, after: Entry) -> Deviation:
    known = sorted(target for source, target in LEGAL_EDGES if source == before.state)
    expected = f"after '{before.state}': " + (", ".join(f"'{target}'" for target in known) or "nothing")
    versions = (before.request_version, after.request_version)
    return Deviation("H108", after.log_id, versions, expected, f"'{after.state}' at version {after.request_version}")


def out_of_order(
    rows: Sequence[Entry], skew_ms: int, is_repaired: Callable[[Entry], bool] = lambda _: False
) -> list[Deviation]:
    """H113: state entries retained more than `skew_ms` before one of a lower version.

    Entries without a time are left out. `is_repaired` is asked only where some time decreases by more than that;
    entries it answers for are left out too.
    """
    if _runs_forward(rows):
        return []
    states = [row for row in state_rows(rows) if row.timestamp_ms > 0]
    if not _decreases(states, skew_ms):
        return []
    return _decreases([row for row in states if not is_repaired(row)], skew_ms)


def _runs_forward(rows: Iterable[Entry]) -> bool:
    version = time = 0
    for row in rows:
        if row.state:
            if row.request_version < version or row.timestamp_ms < time:
                return False
            version, time = row.request_version, row.timestamp_ms
    return True


def _decreases(states: Sequence[Entry], skew_ms: int) -> list[Deviation]:
    found: list[Deviation] = []
    latest: Entry | None = None
    pending: list[Entry] = []
    for row in states:
        if pending and pending[-1].request_version != row.request_version:
            latest = max([*pending, *([latest] if latest else [])], key=lambda each: each.timestamp_ms)
            pending = []
        pending.append(row)
        if latest is not None and latest.timestamp_ms - row.timestamp_ms > skew_ms:
            versions = (latest.request_version, row.request_version)
            expected = f"not before {format_instant(latest.timestamp_ms)}, the time of '{latest.log_id}'"
            found.append(Deviation("H113", row.log_id, versions, expected, format_instant(row.timestamp_ms)))
    return found


_WRONG_VERSION_HIDES = frozenset({"H108", "P302", "P303", "P304", "E207", "E208", "E209", "E210", "E211"})
_HIDES_IN_REQUEST: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "H101": frozenset({"H102", "H103", "H104", "E201", "E202", "E206", "P303"}),
        "H103": frozenset({"P305"}),
        "E209": frozenset({"E210", "Q603"}),
        "P301": frozenset({"A401"}),
    }
)
_HIDES_AT_VERSION: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "H102": frozenset({"P303"}),
        "H105": _WRONG_VERSION_HIDES,
        "H106": _WRONG_VERSION_HIDES,
        "H107": _WRONG_VERSION_HIDES,
    }
)


def visible(codes_with_versions: Sequence[tuple[str, Collection[int]]]) -> tuple[bool, ...]:
    """For each (code, versions it rests on) of one request, whether it is shown beside the others.

    Follow-ups of a missing history, of a missing entry and of a wrong version are not; H109 stands alone. What
    depends on a single entry or build (H110, H111, H115, E203 to E205) is not decided here.
    """
    codes = {code for code, _ in codes_with_versions}
    hidden = {each for code in codes for each in _HIDES_IN_REQUEST.get(code, ())}
    hidden_at = {
        (each, version)
        for code, versions in codes_with_versions
        for each in _HIDES_AT_VERSION.get(code, ())
        for version in versions
    }
    return tuple(
        code not in hidden
        and (code == "H109" or "H109" not in codes)
        and not any((code, version) in hidden_at for version in versions)
        for code, versions in codes_with_versions
    )
