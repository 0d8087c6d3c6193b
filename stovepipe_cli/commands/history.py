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
    exits="0 shown, gaps and an empty history included; 2 the reference fits several; 5 nothing goes by that name; "
    "6 the database stayed away; 130 and 143 a signal ended --follow; 141 its reader has gone",
)
def show(
    session: Session,
    request: Annotated[
        str | None,
        typer.Argument(
            metavar="REQUEST",
            help="A request id, its bare number, @latest, @last-green, or the beginning of a commit.",
            show_default=False,
        ),
    ] = None,
    uri: Annotated[
        str | None, typer.Option("--uri", metavar="URI", help="The commit URI of the request instead.")
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="Newest first.")] = False,
    detail: Annotated[bool, typer.Option("--detail", help="On a terminal too: all metadata, whole times.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Stay, and show what comes, late entries too.")
    ] = False,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="The last N entries alone; gaps are shown all the same.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every entry by itself, also where many are alike.")] = False,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from-file", metavar="FILE", help="An earlier answer of '-o json' instead of a database; - is stdin."
        ),
    ] = None,
    no_pager: Annotated[bool, typer.Option("--no-pager", help="Never through a pager [env: PAGER].")] = False,
    since: Annotated[
        str | None,
        typer.Option(
            "--history-since", metavar="REQUEST", help="First request that has a history; older ones miss nothing."
        ),
    ] = None,
) -> object:
    """Show one request's history, with what is missing or contradictory marked in place."""
    from stovepipe_cli.commands.history_work import Wishes, show_history, show_stored

    if tail is not None and tail < 1:
        raise UsageError(f"--tail {tail} shows nothing", hint="use 1 or more")
    wishes = Wishes(reverse=reverse, detail=detail, follow=follow, tail=tail, every=every, pages=not no_pager)
    if from_file is not None:
        if follow or request is not None or uri is not None or since is not None:
            raise UsageError(
                "a file holds one history, and nothing is added to it",
                hint="leave out REQUEST, --uri, --history-since and --follow, or leave out --from-file",
            )
        return show_stored(session, from_file, wishes)
    if (request is None) == (uri is None):
        raise UsageError("name one request: by REQUEST or by --uri", hint="stovepipe history show REQUEST")
    session.configure(history_since=since)
    return show_history(session, request, uri, wishes)
