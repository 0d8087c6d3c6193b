"""The commands below the root, each made when it is first looked up, so that a command pays for its own alone."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
import typer.main

from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.commands.plain_command import PlainGroup


class LateCommands(Mapping[str, Any]):
    """Top-level commands by name; names are known without loading anything."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - typer keeps the type of a command private
        """The command; `KeyError` where there is none."""
        if name not in self:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = _made(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a command."""
        return name in GROUPS or name in SINGLES

    def __iter__(self) -> Iterator[str]:
        """Names, the groups first."""
        return iter((*GROUPS, *SINGLES))

    def __len__(self) -> int:
        """How many there are."""
        return len(GROUPS) + len(SINGLES)


def _made(name: str) -> Any:  # noqa: ANN401 - typer keeps the type of a command private
    module = import_module(f"stovepipe_cli.commands.{name}")
    parent = typer.Typer(rich_markup_mode=None)
    if name in GROUPS:
        parent.add_typer(module.group, name=name, help=GROUPS[name], cls=PlainGroup)
    else:
        module.add(parent)
    made: Any = typer.main.get_group(parent).commands[name]
    # Whoever tells of a mistyped word makes its suggestions for every level alike.
    made.suggest_commands = False
    return made
