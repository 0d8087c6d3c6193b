"""`stovepipe facts`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "list",
    example="stovepipe facts list -q monorepo/main --uri git://remote/monorepo/main/4f2a",
    exits="0 listed, none included; 2 bad limit or no degree table; 7 the cursor is not of this listing",
)
def list_facts(
    session: Session,
    uri: Annotated[str, typer.Option("--uri", metavar="URI", help="The commit.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most facts of one page, 1 to 1000.")] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on behind the page that gave this.")
    ] = None,
) -> object:
    """List a commit's project facts, worst first, each compared with the mapping that it stands under."""
    from stovepipe_cli.look.facts import list_facts as page

    storage = session.storage()
    report = page(storage, uri, session.clock, limit=limit, cursor=cursor)
    if not report.items:
        session.warn_without_rows(storage)
    return report
