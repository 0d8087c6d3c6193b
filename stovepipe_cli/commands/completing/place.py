"""What stands at the cursor, from the words before it: a command, an option, or the value of something."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stovepipe_cli.commands.options import full_name

_OF_THE_ROOT_ALONE = frozenset({"--version", "-V"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that could be typed, and a few words on it."""

    value: str
    about: str = ""


@dataclass(slots=True)
class Place:
    """Where the cursor is. `awaited` is the option whose value it is, `before` what precedes that in the same word.

    `command` is None until the words name one, `given` holds its arguments so far. Options of `shared` may stand
    anywhere. `is_lost`: the words before name nothing that exists.
    """

    tree: Any
    shared: Mapping[str, Any]
    words: str = ""
    command: Any = None
    given: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    awaited: Any = None
    before: str = ""
    only_arguments: bool = False
    is_lost: bool = False

    @property
    def options(self) -> Mapping[str, Any]:
        """Every spelling of an option that can stand here."""
        own = spellings(self.command.params) if self.command is not None else {}
        at_root = {} if self.words else spellings(self.tree.params)
        return {**own, **self.shared, **at_root}

    @property
    def commands(self) -> Mapping[str, Any]:
        """The commands that can stand here."""
        return getattr(self.command if self.words else self.tree, "commands", {})

    @property
    def argument(self) -> Any:  # noqa: ANN401 - typer keeps the type of a parameter private
        """The argument that can stand here, None where there is none."""
        arguments = [each for each in getattr(self.command, "params", ()) if each.param_type_name == "argument"]
        if len(self.given) < len(arguments):
            return arguments[len(self.given)]
        return arguments[-1] if arguments and arguments[-1].nargs < 0 else None


def spellings(parameters: Sequence[Any]) -> dict[str, Any]:
    """The options among the parameters, by each of their spellings."""
    options = [each for each in parameters if each.param_type_name == "option" and not each.hidden]
    return {spelling: each for each in options for spelling in (*each.opts, *each.secondary_opts)}


def place_of(tree: Any, words: Sequence[str]) -> Place:  # noqa: ANN401 - typer keeps the type of a command private
    """The place behind these words."""
    shared = {name: each for name, each in spellings(tree.params).items() if name not in _OF_THE_ROOT_ALONE}
    place = Place(tree, shared)
    for word in words:
        if place.awaited is not None:
            place.awaited = None
        elif word == "--":
            place.only_arguments = True
        elif word.startswith("-") and len(word) > 1 and not place.only_arguments:
            _pass_option(place, word)
        else:
            _pass_word(place, word)
    return place


def at_value(place: Place, current: str) -> str:
    """The part of the current word that is the value of an option, as in `--queue=m`; the whole word elsewhere."""
    name, equals, value = current.partition("=")
    option = place.options.get(name)
    if place.awaited is None and not place.only_arguments and name.startswith("--") and equals and _takes_value(option):
        place.awaited, place.before = option, f"{name}="
        return value
    return current


def options_at(place: Place) -> Iterator[Candidate]:
    """Long spellings of the options that can still be given, those of the command first."""
    seen: set[str] = set()
    for name, option in place.options.items():
        if name.startswith("--") and name not in seen and (option.name not in place.used or option.multiple):
            seen.add(name)
            yield Candidate(name, option.help or "")


def commands_at(place: Place, helps: Mapping[str, str]) -> Iterator[Candidate]:
    """The commands that can be named here; `helps` are those of the root's, which this must not load."""
    for name in place.commands:
        about = helps.get(name) if not place.words else place.commands[name].get_short_help_str(limit=90)
        yield Candidate(name, about or "")


def _pass_option(place: Place, word: str) -> None:
    name, attached, _ = word.partition("=") if word.startswith("--") else (word[:2], word[2:], "")
    option = place.options.get(name)
    if option is None:
        return
    place.used.add(option.name)
    if _takes_value(option) and not attached:
        place.awaited = option


def _pass_word(place: Place, word: str) -> None:
    if place.command is not None and not place.commands:
        place.given.append(word)
        return
    name = word if place.words else full_name(word)
    command = place.commands.get(name)
    if command is None:
        place.is_lost = True
        return
    place.command = command
    place.words = f"{place.words} {name}".strip()


def _takes_value(option: Any) -> bool:  # noqa: ANN401 - typer keeps the type of a parameter private
    return option is not None and not option.is_flag
