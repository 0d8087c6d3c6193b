"""Compares where history begins with where an earlier verify of the whole queue saw it begin."""

from collections.abc import Iterator
from functools import partial

from stovepipe_cli.audit.boundary import Place
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.confirm import Judged
from stovepipe_cli.audit.dossier import FIRST_ENTRY
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.reports import Finding, Read, Subject
from stovepipe_cli.reports.finding import finding_id
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow

CODE = "H118"


def seen_boundary(case: Case) -> Place | None:
    """Where a look at the whole queue saw history begin by a first entry; None where it was told, or not seen."""
    boundary = case.boundary
    is_seen = boundary.is_exact and boundary.is_first_entry and not boundary.is_given
    return boundary.lowest if is_seen and _is_whole(case) else None


def moved_boundary(case: Case) -> Iterator[Judged]:
    """The finding where it begins higher now, seen twice. Comes after all others, which count the requests it lost."""
    recorded, lowest = case.options.recorded_boundary, case.boundary.lowest
    if recorded is None or CODE not in case.survey.checked or not _is_whole(case):
        return
    if case.boundary.is_given or not (case.boundary.is_exact or case.boundary.is_missing):
        return
    if lowest is not None and lowest[0] <= recorded[0]:
        return
    found = None if lowest is None else lowest[1]
    ids = tuple(dict.fromkeys((recorded[1], case.lowest_lost or recorded[1])))
    reads: list[Read] = []
    for look in range(2 if case.options.settle_ms else 1):
        if look:
            case.clock.sleep(case.options.settle_ms / 1000)
        at_ms = case.snapshots.read(partial(_lost_at, ids))
        if at_ms is None:
            return
        reads.append(Read(at_ms, found))
    yield Judged(_finding(case, recorded, found, tuple(reads)), is_pending=False)


def _lost_at(ids: tuple[str, ...], snapshot: AuditSnapshot) -> int | None:
    """When one of the requests was there without its first entry; None where none is.

    A request that is gone itself, as after a purge of old ones, has lost nothing.
    """
    keys: list[Key] = [(request_id,) for request_id in ids]
    there = [row.id for row in snapshot.multi_get(RequestRow, keys)]
    begun = {row.request_id for row in snapshot.multi_get(RequestLogRow, [(each, FIRST_ENTRY) for each in there])}
    return snapshot.now_ms() if set(there) - begun else None


def _finding(case: Case, recorded: Place, found: str | None, reads: tuple[Read, ...]) -> Finding:
    subject = Subject("request_log", {"queue": case.queue})
    now = "no request has any history now" if found is None else f"history begins at request '{found}' now"
    return Finding(
        id=finding_id(case.queue, CODE, subject),
        code=CODE,
        name=RULES[CODE].name,
        severity=RULES[CODE].severity,
        request_id=None,
        subject=subject,
        expected=recorded[1],
        found=found,
        reads=reads,
        message=f"{now}, and an earlier verify saw it begin at '{recorded[1]}': {_loss(case.lost_requests)}",
        repair=None,
    )


def _loss(requests: int) -> str:
    if requests > 1:
        return f"{requests} requests have lost all their history since"
    return "one request has lost all its history since" if requests else "that request has lost its first entry since"


def _is_whole(case: Case) -> bool:
    requests = case.coverage.get("requests")
    is_read = requests is not None and not requests.skipped and not requests.absent
    return is_read and case.scope.words is None and case.survey.has("request", "request_log")
