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
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = None,
) -> object:
    """Load a scenario into its queue: all of it or nothing. Loading it again changes nothing."""
    from stovepipe_cli.commands.fixture_work import load_file

    return load_file(session, file, into_existing=into_existing, reason=reason)


@command(
    group,
    "check",
    example="stovepipe fixtures check scenario.yaml",
    exits="0 it would load; 2 the file is not a scenario",
    reads_config=False,
)
def check(
    session: Session,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario, or the name of a bundled one.")],
) -> object:
    """Check a scenario without a database: its form, its rows and what it expects to be found."""
    from stovepipe_cli.commands.fixture_work import check_file

    return check_file(file)


@command(
    group,
    "dump",
    example="stovepipe fixtures dump -q monorepo/main --request 204 --anonymize --out case.yaml",
    exits="0 dumped; 2 a reference fits several; 4 rows that no load takes stay comments; 5 no such request or queue; "
    "7 the file exists, or no load would take so much",
)
def dump(
    session: Session,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the scenario, for you alone.")],
    request: Annotated[
        list[str] | None,
        typer.Option("--request", metavar="REQUEST", help="Only this request, in any form; repeatable."),
    ] = None,
    anonymize: Annotated[
        bool, typer.Option("--anonymize", help="Pseudonyms for all names and texts; verify finds the same in the copy.")
    ] = False,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--anonymize-key-file",
            metavar="FILE",
            help="Secret that gives the same pseudonyms again; without one they differ from dump to dump.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file where it exists.")] = False,
) -> object:
    """Write a queue, or chosen requests of one, as a scenario that loads to the same rows.

    Of chosen requests the rows of their commits and builds come along, and the queue's own row is left out: a load
    makes one that fits. What is written to the queue meanwhile may be in a dump of all of it or not.
    """
    from stovepipe_cli.commands.fixture_dump import dump_to_file

    is_anonymous = anonymize or key_file is not None
    return dump_to_file(session, out, requests=request or [], anonymize=is_anonymous, key_file=key_file, force=force)


@command(
    group,
    "generate",
    example="stovepipe fixtures generate -q load/test --requests 100000 --seed 7 --damage H102=3,A401=10",
    exits="0 generated; 2 such damage cannot be planted; 7 the queue holds rows, or the profile is protected",
    may_create=True,
)
def generate(
    session: Session,
    requests: Annotated[int, typer.Option("--requests", metavar="N", help="How many requests.")],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same rows.")] = 0,
    damage: Annotated[
        list[str] | None,
        typer.Option("--damage", metavar="CODE=N", help="Findings to plant, by rule; repeatable or a=1,b=2."),
    ] = None,
    ids: Annotated[
        str, typer.Option("--ids", metavar="FORM", help="Form of request ids: decimal or path.")
    ] = "decimal",
    planted_file: Annotated[
        Path | None,
        typer.Option(
            "--planted-file",
            metavar="FILE",
            help="Where to list what was planted; for SQLite, a file beside the database.",
        ),
    ] = None,
    into_existing: Annotated[
        bool, typer.Option("--into-existing", help="Generate into a queue that holds rows.")
    ] = False,
) -> object:
    """Fill a queue with made-up requests, healthy but for the damage that is asked for."""
    from stovepipe_cli.commands.fixture_work import generate_queue

    return generate_queue(
        session,
        requests=requests,
        seed=seed,
        damage=damage or [],
        ids=ids,
        planted_file=planted_file,
        into_existing=into_existing,
    )
