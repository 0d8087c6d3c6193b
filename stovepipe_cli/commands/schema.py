"""`stovepipe schema`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session
from stovepipe_cli.errors import UsageError


def add(app: typer.Typer) -> None:
    """Register the command on the root."""
    command(
        app,
        "schema",
        example="stovepipe schema repair plan",
        exits="0 printed; 2 there is no such command",
        reads_config=False,
    )(schema)


def schema(
    session: Session,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="The command, in its own words; without one, all are listed."),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Describe a line of -o ndjson instead of -o json.")] = False,
) -> object:
    """Print the JSON Schema of what a command's -o json prints."""
    from stovepipe_cli.commands.options import full_name, spellings_of
    from stovepipe_cli.near_names import did_you_mean
    from stovepipe_cli.render.document_schema import document_schema, line_schema, schema_id
    from stovepipe_cli.reports import ListReport, SchemaItem, SchemaReport
    from stovepipe_cli.reports.answers import ANSWERS

    if not words:
        items = tuple(
            SchemaItem(name, schema_id(name, is_line=False), schema_id(name, is_line=True)) for name in sorted(ANSWERS)
        )
        return ListReport(items, None, SchemaItem)
    name = full_name(" ".join(words))
    if name not in ANSWERS:
        near = did_you_mean(name, ANSWERS)
        raise UsageError(f"there is no command '{name}'", hint=near or "'stovepipe schema' lists them")
    make = line_schema if lines else document_schema
    return SchemaReport(name, make(name, spellings_of(name), ANSWERS[name]))
