"""Everything outside the program that a command may touch, passed in so that it can be another in a test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from stovepipe_cli.clock import Clock

# Where nobody knows how high the terminal is.
USUAL_HEIGHT = 24


def _nothing_noted() -> int | None:
    return None


def _nobody_asks(_status: Callable[[], str]) -> None:
    """Where no signal can arrive."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`ask` shows a question on stderr and returns the answer; `width` and `height` are the terminal's in cells.

    `on_status` takes the function that says how far the command is, for whoever asks by a signal. `noted` gives the
    number of the signal by which a stop was asked for elsewhere than at this process, None for none. `program` runs the
    program with other words in a copy of this process; None where the process is not its own.
    """

    environ: Mapping[str, str]
    home: Path
    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    clock: Clock
    width: Callable[[], int]
    ask: Callable[[str], str]
    on_status: Callable[[Callable[[], str]], None] = _nobody_asks
    height: Callable[[], int] = lambda: USUAL_HEIGHT
    noted: Callable[[], int | None] = _nothing_noted
    program: Callable[[Sequence[str]], int] | None = None

    @property
    def answers_on_terminal(self) -> bool:
        """Whether the answer goes to a terminal."""
        return _is_terminal(self.stdout)

    @property
    def errors_on_terminal(self) -> bool:
        """Whether stderr is a terminal."""
        return _is_terminal(self.stderr)

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        return _is_terminal(self.stdin) and _is_terminal(self.stderr)

    def read_input(self) -> bytes:
        """Everything on stdin."""
        raw = getattr(self.stdin, "buffer", None)
        return self.stdin.read().encode("utf-8", "surrogateescape") if raw is None else bytes(raw.read())


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        # A stream that was closed before the start raises instead of answering.
        return False
