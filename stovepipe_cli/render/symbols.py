"""The marks of the text output, each with its plain spelling for terminals without Unicode."""

from dataclasses import dataclass

from stovepipe_cli.render.context import RenderContext


@dataclass(frozen=True, slots=True)
class Symbols:
    """One mark a meaning; none means anything by its colour alone."""

    state: str = "●"
    event: str = "·"
    gap: str = "○"
    remark: str = "!"
    arrow: str = "→"
    ellipsis: str = "…"


def symbols(context: RenderContext) -> Symbols:
    """The marks that the terminal can show."""
    if context.ascii_only:
        return Symbols(state="*", event="-", gap="o", arrow="->", ellipsis="...")
    return Symbols()
