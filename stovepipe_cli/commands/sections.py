"""The root help, with its commands under headings and before the options."""

from collections.abc import MutableMapping
from typing import Any, cast

from typer.core import TyperGroup

from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.commands.tree import LateCommands

SECTIONS = (
    ("Look", ("history", "queues", "requests", "issues", "facts")),
    ("Check", ("verify", "rules")),
    ("Mend", ("repair", "backfill")),
    ("Set up", ("demo", "db", "config", "fixtures")),
    ("Advanced", ("runs", "ledger", "schema", "completion", "help")),
)


class SectionedGroup(TyperGroup):
    """The root, which lists its commands by purpose."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(**options)
        # The parser only reads them.
        self.commands = cast("MutableMapping[str, Any]", LateCommands())

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Write one section a heading, then the options."""
        helps = {**GROUPS, **SINGLES}
        for heading, names in SECTIONS:
            rows = [(name, helps[name]) for name in names if name in helps]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Nothing more: the sections have listed them."""
