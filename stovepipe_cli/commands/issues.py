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


@command(
    group,
    "show",
    example="stovepipe issues show -q monorepo/main //app:test",
    exits="0 shown; 2 no issue table; 5 not open, and no transition on record",
)
def show_issue(
    session: Session,
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task.", show_default=False)],
    unit: Annotated[
        str, typer.Argument(metavar="[UNIT]", help="One unit of it; none is the whole task.", show_default=False)
    ] = "",
) -> object:
    """Show whether an issue is open, in which build it was first seen, and when it opened and was resolved."""
    from stovepipe_cli.look.issues import show_issue as one_issue

    storage = session.storage()
    return session.suggest_queue(lambda: one_issue(storage, task, unit))


@command(
    group,
    "observations",
    example="stovepipe issues observations -q monorepo/main build-42",
    exits="0 listed, none included; 2 bad limit or no table; 7 the cursor is not of this listing",
)
def observations(
    session: Session,
    build: Annotated[str, typer.Argument(metavar="BUILD", help="The build.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most observations of one page, 1 to 1000.")] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on behind the page that gave this.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them instead of one page.")] = False,
) -> object:
    """List what a build was seen to break. An empty list is no success of the build."""
    from stovepipe_cli.look.issues import list_observations

    storage = session.storage()
    report = list_observations(storage, build, limit=limit, cursor=cursor, every=every)
    if not report.items:
        session.warn_without_rows(storage)
    return report
