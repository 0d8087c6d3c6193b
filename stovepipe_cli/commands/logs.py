"""What is told on stderr beside the answer: records of the standard logging with --verbose, all as JSON where asked."""

import io
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import UsageError
from stovepipe_cli.instants import format_instant
from stovepipe_cli.render.json_output import json_line
from stovepipe_cli.render.sanitise import visible
from stovepipe_cli.reports import JsonValue

if TYPE_CHECKING:
    from stovepipe_cli.commands.invocation import Invocation
    from stovepipe_cli.render.context import ErrorView

LOG_FORMATS = ("text", "json")

# Every logger of the program is below it.
_LOGGER = "stovepipe_cli"
_WARNING = "warning: "


def require_log_format(form: object) -> None:
    """`UsageError` for a form that is none."""
    if form not in {None, *LOG_FORMATS}:
        raise UsageError(f"there is no log format '{form}'", hint=f"use {' or '.join(LOG_FORMATS)}")


class JSONLog(io.TextIOBase, TextIO):
    """A stderr on which every line is one JSON object, whoever writes it. It is no terminal, whatever is below.

    An object holds `time`, `level`, `event`, `command` and `run_id` (null where there is none), then what the event
    has to say.
    """

    def __init__(self, invocation: "Invocation") -> None:
        super().__init__()
        self._stream = invocation.surroundings.stderr
        self._clock = invocation.surroundings.clock
        self._invocation = invocation
        self._begun = ""

    def write(self, text: str) -> int:
        """Tell every line that ends as a message."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            if line:
                level = "warning" if line.startswith(_WARNING) else "info"
                self.record(level, "message", {"message": line.removeprefix(_WARNING)})
        return len(text)

    def flush(self) -> None:
        """Send on what was told."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Nobody is to be asked, and no progress is drawn."""
        return False

    def record(self, level: str, event: str, fields: Mapping[str, JsonValue]) -> None:
        """Tell of one event."""
        self._stream.write(self.line(level, event, fields))

    def line(self, level: str, event: str, fields: Mapping[str, JsonValue]) -> str:
        """One object on a line of its own."""
        head: dict[str, JsonValue] = {
            "time": format_instant(self._clock.now_ms()),
            "level": level,
            "event": event,
            "command": self._invocation.words,
            "run_id": self._invocation.run_id,
        }
        return json_line({**head, **fields}, ascii_only=True)

    def surroundings(self) -> Surroundings:
        """The invocation's surroundings with this for a stderr, also for what a signal asks for."""
        own = self._invocation.surroundings

        def on_status(status: Callable[[], str]) -> None:
            own.on_status(lambda: self.line("info", "status", {"message": status()}).rstrip("\n"))

        return replace(own, stderr=self, on_status=on_status)

    def record_failure(self, error: "ErrorView", exit_code: int) -> None:
        """What the program ended with."""
        fields: dict[str, JsonValue] = {"code": error.code, "message": error.message, "hint": error.hint}
        self.record("error", "failed", {**fields, "exit_code": exit_code})


class _TextLog:
    """Records as lines of `time level event name=value …`, made visible."""

    def __init__(self, invocation: "Invocation") -> None:
        self._stream = invocation.surroundings.stderr
        self._clock = invocation.surroundings.clock
        self._invocation = invocation

    def record(self, level: str, event: str, fields: Mapping[str, JsonValue]) -> None:
        known = {"run_id": self._invocation.run_id, **fields}
        parts = [f"{name}={_value(value)}" for name, value in known.items() if value not in (None, "")]
        line = " ".join([format_instant(self._clock.now_ms()), level, event.replace(" ", "-"), *parts])
        self._stream.write(f"{visible(line)}\n")


class _Handler(logging.Handler):
    """Passes records on, and lets no progress line stand in their way."""

    def __init__(self, log: JSONLog | _TextLog, invocation: "Invocation") -> None:
        super().__init__(logging.DEBUG)
        self._log = log
        self._invocation = invocation

    def emit(self, record: logging.LogRecord) -> None:
        if self._invocation.session is not None:
            self._invocation.session.progress.end()
        self._log.record(record.levelname.lower(), record.getMessage(), getattr(record, "fields", {}))


@contextmanager
def told(invocation: "Invocation") -> Iterator[None]:
    """Meanwhile records of the program's loggers go to the invocation's stderr, all of them with --verbose, else none.

    Where stderr takes JSON lines, what others print on the process's own goes there too.
    """
    with redirect_stderr(invocation.surroundings.stderr):
        if not invocation.flags.get("verbose"):
            yield
            return
        logger = logging.getLogger(_LOGGER)
        handler, level = _Handler(invocation.log or _TextLog(invocation), invocation), logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)


def _value(value: JsonValue) -> str:
    text = str(value)
    return text if text and not set(text) & set(" =\"'") else json_line(text, ascii_only=False).strip()
