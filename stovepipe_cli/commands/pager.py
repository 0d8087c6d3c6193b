"""An answer through a pager: only on a terminal, and only where it is longer than the screen."""

import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Self, TextIO, cast

_OFF = ("", "cat")
# Go through what fits at once, keep colours, leave the text on the screen: only where the user has not decided.
_LESS = "FRX"
# What a shell says of a command that it cannot find or run.
_NO_SUCH_PROGRAM = (126, 127)


def pager_command(environ: Mapping[str, str]) -> str | None:
    """The pager that the user wants, as a shell's command line; None for none."""
    for name in ("STOVEPIPE_PAGER", "PAGER"):
        if name in environ:
            wanted = environ[name].strip()
            return None if wanted in _OFF else wanted
    if environ.get("TERM") == "dumb":
        return None
    return "less" if shutil.which("less", path=environ.get("PATH", "")) else None


class PagedOutput:
    """Stands for stdout while an answer is written, and is a context manager around it.

    What is written is held back until it is longer than the screen, and then all of it goes to the pager; a shorter
    answer goes out at the first flush. Each flush ends an answer, and waits until its pager has been left. Where the
    pager cannot be run the answer goes to the terminal as if there were none.
    """

    def __init__(
        self,
        stdout: TextIO,
        command: str,
        *,
        height: Callable[[], int],
        environ: Mapping[str, str],
    ) -> None:
        self._stdout, self._command, self._environ = stdout, command, environ
        self._height = height
        self._held: list[str] = []
        self._sent: list[str] = []
        self._rows = 0
        self._pager: subprocess.Popen[bytes] | None = None
        self._is_left = False

    @property
    def encoding(self) -> str | None:
        """That of the stream behind it."""
        return getattr(self._stdout, "encoding", None)

    def isatty(self) -> bool:
        """Whether the stream behind it is a terminal."""
        return self._stdout.isatty()

    def write(self, text: str) -> int:
        """Take a piece of the answer; what comes after the pager was left is nobody's loss."""
        if self._pager is not None:
            self._send(text)
            return len(text)
        self._held.append(text)
        # Answers for a terminal are never wider than it is. The last row is the prompt's.
        self._rows += text.count("\n")
        if self._rows >= self._height():
            self._start()
        return len(text)

    def flush(self) -> None:
        """The answer is whole."""
        if self._pager is None:
            held, self._held, self._rows = "".join(self._held), [], 0
            self._stdout.write(held)
            self._stdout.flush()
            return
        self._end()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of what was not written to its end; the pager, if there is one, stays until it is left."""
        self._held.clear()
        if self._pager is not None:
            self._end()

    def _start(self) -> None:
        env = {**self._environ}
        env.setdefault("LESS", _LESS)
        env.setdefault("LV", "-c")
        self._stdout.flush()
        argv = ["/bin/sh", "-c", self._command]
        self._pager = subprocess.Popen(argv, stdin=subprocess.PIPE, env=env)  # noqa: S603 - the user's own pager
        held, self._held = "".join(self._held), []
        self._send(held)

    def _send(self, text: str) -> None:
        self._sent.append(text)
        pipe = self._pipe()
        if self._is_left or pipe is None:
            return
        try:
            pipe.write(text.encode(self.encoding or "utf-8", "backslashreplace"))
        except BrokenPipeError:
            self._is_left = True

    def _end(self) -> None:
        pager, self._pager = self._pager, None
        if pager is None:
            return
        # The keys of the terminal are the pager's: Ctrl-C stops its search, not the program around it.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pager.stdin).close()
            pager.wait()
        finally:
            signal.signal(signal.SIGINT, before)
        sent, self._sent = self._sent, []
        self._rows, self._is_left = 0, False
        if pager.returncode in _NO_SUCH_PROGRAM:
            self._stdout.writelines(sent)
            self._stdout.flush()

    def _pipe(self) -> IO[bytes] | None:
        return None if self._pager is None else self._pager.stdin
