"""`history show --follow`: looks again and again until a signal, a closed pipe or a lost database ends it."""

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TextIO

from stovepipe_cli.commands.process import Terminated
from stovepipe_cli.errors import StovepipeError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.history.follow import Look
    from stovepipe_cli.render.context import RenderContext
    from stovepipe_cli.reports import HistoryReport

EVERY_SECONDS = 1.0
# A look at a very long history costs the database something: at most a tenth of the time is spent on looks.
REST_A_LOOK = 10
LONGEST_REST_SECONDS = 60.0
# How long a database that has answered before may be away, beyond the storage library's own tries.
PATIENCE_SECONDS = 30.0

INTERRUPTED, TERMINATED = 130, 143

FOLLOWING = ("following, Ctrl-C ends it",)


def require_followable(session: "Session", *, is_reversed: bool) -> None:
    """Refuse what a history that goes on cannot be: `UsageError`."""
    context = session.render_context()
    if context.output == "json":
        raise UsageError("--follow never ends, and json is one document", hint="add -o ndjson for a line an entry")
    if session.writes_file:
        raise UsageError("--follow never ends, and a file is written at once", hint="send stdout to a file instead")
    if is_reversed and not _is_redrawn(session, context):
        raise UsageError("--reverse cannot go on at its end", hint="leave out --reverse, or --follow")


def follow(
    session: "Session", look: Callable[[], "HistoryReport"], arrange: Callable[["HistoryReport"], "HistoryReport"]
) -> NoReturn:
    """Show a history, and from then on what comes; `look` gives all of it, `arrange` the part and order asked for.

    Ends by an exception alone: a signal, `BrokenPipeError` once nobody reads, `StorageUnavailable` where the database
    stays away.
    """
    from stovepipe_cli.history.follow import Follower

    follower = Follower()
    report = look()
    is_redrawn = _is_redrawn(session, session.render_context())
    output = _Screen(session, arrange) if is_redrawn else _Lines(session, arrange)
    with _told_at_the_end(session):
        while True:
            started = session.clock.monotonic()
            output.show(follower.take(report))
            report = _next_look(session, look, output, session.clock.monotonic() - started)


class _Lines:
    """What is new, line after line."""

    def __init__(self, session: "Session", arrange: Callable[["HistoryReport"], "HistoryReport"]) -> None:
        self._session, self._arrange = session, arrange
        self._has_begun = False

    def show(self, look: "Look") -> None:
        from stovepipe_cli.render.following import first_lines, further_lines

        context = self._session.render_context()
        if not self._has_begun:
            self._has_begun = True
            self._session.deliver(first_lines(self._arrange(look.news), context))
        elif look.has_news:
            self._session.deliver(further_lines(look.news, context))

    def begin_anew(self) -> None:
        """Lines stay where they are."""


class _Screen:
    """The whole history, each time over the one before."""

    def __init__(self, session: "Session", arrange: Callable[["HistoryReport"], "HistoryReport"]) -> None:
        self._session, self._arrange = session, arrange
        self._drawn: list[str] = []

    def show(self, look: "Look") -> None:
        from stovepipe_cli.render.following import frame, redrawn
        from stovepipe_cli.render.output import render_report

        context = self._session.render_context()
        report = self._arrange(look.whole)
        text = "".join(render_report(report, context))
        height = self._session.surroundings.height() - len(FOLLOWING)
        lines = [*frame(text.splitlines(), context, height, is_reversed=report.is_reversed), *FOLLOWING]
        if lines != self._drawn:
            self._session.deliver(iter([redrawn(lines, self._drawn, context.width)]))
            self._drawn = lines

    def begin_anew(self) -> None:
        """Something else was written below the last frame."""
        self._drawn = []


def _is_redrawn(session: "Session", context: "RenderContext") -> bool:
    is_text = context.output == "table" and not context.columns
    return is_text and context.is_terminal and session.surroundings.environ.get("TERM") != "dumb"


def _next_look(
    session: "Session", look: Callable[[], "HistoryReport"], output: _Lines | _Screen, looked_seconds: float
) -> "HistoryReport":
    from stovepipe_cli.storage.contract import StorageUnavailable

    pause = min(max(EVERY_SECONDS, REST_A_LOOK * looked_seconds), LONGEST_REST_SECONDS)
    lost_at: float | None = None
    while True:
        _require_reader(session.surroundings.stdout)
        session.clock.sleep(pause)
        try:
            report = look()
        except StorageUnavailable as error:
            now = session.clock.monotonic()
            if lost_at is None:
                lost_at, pause = now, EVERY_SECONDS
                session.say(f"{error.message}; trying again for {PATIENCE_SECONDS:.0f} s")
                output.begin_anew()
            if now - lost_at >= PATIENCE_SECONDS:
                raise
            pause *= 2
            continue
        if lost_at is not None:
            session.say("the database answers again")
            output.begin_anew()
        return report


@contextmanager
def _told_at_the_end(session: "Session") -> Iterator[None]:
    """Rows of ndjson end with a summary, whatever ends them: the code that the process is about to exit with."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as stop:
        is_interrupt = isinstance(stop, KeyboardInterrupt)
        word, code = ("interrupted", INTERRUPTED) if is_interrupt else ("terminated", TERMINATED)
        _close(session, (word, word, None), code, retryable=True)
        raise
    except StovepipeError as error:
        _close(session, (error.code, error.message, error.hint), error.exit_code, retryable=error.retryable)
        raise


def _close(session: "Session", told: tuple[str, str, str | None], exit_code: int, *, retryable: bool) -> None:
    from stovepipe_cli.render.context import ErrorView
    from stovepipe_cli.render.output import render_error

    context = session.render_context()
    if context.output == "ndjson":
        code, message, hint = told
        line, _ = render_error(ErrorView(code, message, hint, retryable=retryable), exit_code, context)
        session.deliver(iter([line]))


def _require_reader(stdout: TextIO) -> None:
    """Notice that a pipe's reader has gone also while there is nothing to write: `BrokenPipeError`."""
    try:
        descriptor = stdout.fileno()
    except (OSError, ValueError):
        return
    poll = select.poll()
    poll.register(descriptor, 0)
    if any(event & select.POLLERR for _, event in poll.poll(0)):
        raise BrokenPipeError
