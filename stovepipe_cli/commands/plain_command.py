"""Commands whose help names arguments as everybody else does, `[REQUEST]`, and groups whose help is not cut short."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

# What the parser writes around the name of an argument, and behind it.
_BRACES = re.compile(r"\{(.*)\}|\[(\[.*\])\]")
_TYPE = re.compile(r" <[^>]*>$")
# More characters than a first sentence has: the parser would cut it at the edge of the terminal.
_WHOLE = 1000


class PlainCommand(TyperCommand):
    """A command without the types of its arguments, of which a shell has one alone."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer keeps the type private
        """What follows the command's words in the first line of its help."""
        return [_BRACES.sub(_bare, piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Write the arguments, then the options."""
        write = formatter.write_dl

        def write_without_types(rows: Any, **how: Any) -> None:  # noqa: ANN401 - as above
            write([(_TYPE.sub("", name), text) for name, text in rows], **how)

        formatter.write_dl = write_without_types
        try:
            super().format_options(ctx, formatter)
        finally:
            formatter.write_dl = write


class PlainGroup(TyperGroup):
    """A group whose help gives the whole first sentence of each command, on as many lines as that takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer keeps these types private
        """Write the commands that are not hidden."""
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(_WHOLE)) for name, one in listed if one is not None and not one.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _bare(match: re.Match[str]) -> str:
    return match[1] or match[2]
