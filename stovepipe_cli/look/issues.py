"""One issue with its transitions, and what one build observed."""

from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.instants import format_instant
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import IssueReport, ObservationItem, TransitionItem
from stovepipe_cli.storage.contract import NotFound, Storage

MOST_TRANSITIONS = 1000

_OBSERVATIONS = "observations"


def show_issue(storage: Storage, task_id: str, unit_id: str = "") -> IssueReport:
    """The opening of a task or one unit of it, and its transitions by time; `NothingFound` where there is neither."""
    try:
        opening = storage.open_issues.get(task_id, unit_id).first_seen_build_id
    except NotFound:
        opening = None
    entries = storage.issue_log.list_after(task_id, unit_id, None, MOST_TRANSITIONS + 1)
    if opening is None and not entries:
        whole = f"unit '{unit_id}' of task '{task_id}'" if unit_id else f"task '{task_id}'"
        raise NothingFound(
            f"{whole} is not open in queue '{storage.queue}' and has no transition on record",
            hint="stovepipe issues list shows what is open; a unit is named behind its task",
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
    order = f"task,unit;build={build_id}"
    after: tuple[str, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_OBSERVATIONS, order=order, shape=(str, str))
        after = (str(key[0]), str(key[1]))
    items: list[ObservationItem] = []
    while True:
        page = storage.build_issues.list_after(build_id, after, limit + 1)
        items.extend(ObservationItem(each.task_id, each.unit_id) for each in page)
        if not every or len(page) <= limit:
            break
        after = (page[-1].task_id, page[-1].unit_id)
    token = None
    if not every and len(items) > limit:
        items = items[:limit]
        key_of_last = (items[-1].task_id, items[-1].unit_id)
        token = encode_cursor(queue=storage.queue, listing=_OBSERVATIONS, order=order, key=key_of_last)
    notes = () if items else (_nothing_observed(storage, build_id),)
    return ListReport(tuple(items), token, ObservationItem, notes)


def _nothing_observed(storage: Storage, build_id: str) -> str:
    try:
        status = f"it is '{storage.builds.get(build_id).status}'"
    except NotFound:
        status = "the queue has no such build"
    return (
        f"nothing observed in build '{build_id}' is on record, which says neither that it succeeded nor that it was "
        f"analysed; {status}"
    )
