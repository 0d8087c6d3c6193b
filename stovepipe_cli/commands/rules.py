"""`stovepipe rules`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(group, "list", example="stovepipe rules list", exits="0 listed", reads_config=False)
def list_rules(session: Session) -> object:
    """List the rules of verify: code, name, severity and what repairs it."""
    from stovepipe_cli.audit.catalogue import list_rules as every_rule

    return every_rule()


@command(
    group,
    "explain",
    example="stovepipe rules explain H102",
    exits="0 explained; 2 there is no such rule",
    reads_config=False,
)
def explain(session: Session, code: Annotated[str, typer.Argument(metavar="CODE", help="A rule's code.")]) -> object:
    """Explain a rule: what it means, how it can happen and what to do."""
    from stovepipe_cli.audit.catalogue import explain_rule

    return explain_rule(code)
