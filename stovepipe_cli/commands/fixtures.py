"""`stovepipe fixtures`."""

from pathlib import Path
from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "load",
    example="stovepipe fixtures load scenario.yaml",
    exits="0 loaded, or all there already; 2 the file is not a scenario; 7 the queue holds other rows",
    may_create=True,
)
def load(
    session: Session,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario, or the name of a bundled one.")],
    into_existing: Annotated[
        bool, typer.Option("--into-existing", help="Load into a queue that holds other rows.")
    ] = False,
) -> object:
    """Load a scenario into its queue: all of it or nothing. Loading it again changes nothing."""
    from stovepipe_cli.commands.fixture_work import load_file

    return load_file(session, file, into_existing=into_existing)
