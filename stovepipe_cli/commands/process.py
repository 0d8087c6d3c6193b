"""The process around an invocation: its streams, its signals, and how it ends when its reader has gone."""

import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.commands.surroundings import USUAL_HEIGHT, Surroundings

_STANDARD_DESCRIPTORS = 3


class Terminated(BaseException):
    """SIGTERM arrived."""


class _ClosedStdout(io.StringIO):
    """Stdout that was closed before the start: an answer learns that nobody reads it."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


def process_surroundings() -> Surroundings:
    """What surrounds this very process.

    Messages to a stderr that was closed before the start are lost, as they have to be.
    """
    _occupy_standard_descriptors()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return Surroundings(
        environ=os.environ,
        home=Path(os.path.expanduser("~")),  # noqa: PTH111 - Path.home raises where there is no home
        stdin=sys.stdin or io.StringIO(),
        stdout=sys.stdout or _ClosedStdout(),
        stderr=sys.stderr or io.StringIO(),
        clock=SystemClock(),
        width=lambda: shutil.get_terminal_size((80, USUAL_HEIGHT)).columns,
        height=lambda: shutil.get_terminal_size((80, USUAL_HEIGHT)).lines,
        ask=_ask,
        on_status=_answer_status_requests,
    )


def catch_signals() -> None:
    """Turn SIGTERM into an exception as SIGINT is one; a second signal of either kind ends the process at once."""
    signal.signal(signal.SIGTERM, _on_signal)
    # Until a command can say how far it is; unhandled, it would end the process.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    # Who started this may have chosen to ignore SIGINT, as nohup and a shell's background jobs do.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_signal)


@contextmanager
def signals_noted() -> Iterator[Callable[[], int | None]]:
    """Meanwhile SIGINT and SIGTERM are only noted, for work that must not end between a write and its record.

    The function handed out gives the signal's number, None for none. A second signal ends the process at once. Where
    signals cannot be caught, on a thread say, none is noted.
    """
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)
        for each in handlers:
            signal.signal(each, signal.SIG_DFL)

    def latest() -> int | None:
        return noted[0] if noted else None

    if threading.current_thread() is not threading.main_thread():
        yield latest
        return
    handlers = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if callable(handler := signal.getsignal(number)) or (number, handler) == (signal.SIGTERM, signal.SIG_DFL)
    }
    for number in handlers:
        signal.signal(number, note)
    try:
        yield latest
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _answer_status_requests(status: Callable[[], str]) -> None:
    """Print one line at every SIGUSR1."""

    def answer(_number: int, _frame: FrameType | None) -> None:
        # Not through the stream: the signal may have come in the middle of a write to it.
        with suppress(OSError):
            os.write(2, (status() + "\n").encode("utf-8", "backslashreplace"))

    signal.signal(signal.SIGUSR1, answer)


def abandon_stdout() -> None:
    """Give up what is still buffered: it would fail once more when the interpreter closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _on_signal(number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is _on_signal:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated


def _occupy_standard_descriptors() -> None:
    # A database file must not be opened as descriptor 1 or 2, where a stray message would land in it.
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor < _STANDARD_DESCRIPTORS:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _ask(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        # Neither Ctrl-C nor Ctrl-D ends the line that the question stands on.
        if not answer.endswith("\n"):
            sys.stderr.write("\n")
    return answer
