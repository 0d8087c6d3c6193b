"""What holds a run back, on record, so that whoever looks at the run from elsewhere sees it too."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from stovepipe_cli.errors import StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run, RunHeader
    from stovepipe_cli.work.throttle import Pause


def note_pause(session: "Session", pause: "Pause | None") -> None:
    """Leave the reason for a pause with the session's run, None for none; of several workers the latest is told.

    A ledger that is lost is met by the work itself, which says so.
    """
    from stovepipe_cli.look.run import THROTTLE
    from stovepipe_cli.work.header import amend

    if session.run_id is None:
        return
    told = None if pause is None else _told(pause)

    def change(header: "RunHeader") -> "RunHeader":
        return replace(header, document={**header.document, THROTTLE: told})

    with suppress(StovepipeError):
        ledger = session.ledger()
        if ledger is not None:
            amend(ledger.for_queue(session.queue), session.run_id, change)


def forget_pause(session: "Session", run: "Run") -> None:
    """The run is taken up again: what held it back when it was left does not count any more."""
    from stovepipe_cli.look.run import THROTTLE

    if run.header.document.get(THROTTLE):
        note_pause(session, None)


def _told(pause: "Pause") -> dict[str, object]:
    from stovepipe_cli.instants import format_instant

    return {
        "reason": pause.name,
        "value": pause.value,
        "limit": pause.limit,
        "source": pause.source,
        "since_ms": pause.since_ms,
        "since": format_instant(pause.since_ms),
    }
