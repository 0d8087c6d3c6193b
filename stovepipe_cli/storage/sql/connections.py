"""A small pool of connections that forgets all idle ones once one of them turns out to be dead."""

import contextlib
import os
import threading
from collections.abc import Callable

from stovepipe_cli.storage.sql.session import DriverConnection, Session
from stovepipe_cli.storage.sql.traffic import Traffic

MOST_IDLE = 4


class Connections:
    """Idle connections, newest first, and a count of those in use.

    A library's pool was left aside: after a failover every idle connection is dead, and redoing work is only bounded
    if the first failure drops them all.
    """

    def __init__(
        self, connect: Callable[[], DriverConnection], errors: tuple[type[Exception], ...], traffic: Traffic
    ) -> None:
        self._connect = connect
        self._errors = errors
        self._traffic = traffic
        self._lock = threading.Lock()
        self._idle: list[DriverConnection] = []
        self._inherited: list[DriverConnection] = []
        self._generation = 0
        self._in_use = 0
        self._process = os.getpid()
        self.has_connected = False

    @property
    def in_use(self) -> int:
        """How many connections are with a caller now."""
        return self._in_use

    def check_out(self) -> Session:
        """An idle connection, else a new one. Raises the driver's error where none can be made."""
        with self._lock:
            if self._process != os.getpid():
                # A forked child must neither use its parent's connections nor, by letting them go, close them politely.
                self._inherited.extend(self._idle)
                self._idle, self._in_use, self._process = [], 0, os.getpid()
            connection = self._idle.pop() if self._idle else None
            generation = self._generation
            self._in_use += 1
        try:
            if connection is None:
                since = self._traffic.started()
                connection = self._connect()
                self._traffic.connected(since)
                self.has_connected = True
        except BaseException:
            with self._lock:
                self._in_use -= 1
            raise
        return Session(connection, generation, self._traffic.tally())

    def check_in(self, session: Session) -> None:
        """Take a connection back: kept for the next caller, or closed where it is broken or no longer wanted."""
        self._traffic.add(session.tally)
        with self._lock:
            self._in_use -= 1
            keep = not session.is_broken and session.generation == self._generation and len(self._idle) < MOST_IDLE
            if keep:
                self._idle.append(session.connection)
        if not keep:
            self._close(session.connection)

    def forget_idle(self) -> None:
        """Close every idle connection, and those in use when they come back."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._generation += 1
        for connection in idle:
            self._close(connection)

    def _close(self, connection: DriverConnection) -> None:
        with contextlib.suppress(*self._errors):
            connection.close()
