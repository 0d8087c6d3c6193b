"""The root: shared options are taken down for the command that follows; alone it prints a few lines, or the version."""

from typing import Annotated

import typer

from stovepipe_cli.commands import options
from stovepipe_cli.commands.invocation import Invocation
from stovepipe_cli.errors import UsageError

BRIEF = """\
stovepipe looks into, checks and mends the request history of a Stovepipe queue.

  stovepipe demo                              see the main job done on a throw-away database
  stovepipe queues list                       which queues there are
  stovepipe history show -q QUEUE REQUEST     one request's history, with what is missing
  stovepipe issues list -q QUEUE              issues that are open now
  stovepipe verify -q QUEUE                   where history and request rows disagree
  stovepipe repair plan -q QUEUE              what can be mended, and by which evidence

All commands: stovepipe --help
"""


def root(
    ctx: typer.Context,
    queue: options.Queue = None,
    profile: options.ProfileName = None,
    database_url: options.DatabaseURL = None,
    read_url: options.ReadURL = None,
    defaults_file: options.DefaultsFile = None,
    ledger_url: options.LedgerURL = None,
    output: options.Output = None,
    output_file: options.OutputFile = None,
    columns: options.Columns = None,
    no_headers: options.NoHeaders = False,
    tz: options.TimeZone = None,
    color: options.Colour = None,
    no_progress: options.NoProgress = False,
    progress: options.ProgressKind = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    log_format: options.LogFormat = None,
    yes: options.Yes = False,
    no_input: options.NoInput = False,
    use_service_dsn: options.ServiceDSN = False,
    connect_timeout: options.ConnectTimeout = None,
    statement_timeout: options.StatementTimeout = None,
    throttle_timeout: options.ThrottleTimeout = None,
    run_time: options.RunTime = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.")] = False,
) -> None:
    """Take down the shared options; without a command, print what there is to do."""
    invocation: Invocation = ctx.obj
    given = {**ctx.params}
    given.pop("version", None)
    invocation.flags.update({name: value for name, value in given.items() if value is not None and value is not False})
    if version:
        from stovepipe_cli import __version__

        invocation.surroundings.stdout.write(f"stovepipe {__version__}\n")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        if invocation.flags.get("output") in {"json", "ndjson"}:
            raise UsageError("missing command", hint="see: stovepipe --help")
        invocation.surroundings.stdout.write(BRIEF)
        raise typer.Exit
