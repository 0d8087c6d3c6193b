"""Connecting by a driver written in C, which lets no signal in before it has its answer."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from stovepipe_cli.storage.sql.session import DriverConnection


def connect_interruptibly(connect: Callable[[], DriverConnection]) -> DriverConnection:
    """The connection that `connect` makes; a signal whose handler raises ends the wait for it at once.

    Errors of `connect` pass. A connection that comes after the wait was ended is closed by whoever made it.
    """
    if threading.current_thread() is not threading.main_thread():
        # No signal is handled here.
        return connect()
    # Rejected: to look with a socket of Python's whether the server speaks at all, before the driver connects. Servers
    # count each such look as a failed connection of this host, and shut a host out that has made too many.
    outcome: Future[DriverConnection] = Future()
    # A daemon, since the end of the process must not wait for it either.
    asking = threading.Thread(target=_settle, args=(outcome, connect), name="connect", daemon=True)
    try:
        # A signal may also come while this returns.
        asking.start()
        return outcome.result()
    except BaseException:
        outcome.add_done_callback(_close)
        raise
    finally:
        # An error holds this frame, which must not hold the error.
        del outcome


def _settle(outcome: Future[DriverConnection], connect: Callable[[], DriverConnection]) -> None:
    try:
        outcome.set_result(connect())
    except BaseException as error:  # noqa: BLE001 - raised again where the outcome is waited for
        outcome.set_exception(error)


def _close(outcome: Future[DriverConnection]) -> None:
    if outcome.exception() is None:
        outcome.result().close()
