"""A program on a terminal of its own, and what that terminal shows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

DEADLINE_SECONDS = 30.0
_CHUNK = 65536
_SIGNS = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


@dataclass
class Screen:
    """Rows of text as a terminal draws them, as far as the program's own escapes go."""

    rows: list[str] = field(default_factory=lambda: [""])
    row: int = 0
    column: int = 0

    def feed(self, text: str) -> None:
        """Draw."""
        for sign in _SIGNS.finditer(text):
            if sign[2]:
                self._escape(sign[1], sign[2])
            elif sign[0] == "\r":
                self.column = 0
            elif sign[0] == "\n":
                self.row += 1
                self.rows += [""] * (self.row + 1 - len(self.rows))
            else:
                line = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = line[: self.column] + sign[0] + line[self.column + len(sign[0]) :]
                self.column += len(sign[0])

    def _escape(self, number: str, letter: str) -> None:
        if letter == "F":
            self.row, self.column = max(self.row - int(number or 1), 0), 0
        elif letter == "K":
            self.rows[self.row] = self.rows[self.row][: self.column]
        elif letter == "J":
            self.rows[self.row] = self.rows[self.row][: self.column]
            del self.rows[self.row + 1 :]
        elif letter != "m":
            message = f"the screen knows no escape {letter}"
            raise AssertionError(message)


class PseudoTerminal:
    """Runs a command on a terminal of that size, stdin and stderr included; ends it at the latest when it is left."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], directory: Path, *, columns: int = 80, lines: int = 40
    ) -> None:
        self._master, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**environ},
            cwd=directory,
            start_new_session=True,
            preexec_fn=_take_the_terminal,  # noqa: PLW1509 - no threads here
        )
        os.close(follower)
        self.written = ""
        self.screen = Screen()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def see(self, *texts: str) -> str:
        """Read until the screen shows each of these at once; what it shows then."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not all(text in self.shown for text in texts):
            assert time.monotonic() < deadline, f"not seen in time: {texts}; the screen shows:\n{self.shown}"
            if not self._read(0.5) and self.process.poll() is not None:
                message = f"the program ended without {texts}; the screen shows:\n{self.shown}"
                raise AssertionError(message)
        return self.shown

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code, of a signal its negative number."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"the program goes on; the screen shows:\n{self.shown}"
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.returncode

    @property
    def shown(self) -> str:
        """The text on the screen, colours left out."""
        return "\n".join(row.rstrip() for row in self.screen.rows)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            text = os.read(self._master, _CHUNK).decode("utf-8", "replace")
        except OSError:
            # The other side of the terminal is closed.
            return False
        self.written += text
        self.screen.feed(text)
        return bool(text)


def _take_the_terminal() -> None:
    """Make stdin the terminal whose keys are signals, and SIGINT one that is not ignored."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
