"""What `history show` does with its options: reads or loads a history, arranges it, and sees to its way out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from stovepipe_cli.errors import InvalidInput

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import HistoryReport

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a history is to be shown: `every` entry by itself, the last `tail` alone, through a pager where `pages`."""

    reverse: bool = False
    detail: bool = False
    follow: bool = False
    tail: int | None = None
    every: bool = False
    pages: bool = True


def show_history(session: "Session", request: str | None, uri: str | None, wishes: Wishes) -> "HistoryReport":
    """The history of the request that goes by that name; with `follow` it never returns."""
    from stovepipe_cli.history.reference import resolve_request, resolve_uri
    from stovepipe_cli.history.viewer import Arrangement, view_history

    if wishes.follow:
        from stovepipe_cli.commands.history_follow import require_followable

        require_followable(session, is_reversed=wishes.reverse)
    storage = session.storage()
    # A followed history is compared entry by entry, so all of it is needed.
    is_folded = not wishes.follow and not wishes.every and not wishes.detail and _is_for_people(session)
    tail = None if wishes.follow else wishes.tail
    arrangement = Arrangement(is_folded, tail, wishes.reverse and not wishes.follow)

    def resolve() -> str:
        return resolve_uri(storage, uri) if uri is not None else resolve_request(storage, request or "")

    def tell(entries: int) -> None:
        # A followed history is drawn where the line would stand.
        if not wishes.follow:
            session.progress(f"reading the history: {entries:,} entries")

    def look(request_id: str) -> "HistoryReport":
        report = view_history(
            storage,
            request_id,
            clock_skew_ms=session.config.clock_skew_ms.value,
            history_since=session.config.history_since.value,
            arrangement=arrangement,
            progress=tell,
        )
        return replace(report, may_fold=not wishes.every, is_detailed=wishes.detail)

    if wishes.follow:
        from stovepipe_cli.commands.history_follow import follow

        request_id = session.suggest_queue(resolve)
        follow(
            session, lambda: session.suggest_queue(lambda: look(request_id)), lambda report: _arranged(report, wishes)
        )
    report = session.suggest_queue(lambda: look(resolve()))
    _page(session, wishes)
    return report


def show_stored(session: "Session", name: str, wishes: Wishes) -> "HistoryReport":
    """The history in a file; no database is opened."""
    from stovepipe_cli.history.document import read_document

    stored = read_document(_read(session, name), name)
    if stored.queue is not None:
        session.configure(queue=stored.queue)
    _page(session, wishes)
    report = _arranged(stored.report, wishes)
    return replace(report, may_fold=not wishes.every, is_detailed=wishes.detail)


def _arranged(report: "HistoryReport", wishes: Wishes) -> "HistoryReport":
    from stovepipe_cli.history.arrangement import keep_last, reverse

    if wishes.tail is not None:
        report = keep_last(report, wishes.tail)
    return reverse(report) if wishes.reverse else report


def _is_for_people(session: "Session") -> bool:
    context = session.render_context()
    return context.is_terminal and context.output == "table" and not context.columns


def _page(session: "Session", wishes: Wishes) -> None:
    """From now on stdout leads through a pager, where one is wanted."""
    surroundings = session.surroundings
    if not wishes.pages or not _is_for_people(session):
        return
    from stovepipe_cli.commands.pager import PagedOutput, pager_command

    command = pager_command(surroundings.environ)
    if command is None:
        return
    paged = PagedOutput(
        surroundings.stdout,
        command,
        height=surroundings.height,
        environ=surroundings.environ,
    )
    session.surroundings = replace(surroundings, stdout=cast("TextIO", session.keep(paged)))


def _read(session: "Session", name: str) -> bytes:
    from stovepipe_cli.reports.strict_json import MAX_BYTES

    if name == STDIN:
        return session.surroundings.read_input()
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file goes by that name"
        raise InvalidInput(f"'{name}' cannot be read: {reason}", hint="check the path of the answer") from error
