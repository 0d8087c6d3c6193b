"""The requests of a narrowed scope, fetched by id, and where history begins as far as they need to know."""

from collections.abc import Iterable, Iterator, Sequence

from stovepipe_cli.audit import numbers
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.dossier import FIRST_ENTRY
from stovepipe_cli.audit.requests_pass import RequestsPass
from stovepipe_cli.audit.walk import walk
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow

_IDS_AT_ONCE = 500


def is_small(case: Case) -> bool:
    """Whether asking for the scope's requests one by one beats a walk over all of them."""
    scope = case.scope
    if scope.ids is not None:
        return True
    if scope.lowest is None:
        return False
    highest = _highest(case)
    return highest is None or highest - scope.lowest < numbers.MOST_TRIED


def judge_by_id(case: Case, batches: Iterable[Sequence[str]]) -> bool:
    """Judge the requests of these ids and the facts of their commits; False where the time budget ended it."""
    work = RequestsPass(case, "requests", "facts")
    for ids in batches:
        if case.deadline.is_over:
            return False

        def judge(snapshot: AuditSnapshot, ids: Sequence[str] = ids) -> tuple[int, int]:
            return work.judge_by_key(snapshot, ids)

        requests, facts = case.snapshots.read(judge)
        case.checked("requests", requests)
        if case.survey.runs("facts"):
            case.checked("facts", facts)
    return True


def ids_in_scope(case: Case) -> Iterator[list[str]]:
    """The ids that the scope's requests can have."""
    scope = case.scope
    if scope.ids is not None:
        ids = sorted(scope.ids)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            yield ids[start : start + _IDS_AT_ONCE]
        return
    highest = _highest(case)
    if highest is not None and scope.lowest is not None:
        yield from numbers.ids_between(case.queue, scope.lowest, highest)


def _highest(case: Case) -> int | None:
    if case.scope.highest is not None:
        return case.scope.highest
    return numbers.highest_number(case.snapshots, case.queue)


def find_boundary(case: Case) -> bool:
    """Make the boundary known as far as the missing-candidates need it; False where the time budget ended it.

    A first entry just below the lowest of them tells that none is legacy; else the whole log is walked, until one is.
    """
    boundary, lowest = case.boundary, case.lowest_missing
    if boundary.is_known or lowest is None:
        return True
    observed = boundary.lowest
    if observed is not None and boundary.is_first_entry and observed[0] <= lowest:
        boundary.assume(observed[0])
        return True
    below = lowest - numbers.TRIED_AT_ONCE
    if numbers.has_first_entry(case.snapshots, case.queue, below, lowest):
        boundary.assume(lowest)
        return True
    is_whole = _walk_log(case)
    boundary.settle()
    return is_whole


def _walk_log(case: Case) -> bool:
    def visit(snapshot: AuditSnapshot, _after: Key | None, page: AuditPage[RequestLogRow]) -> int:
        rows: dict[str, list[RequestLogRow]] = {}
        for row in page.rows:
            if row.log_id == FIRST_ENTRY or row.request_id not in rows:
                rows.setdefault(row.request_id, []).append(row)
        for request in snapshot.multi_get(RequestRow, [(request_id,) for request_id in rows]):
            case.boundary.observe(request.id, rows[request.id])
        return len(page.rows)

    return walk(case.snapshots, RequestLogRow, visit, case.deadline)
