"""A driver written in C connects; a signal does not wait for it."""

import signal
import sqlite3
import threading
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.sql.interruptible import connect_interruptibly
from stovepipe_cli.storage.sql.session import DriverConnection

PATIENCE_SECONDS = 30


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Who started the tests may have chosen to ignore SIGINT, as nohup does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class SlowServer:
    """It answers when `answer` is set; what it then hands out tells when it is closed."""

    def __init__(self) -> None:
        self.is_asked, self.answer, self.is_closed = threading.Event(), threading.Event(), threading.Event()

    def connect(self) -> sqlite3.Connection:
        self.is_asked.set()
        # As inside a library in C: no Python runs in this thread meanwhile.
        assert self.answer.wait(PATIENCE_SECONDS)
        return sqlite3.connect(":memory:", check_same_thread=False, factory=self._factory())

    def _factory(self) -> type[sqlite3.Connection]:
        tell = self.is_closed.set

        class Watched(sqlite3.Connection):
            def close(self) -> None:
                super().close()
                tell()

        return Watched


def interrupted(server: SlowServer) -> None:
    """Ask the server, and be interrupted while it does not answer."""

    def interrupt() -> None:
        assert server.is_asked.wait(PATIENCE_SECONDS)
        # Only the thread that waits is woken.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    other = threading.Thread(target=interrupt)
    other.start()
    try:
        connect_interruptibly(server.connect)
    finally:
        other.join()


def test_a_signal_ends_the_wait_for_a_server_that_does_not_answer() -> None:
    server = SlowServer()
    with pytest.raises(KeyboardInterrupt):
        interrupted(server)
    assert not server.is_closed.is_set()
    server.answer.set()


def test_a_connection_that_comes_after_a_signal_is_closed() -> None:
    server = SlowServer()
    with pytest.raises(KeyboardInterrupt):
        interrupted(server)
    server.answer.set()
    assert server.is_closed.wait(PATIENCE_SECONDS)


def test_an_error_of_the_driver_passes_as_it_is() -> None:
    refused = sqlite3.OperationalError(2003, "no")

    def refuse() -> sqlite3.Connection:
        raise refused

    with pytest.raises(sqlite3.OperationalError) as caught:
        connect_interruptibly(refuse)
    assert caught.value is refused


@pytest.mark.parametrize("on_main_thread", [True, False])
def test_the_connection_is_handed_out_open(*, on_main_thread: bool) -> None:
    server, found = SlowServer(), list[DriverConnection]()
    server.answer.set()

    def work() -> None:
        found.append(connect_interruptibly(server.connect))

    if on_main_thread:
        work()
    else:
        other = threading.Thread(target=work)
        other.start()
        other.join()
    assert (len(found), server.is_closed.is_set()) == (1, False)
    found[0].close()
