"""Pages of what is stored, as reports with cursors."""

from collections.abc import Iterator
from typing import cast

from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.entities.limits import TASK_ID_BYTES, UNIT_ID_BYTES
from stovepipe_cli.errors import UsageError
from stovepipe_cli.keys import key_bytes, key_text, require_bytes, require_name
from stovepipe_cli.reports import ListReport, OpenIssueItem, QueueItem
from stovepipe_cli.reports.stored_items import StoredItems
from stovepipe_cli.storage.collecting import rarely_collecting
from stovepipe_cli.storage.contract import QueueDirectory, SchemaMismatch, Storage, StorageUnavailable
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, OpenIssueRow, RequestRow

MAX_LIMIT = 1000

_OPEN_ISSUES = "open-issues"
_ISSUE_ORDER = "task,unit"
_PAGE = 1000
_PAGE_OF_ALL = 5000


def list_queues(directory: QueueDirectory) -> ListReport[QueueItem]:
    """Every queue, in byte order of its name."""
    items: list[QueueItem] = []
    after: str | None = None
    while page := directory.list_after(after, _PAGE):
        items.extend(QueueItem(name, None, None, None) for name in page)
        after = page[-1]
    notes = () if items else ("this database holds no queue",)
    return ListReport(tuple(items), None, QueueItem, notes)


def has_rows(storage: Storage) -> bool:
    """Whether the queue has a row in any table that can be read."""
    for row_type, table in TABLE_OF.items():
        try:
            if storage.audit.view(table.name) is None:
                continue
            with storage.audit.snapshot() as snapshot:
                # Which row type it is does not matter: only whether there is one.
                if snapshot.page(cast("type[RequestRow]", row_type), limit=1).rows:
                    return True
        except (StorageUnavailable, SchemaMismatch) as error:
            if error.retryable:
                raise
    return False


def require_page_limit(limit: int) -> None:
    """Refuse a page of none or of more than a thousand with `UsageError`."""
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"--limit {limit} is out of range", hint=f"use 1 to {MAX_LIMIT}")


def list_open_issues(
    storage: Storage, *, limit: int = 50, cursor: str | None = None, every: bool = False, task: str | None = None
) -> ListReport[OpenIssueItem]:
    """Open issues in byte order of (task, unit): one page of `limit`, or all of them.

    `task` keeps the tasks that start with it. `InvalidCursor` for a cursor of another queue or prefix.
    """
    require_page_limit(limit)
    if task is not None:
        require_name("issue", "task prefix", task)
        require_bytes("issue", "task prefix", task, TASK_ID_BYTES)
    order = _ISSUE_ORDER if task is None else f"{_ISSUE_ORDER};task={task}"
    after: tuple[str, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_OPEN_ISSUES, order=order, shape=(str, str))
        after = (str(key[0]), str(key[1]))
    if every and task is None and _is_sorted_by_bytes(storage):
        with rarely_collecting():
            items = StoredItems(OpenIssueItem, _rows(storage, after))
        return ListReport(items, None, OpenIssueItem, () if items else _no_issue(storage, after))
    issues: list[OpenIssue] = []
    for issue in _open_issues(storage, after, task, _PAGE_OF_ALL if every else _PAGE):
        if not every and len(issues) == limit:
            last = issues[-1]
            token = encode_cursor(
                queue=storage.queue, listing=_OPEN_ISSUES, order=order, key=(last.task_id, last.unit_id)
            )
            return ListReport(_items(issues), token, OpenIssueItem)
        issues.append(issue)
    return ListReport(_items(issues), None, OpenIssueItem, () if issues else _no_issue(storage, after))


def _no_issue(storage: Storage, after: object) -> tuple[str]:
    return (f"queue '{storage.queue}' has no open issue" + (" from here on" if after else ""),)


def _is_sorted_by_bytes(storage: Storage) -> bool:
    view = storage.audit.view(TABLE_OF[OpenIssueRow].name)
    return view is not None and not any(view.key_collations.values())


def _rows(storage: Storage, after: Key | None) -> list[tuple[str, ...]]:
    """All rows behind a key, each as its fields alone: two objects a row would cost more than reading them."""
    found: list[tuple[str, ...]] = []
    while True:
        with storage.audit.snapshot() as snapshot:
            page = snapshot.bare_page(OpenIssueRow, after=after, limit=_PAGE_OF_ALL)
        found += page.rows
        if page.next_after is None:
            return found
        after = page.next_after


def _open_issues(
    storage: Storage, after: tuple[str, str] | None, task: str | None, page_size: int
) -> Iterator[OpenIssue]:
    if task and (after is None or key_bytes(after[0]) < key_bytes(task)):
        # The row just before the first task that can match is not known; the prefix itself may be a task.
        after = _before(task)
    while page := storage.open_issues.list_after(after, page_size):
        for issue in page:
            if task and not key_bytes(issue.task_id).startswith(key_bytes(task)):
                return
            yield issue
        after = (page[-1].task_id, page[-1].unit_id)


def _items(issues: list[OpenIssue]) -> tuple[OpenIssueItem, ...]:
    return tuple(OpenIssueItem(issue.task_id, issue.unit_id, issue.first_seen_build_id) for issue in issues)


def _before(task: str) -> tuple[str, str] | None:
    """The greatest possible key below every key whose task starts with `task`."""
    raw = key_bytes(task)
    if raw == b"\x00":
        return None
    head, last = raw[:-1], raw[-1]
    padded = head if last == 0 else (head + bytes([last - 1])).ljust(TASK_ID_BYTES, b"\xff")
    return (key_text(padded), key_text(b"\xff" * UNIT_ID_BYTES))
