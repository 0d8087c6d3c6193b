"""Progress for whoever waits: a line redrawn in place on a terminal, a plain line a minute where asked, or neither."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from stovepipe_cli.clock import Clock

_REDRAW_SECONDS = 0.2
_PLAIN_SECONDS = 60.0
_CLEAR = "\r\x1b[K"


@dataclass(slots=True)
class ProgressLine:
    """Call it with a sentence as often as there is news; `end` removes the line. No stream, no line.

    `latest` is the sentence of the last call, shown or not. Plain lines stay, and hold nothing but text.
    """

    stream: TextIO | None
    clock: Clock
    width: Callable[[], int]
    is_plain: bool = False
    latest: str = ""
    _drawn_at: float | None = None
    _is_drawn: bool = False

    def __call__(self, text: str) -> None:
        """Show the sentence, unless one was shown a moment ago."""
        self.latest = text
        if self.stream is None:
            return
        now = self.clock.monotonic()
        if self.is_plain:
            self._say_plainly(self.stream, text, now)
            return
        if self._is_drawn and self._drawn_at is not None and now - self._drawn_at < _REDRAW_SECONDS:
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

    def _say_plainly(self, stream: TextIO, text: str, now: float) -> None:
        if self._drawn_at is None:
            # What is done within a minute needs no line.
            self._drawn_at = now
        elif now - self._drawn_at >= _PLAIN_SECONDS:
            stream.write(f"{text}\n")
            stream.flush()
            self._drawn_at = now
