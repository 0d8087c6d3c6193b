"""The queue's own rows, read together with the requests that have not ended: once, and again after the wait."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.numbers import spellings
from stovepipe_cli.audit.rules.queue import QueueView, judge_queue, missing_in
from stovepipe_cli.request_id import parse_request_id
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import (
    Key,
    QueueLogRow,
    QueueRow,
    QueueSummaryRow,
    RequestRow,
    ValidationFactRow,
)

# Requests that came since the walk, of each form.
MOST_LATE = 2_000
_PAGE = 5_000


def run_queue(case: Case) -> bool:
    """Q601 to Q606; they are about the whole queue, so a narrowed scope leaves them out."""
    # What the walk over requests did not see cannot be compared with.
    if case.deadline.is_over:
        return False

    def read(snapshot: AuditSnapshot) -> list[Candidate]:
        return queue_candidates(case, snapshot)

    case.add(case.snapshots.read(read))
    case.checked("queue", 1)
    return True


def queue_candidates(case: Case, snapshot: AuditSnapshot) -> list[Candidate]:
    """What the queue's rows look like now, as far as the rules that are checked can tell."""
    return [each for each in judge_queue(_view(case, snapshot)) if each.code in case.survey.checked]


def _view(case: Case, snapshot: AuditSnapshot) -> QueueView:
    survey, tally = case.survey, case.tally
    row = next(iter(snapshot.page(QueueRow, limit=1).rows), None) if survey.has("queue") else None
    late = _late(case, snapshot, row)
    highest_id = tally.highest_id or next(iter(late), "") or _any_request(case, snapshot)
    latest = "" if row is None else row.latest_request_id
    occurrences = _occurrences(snapshot) if survey.checks("Q605") else ()
    green_uri = "" if row is None else row.last_green_uri
    facts = snapshot.multi_get(ValidationFactRow, [(green_uri, "")]) if survey.checks("Q603") and green_uri else ()
    return QueueView(
        at_ms=snapshot.now_ms(),
        row=row,
        highest_id=highest_id,
        is_latest_there=_is_latest_there(case, snapshot, latest),
        in_flight=_in_flight(case, snapshot, late),
        path_ids=tally.path_ids,
        decimal_ids=tally.decimal_ids,
        green_fact=next(iter(facts), None),
        summary=next(iter(snapshot.page(QueueSummaryRow, limit=1).rows), None) if survey.checks("Q605") else None,
        newest=max(occurrences, key=lambda each: each.sequence, default=None),
        missing_sequences=missing_in([each.sequence for each in occurrences]),
    )


def _late(case: Case, snapshot: AuditSnapshot, row: QueueRow | None) -> list[str]:
    """Requests beyond the walk's highest number, up to what the queue row calls the latest."""
    latest = parse_request_id(case.queue, row.latest_request_id) if row is not None else None
    if latest is None or not case.survey.has("request"):
        return []
    first = case.tally.highest_number + 1
    ids = spellings(case.queue, range(first, min(latest.number, first + MOST_LATE) + 1))
    return [request.id for request in snapshot.multi_get(RequestRow, [(each,) for each in ids])]


def _any_request(case: Case, snapshot: AuditSnapshot) -> str:
    if not case.survey.has("request"):
        return ""
    return next((row.id for row in snapshot.page(RequestRow, limit=1).rows), "")


def _is_latest_there(case: Case, snapshot: AuditSnapshot, latest: str) -> bool:
    parsed = parse_request_id(case.queue, latest)
    if parsed is None or parsed.number < case.tally.highest_number:
        return False
    return bool(snapshot.multi_get(RequestRow, [(latest,)]))


def _in_flight(case: Case, snapshot: AuditSnapshot, late: Sequence[str]) -> int | None:
    if not case.survey.checks("Q604") or not case.tally.is_unfinished_whole:
        return None
    keys: list[Key] = [(each,) for each in {*case.tally.unfinished, *late}]
    return sum(row.state == "processing" for row in snapshot.multi_get(RequestRow, keys))


def _occurrences(snapshot: AuditSnapshot) -> tuple[QueueLogRow, ...]:
    found: list[QueueLogRow] = []
    after: Key | None = None
    while True:
        page = snapshot.page(QueueLogRow, after=after, limit=_PAGE)
        found += page.rows
        if page.next_after is None:
            return tuple(found)
        after = page.next_after
