"""`stovepipe help`."""

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(group, "exit-codes", example="stovepipe help exit-codes", exits="0 listed", reads_config=False)
def exit_codes(session: Session) -> object:
    """List the exit codes, which are the same for every command."""
    from stovepipe_cli.reports import ListReport
    from stovepipe_cli.reports.exit_codes import EXIT_CODES, ExitCode

    return ListReport(EXIT_CODES, None, ExitCode)
