"""One issue with its transitions, and what one build observed."""

from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import IssueLog
from stovepipe_cli.entities.limits import BUILD_ID_BYTES, TASK_ID_BYTES, UNIT_ID_BYTES
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.instants import format_instant
from stovepipe_cli.keys import require_bytes, require_name
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import IssueReport, ObservationItem, TransitionItem
from stovepipe_cli.storage.contract import NotFound, Storage

MOST_TRANSITIONS = 10_000

_OBSERVATIONS = "observations"
_PAGE = 1000
_NAMED_UNITS = 3


def show_issue(storage: Storage, task_id: str, unit_id: str = "") -> IssueReport:
    """The opening of a task or one unit of it, and its transitions by time; `NothingFound` where there is neither."""
    require_name("issue", "task", task_id)
    require_bytes("issue", "task", task_id, TASK_ID_BYTES)
    require_bytes("issue", "unit", unit_id, UNIT_ID_BYTES)
    try:
        opening = storage.open_issues.get(task_id, unit_id).first_seen_build_id
    except NotFound:
        opening = None
    entries = _transitions(storage, task_id, unit_id)
    if opening is None and not entries:
        whole = f"unit '{unit_id}' of task '{task_id}'" if unit_id else f"task '{task_id}' as a whole"
        raise NothingFound(
            f"{whole} is not open in queue '{storage.queue}' and has no transition on record",
            hint=_open_units(storage, task_id) or "stovepipe issues list shows what is open",
        )
    transitions = [
        TransitionItem(each.event, each.build_id, each.timestamp_ms, format_instant(each.timestamp_ms))
        for each in entries[:MOST_TRANSITIONS]
    ]
    transitions.sort(key=lambda item: (item.timestamp_ms, item.event, item.build_id))
    return IssueReport(task_id, unit_id, opening, tuple(transitions), len(entries) <= MOST_TRANSITIONS)


def list_observations(
    storage: Storage, build_id: str, *, limit: int, cursor: str | None, every: bool
) -> ListReport[ObservationItem]:
    """What a build observed, in byte order of (task, unit). An empty answer is no success of the build."""
    require_page_limit(limit)
    require_name("build", "id", build_id)
    require_bytes("build", "id", build_id, BUILD_ID_BYTES)
    order = f"task,unit;build={build_id}"
    after: tuple[str, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_OBSERVATIONS, order=order, shape=(str, str))
        after = (str(key[0]), str(key[1]))
    items: list[ObservationItem] = []
    start = after
    while page := storage.build_issues.list_after(build_id, after, _PAGE if every else limit + 1):
        items.extend(ObservationItem(each.task_id, each.unit_id) for each in page)
        if not every:
            break
        after = (page[-1].task_id, page[-1].unit_id)
    token = None
    if not every and len(items) > limit:
        items = items[:limit]
        key_of_last = (items[-1].task_id, items[-1].unit_id)
        token = encode_cursor(queue=storage.queue, listing=_OBSERVATIONS, order=order, key=key_of_last)
    notes = () if items else (_nothing_observed(storage, build_id, is_start=start is None),)
    return ListReport(tuple(items), token, ObservationItem, notes)


def _transitions(storage: Storage, task_id: str, unit_id: str) -> list[IssueLog]:
    """In key order, and one more than `MOST_TRANSITIONS` where there are more."""
    entries: list[IssueLog] = []
    after: tuple[str, str] | None = None
    while len(entries) <= MOST_TRANSITIONS:
        room = MOST_TRANSITIONS + 1 - len(entries)
        page = storage.issue_log.list_after(task_id, unit_id, after, min(_PAGE, room))
        if not page:
            break
        entries += page
        after = (page[-1].build_id, page[-1].event)
    return entries


def _open_units(storage: Storage, task_id: str) -> str | None:
    # Units stand behind the whole task, whose own row need not exist.
    behind = storage.open_issues.list_after((task_id, ""), _NAMED_UNITS)
    units = [f"'{each.unit_id}'" for each in behind if each.task_id == task_id]
    return f"name a unit behind the task; open are {', '.join(units)}" if units else None


def _nothing_observed(storage: Storage, build_id: str, *, is_start: bool) -> str:
    if not is_start:
        return f"nothing more observed in build '{build_id}' is on record"
    try:
        status = f"it is '{storage.builds.get(build_id).status}'"
    except NotFound:
        status = "the queue has no such build"
    return (
        f"nothing observed in build '{build_id}' is on record, which says neither that it succeeded nor that it was "
        f"analysed; {status}"
    )
