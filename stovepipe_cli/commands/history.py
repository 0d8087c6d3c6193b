"""`stovepipe history`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session
from stovepipe_cli.errors import UsageError

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "show",
    example="stovepipe history show -q monorepo/main request/monorepo/main/42",
    exits="0 shown, gaps and an empty history included; 2 the reference fits several; 5 nothing goes by that name",
)
def show(
    session: Session,
    request: Annotated[
        str | None,
        typer.Argument(
            metavar="REQUEST",
            help="A request id, its bare number, @latest, @last-green, or a commit as its URI ends in it.",
            show_default=False,
        ),
    ] = None,
    uri: Annotated[
        str | None, typer.Option("--uri", metavar="URI", help="The commit URI of the request instead.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--history-since", metavar="REQUEST", help="First request that has a history; older ones miss nothing."
        ),
    ] = None,
) -> object:
    """Show one request's history, with what is missing or contradictory marked in place."""
    from stovepipe_cli.history.reference import resolve_request, resolve_uri
    from stovepipe_cli.history.viewer import view_history

    if (request is None) == (uri is None):
        raise UsageError("name one request: by REQUEST or by --uri", hint="stovepipe history show REQUEST")
    session.configure(history_since=since)
    storage = session.storage()

    def view() -> object:
        request_id = resolve_uri(storage, uri) if uri is not None else resolve_request(storage, request or "")
        return view_history(
            storage,
            request_id,
            clock_skew_ms=session.config.clock_skew_ms.value,
            history_since=session.config.history_since.value,
        )

    return session.suggest_queue(view)
