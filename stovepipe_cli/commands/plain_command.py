"""A command whose help names its arguments as everybody else does: `REQUEST`, in brackets where it can be left out."""

import re
from typing import Any

from typer.core import TyperCommand

# What the parser writes around the name of an argument, and behind it.
_BRACES = re.compile(r"\{(.*)\}|\[(\[.*\])\]")
_TYPE = re.compile(r" <[^>]*>$")


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


def _bare(match: re.Match[str]) -> str:
    return match[1] or match[2]
