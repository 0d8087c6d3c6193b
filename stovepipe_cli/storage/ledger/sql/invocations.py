"""How an attempt gets on record."""

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import RUNNING
from stovepipe_cli.storage.ledger import refusals
from stovepipe_cli.storage.ledger.sql.run_rows import invocation_of, invocation_values
from stovepipe_cli.storage.ledger.sql.run_tables import RunTables
from stovepipe_cli.storage.ledger.sql.statements import keyed, written
from stovepipe_cli.storage.sql.database import Attempt

_IN_FLIGHT = b"IN_FLIGHT"
KEY = ("queue", "run_id", "invocation_id")


def record_invocation(attempt: Attempt, tables: RunTables, invocation: Invocation) -> None:
    """Insert it, or compare it with the row of its id, which alone is ever touched."""
    session, values = attempt.session, invocation_values(invocation)
    key = keyed(**{name: values[name] for name in KEY})
    status = tables.lock_for_status(session, values)
    rows = tables.invocations.rows(session, tables.invocations.find(), key)
    if attempt.is_uncertain and rows and invocation_values(invocation_of(rows[0])) == values:
        # Written by the try whose answer was lost, whatever has become of the run since.
        return
    if status is None:
        raise refusals.run_absent(invocation.queue, invocation.run_id)
    if status != RUNNING:
        raise refusals.run_ended(invocation.run_id, status)
    if not rows:
        session.change(tables.invocations.insert(), written(values))
        return
    found = dict(zip(values, rows[0], strict=True))
    if found["status"] == _IN_FLIGHT:
        # What is the same already can be a long document, which is written once and not twice.
        changes = {name: value for name, value in values.items() if name not in KEY and value != found[name]}
        if changes:
            session.change(tables.invocations.update(tuple(changes)), {**written(changes), **key})
        return
    known = invocation_of(rows[0])
    if invocation_values(known) != values:
        raise refusals.invocation_conflict(invocation, known.status)
