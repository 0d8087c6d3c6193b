"""One worker's part in a run, as a call inside a process of a Dask cluster."""

import io
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.commands.run_place import Pacing
from stovepipe_cli.commands.surroundings import Surroundings

if TYPE_CHECKING:
    from distributed import Event

    from stovepipe_cli.commands.session import Session

# How long a process can be deaf to the end of its part while it waits for a stop.
POLL = "500ms"
_TERMINATE = 15


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is told: the run, and the options by which it finds ledger and database. It holds no password.

    `stop` is the name of the event that asks all who have the order to stop, by SIGTERM's number.
    """

    run_id: str
    flags: Mapping[str, object]
    pacing: Pacing
    stop: str


@dataclass(frozen=True, slots=True)
class PartEnded:
    """How it ended: an exit code as `stovepipe runs work` has it, the process, and a sentence where it failed."""

    code: int
    pid: int
    sentence: str = ""


def take_part(order: Order) -> PartEnded:
    """Work at the run until it is done, or a stop is asked for. Configuration comes from this process's surroundings.

    Failures that the program expects are told in the result.
    """
    from distributed import Event, get_client

    from stovepipe_cli.commands.process import Terminated
    from stovepipe_cli.commands.run_engine import join
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.errors import StovepipeError

    with (
        _stop_heard(Event(order.stop, client=get_client())) as noted,
        Session("runs work", order.flags, _surroundings(noted)) as session,
    ):
        try:
            report = join(session, order.run_id, order.pacing)
        except StovepipeError as error:
            if _is_over(session, order.run_id):
                return PartEnded(0, os.getpid())
            return PartEnded(error.exit_code, os.getpid(), error.message)
        except (KeyboardInterrupt, Terminated):
            return PartEnded(128 + _TERMINATE, os.getpid())
        return PartEnded(report.exit_code, os.getpid())


def _is_over(session: "Session", run_id: str) -> bool:
    """Whether the run ended before this process came to it, which is nobody's failure."""
    from stovepipe_cli.errors import StovepipeError

    with suppress(StovepipeError):
        ledger = session.ledger_for_reading()
        run = None if ledger is None else ledger.for_queue(session.queue).runs.find(run_id)
        return run is not None and run.is_ended
    return False


@contextmanager
def _stop_heard(event: "Event") -> Iterator[Callable[[], int | None]]:
    """Meanwhile a thread waits for the event; the function gives SIGTERM's number once it has come."""
    is_over, is_asked = threading.Event(), threading.Event()

    def listen() -> None:
        while not is_over.is_set():
            if event.wait(timeout=POLL):
                is_asked.set()
                return

    thread = threading.Thread(target=listen, name="stop", daemon=True)
    thread.start()
    try:
        yield lambda: _TERMINATE if is_asked.is_set() else None
    finally:
        is_over.set()


def _surroundings(noted: Callable[[], int | None]) -> Surroundings:
    from stovepipe_cli.clock import SystemClock

    return Surroundings(
        environ=os.environ,
        home=Path(os.path.expanduser("~")),  # noqa: PTH111 - Path.home raises where there is no home
        stdin=io.StringIO(),
        stdout=io.StringIO(),
        stderr=io.StringIO(),
        clock=SystemClock(),
        width=lambda: 80,
        ask=lambda _question: "",
        noted=noted,
    )
