"""`stovepipe demo`."""

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session


def add(app: typer.Typer) -> None:
    """Register the command on the root."""
    command(
        app,
        "demo",
        example="stovepipe demo",
        exits="0 what is left at the end is exactly what the scenario says; 3 it is not",
        may_create=True,
    )(demo)


def demo(session: Session) -> object:
    """Watch a damaged queue being looked at, checked and mended, on a throw-away database."""
    import tempfile

    from stovepipe_cli.demo import run_demo
    from stovepipe_cli.wiring import throw_away_database

    with tempfile.TemporaryDirectory(prefix="stovepipe-demo-") as directory:
        factory = throw_away_database(directory)
        try:
            return run_demo(factory, clock=session.clock)
        finally:
            factory.close()
