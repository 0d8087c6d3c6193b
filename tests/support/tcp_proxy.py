"""A way to a server that breaks on purpose, at a statement that the test names."""

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

HOST = "127.0.0.1"
CHUNK = 65_536
# A request's packet: three bytes of length, its number in the exchange, and what is asked for; 3 is a statement.
HEADER, QUERY = 4, b"\x03"


@dataclass(slots=True)
class Cut:
    """`left` counts down to the statement that is meant."""

    marker: bytes
    where: Literal["before", "behind", "held"]
    then: Callable[[], object]
    left: int


@dataclass(slots=True)
class Link:
    """One client's connection; `is_held` while the client must not yet know that it has ended."""

    client: socket.socket
    server: socket.socket
    withheld: Cut | None = None
    is_held: bool = False


class TcpProxy:
    """Forwards to a local port. A planned cut ends the connection at the next (or nth) statement that holds some bytes.

    The server never hears of a statement that is cut `before` it; one that is cut `behind` it was answered, and its
    answer is thrown away.
    """

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listener = socket.create_server((HOST, 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._plan: list[Cut] = []
        self._links: list[Link] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self.cuts = 0
        self.statements: list[bytes] = []
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def cut_before(self, marker: bytes, then: Callable[[], object] = lambda: None, *, nth: int = 1) -> None:
        """End the connection instead of passing on the next statement with `marker`.

        `then` runs when the server has been told and the client has not.
        """
        self._plan.append(Cut(marker, "before", then, nth))

    def cut_behind(self, marker: bytes, then: Callable[[], object] = lambda: None, *, nth: int = 1) -> None:
        """Pass on the next statement with `marker`, and end the connection instead of passing on its answer.

        `then` runs when the server has answered.
        """
        self._plan.append(Cut(marker, "behind", then, nth))

    def hold(self, marker: bytes, then: Callable[[], object], *, nth: int = 1) -> None:
        """Pass on the next statement with `marker` once `then` has run; the connection stays."""
        self._plan.append(Cut(marker, "held", then, nth))

    def close(self) -> None:
        """End every connection and every thread."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for link in self._links:
            hang_up(link.client, link.server)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            link = Link(client, socket.create_connection((HOST, self._server_port)))
            self._links.append(link)
            for pass_on in (self._pass_requests, self._pass_answers):
                thread = threading.Thread(target=pass_on, args=(link,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _pass_requests(self, link: Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.client.recv(CHUNK):
                cut = self._planned(data)
                if cut is not None and cut.where == "held":
                    cut.then()
                    cut = None
                if cut is not None and cut.where == "before":
                    # The server first, so that it has rolled back what `then` may wait for.
                    link.is_held = True
                    hang_up(link.server)
                    cut.then()
                    break
                link.withheld = cut
                link.server.sendall(data)
        if link.withheld is None:
            hang_up(link.client, link.server)

    def _pass_answers(self, link: Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.server.recv(CHUNK):
                if link.withheld is not None:
                    link.withheld.then()
                    break
                link.client.sendall(data)
        if not link.is_held:
            hang_up(link.client, link.server)

    def _planned(self, data: bytes) -> Cut | None:
        with self._lock:
            if data[HEADER : HEADER + 1] != QUERY:
                return None
            self.statements.append(data[HEADER + 1 :])
            for cut in self._plan:
                if cut.marker in data:
                    cut.left -= 1
                    if not cut.left:
                        self._plan.remove(cut)
                        self.cuts += 1
                        return cut
            return None


def hang_up(*sockets: socket.socket) -> None:
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
