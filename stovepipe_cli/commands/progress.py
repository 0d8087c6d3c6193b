"""One line of progress on a terminal, redrawn in place; nothing anywhere else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from stovepipe_cli.clock import Clock

_REDRAW_SECONDS = 0.2
_CLEAR = "\r\x1b[K"


@dataclass(slots=True)
class ProgressLine:
    """Call it with a sentence as often as there is news; `end` removes the line. No stream, no line."""

    stream: TextIO | None
    clock: Clock
    width: Callable[[], int]
    _drawn_at: float = 0.0
    _is_drawn: bool = False

    def __call__(self, text: str) -> None:
        """Show the sentence, unless one was shown a moment ago."""
        if self.stream is None:
            return
        now = self.clock.monotonic()
        if self._is_drawn and now - self._drawn_at < _REDRAW_SECONDS:
            return
        self.stream.write(_CLEAR + text[: max(self.width() - 1, 1)])
        self.stream.flush()
        self._drawn_at, self._is_drawn = now, True

    def end(self) -> None:
        """Leave no trace."""
        if self._is_drawn and self.stream is not None:
            self.stream.write(_CLEAR)
            self.stream.flush()
            self._is_drawn = False
