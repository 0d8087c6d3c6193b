"""`stovepipe issues`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "list",
    example="stovepipe issues list -q monorepo/main --limit 20",
    exits="0 listed, none included; 2 bad limit or no issue table; 7 the cursor is not of this listing",
)
def list_issues(
    session: Session,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most issues of one page, 1 to 1000.")] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on behind the page that gave this.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them instead of one page.")] = False,
    task: Annotated[
        str | None, typer.Option("--task", metavar="PREFIX", help="Only tasks that start with this.")
    ] = None,
) -> object:
    """List the issues that are open now, in byte order of task and unit."""
    from stovepipe_cli.listing import list_open_issues

    storage = session.storage()
    report = list_open_issues(storage, limit=limit, cursor=cursor, every=every, task=task)
    if not report.items:
        session.warn_without_rows(storage)
    return report
