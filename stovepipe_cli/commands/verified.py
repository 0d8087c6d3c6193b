"""When queues were last verified as a whole, by the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from stovepipe_cli.errors import StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.run_record import RunRecord
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.verified_queue import VerifiedQueue
    from stovepipe_cli.reports import ListReport, QueueItem, VerifyReport
    from stovepipe_cli.storage.ledger.contract import QueueLedger


def boundary_on_record(session: "Session", ledger: "QueueLedger | None") -> tuple[int, str] | None:
    """Number and id of the request at which an earlier verify saw the queue's history begin."""
    from stovepipe_cli.commands.repair_work import plan_target

    if ledger is None:
        return None
    try:
        known = ledger.verified.of(plan_target(session).identity)
    except StovepipeError as error:
        session.say(f"warning: where history began is not known: {error.message}")
        return None
    return (known.boundary_number, known.boundary) if known is not None and known.boundary else None


def note_verified(session: "Session", record: "RunRecord", queue: str, report: "VerifyReport") -> None:
    """Put a verify of the whole queue that left nothing out on record, with the boundary that it saw."""
    from stovepipe_cli.commands.repair_work import plan_target
    from stovepipe_cli.entities.verified_queue import VerifiedQueue

    if record.ledger is None or record.run_id is None or report.scope is not None or report.is_incomplete:
        return
    number, boundary = report.boundary or (0, "")
    latest = VerifiedQueue(
        queue=queue,
        target=plan_target(session).identity,
        run_id=record.run_id,
        verdict=report.verdict,
        verified_at_ms=session.clock.now_ms(),
        boundary=boundary,
        boundary_number=number,
    )
    try:
        record.ledger.verified.put(latest)
    except StovepipeError as error:
        session.say(f"warning: that the queue was verified is not on record: {error.message}")


def with_last_verified(session: "Session", queues: "ListReport[QueueItem]") -> "ListReport[QueueItem]":
    """The list, with what the ledger knows of each queue."""
    from stovepipe_cli.instants import format_instant

    if session.config.ledger.value is None:
        return queues
    verified, trouble = last_verified(session, (item.queue for item in queues.items))
    items = tuple(
        item
        if (known := verified.get(item.queue)) is None
        else replace(
            item,
            last_verified_at_ms=known.verified_at_ms,
            last_verified_at=format_instant(known.verified_at_ms),
            last_verdict=known.verdict,
        )
        for item in queues.items
    )
    notes = queues.notes if trouble is None or not items else (*queues.notes, trouble)
    return replace(queues, items=items, notes=notes)


def last_verified(session: "Session", queues: Iterable[str]) -> "tuple[Mapping[str, VerifiedQueue], str | None]":
    """What the ledger knows of each queue in the open database, and a sentence where it could not be asked."""
    from stovepipe_cli.commands.repair_work import plan_target

    found: dict[str, VerifiedQueue] = {}
    try:
        ledger = session.ledger_for_reading()
        if ledger is None:
            return {}, "there is no ledger that knows when a queue was last verified"
        target = plan_target(session).identity
        for queue in queues:
            known = ledger.for_queue(queue).verified.of(target)
            if known is not None:
                found[queue] = known
    except StovepipeError as error:
        return {}, f"when a queue was last verified is not known: {error.message}"
    return found, None
