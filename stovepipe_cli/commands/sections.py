"""The root help, with its commands under headings and before the options."""

from typing import Any

from typer.core import TyperGroup

SECTIONS = (
    ("Look", ("history", "queues", "requests", "issues", "facts")),
    ("Check", ("verify", "rules")),
    ("Mend", ("repair", "backfill")),
    ("Set up", ("demo", "db", "config", "fixtures")),
    ("Advanced", ("runs", "ledger", "schema", "help")),
)

# The first sentence whole; longer ones than this would be cut.
_ONE_SENTENCE = 200


class SectionedGroup(TyperGroup):
    """A group that lists its commands by purpose."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Write one section a heading, then the options."""
        for heading, names in SECTIONS:
            rows = [
                (name, command.get_short_help_str(_ONE_SENTENCE))
                for name in names
                if (command := self.get_command(ctx, name)) is not None and not command.hidden
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Nothing more: the sections have listed them."""
