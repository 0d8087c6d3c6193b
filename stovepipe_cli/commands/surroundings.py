"""Everything outside the program that a command may touch, passed in so that it can be another in a test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from stovepipe_cli.clock import Clock


def _nobody_asks(_status: Callable[[], str]) -> None:
    """Where no signal can arrive."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`ask` shows a question on stderr and returns the answer; `width` is that of the terminal in cells.

    `on_status` takes the function that says how far the command is, for whoever asks by a signal.
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
