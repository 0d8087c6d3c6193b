"""What is said of a command line that the parser refuses, with what it may have been meant to be."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer

from stovepipe_cli.commands.options import full_name
from stovepipe_cli.commands.tree import LateCommands
from stovepipe_cli.errors import UsageError
from stovepipe_cli.near_names import did_you_mean

if TYPE_CHECKING:
    from stovepipe_cli.render.context import ErrorView

# Short words have few letters to share; options share their dashes and their vocabulary.
_SHORT, _SHORT_CUTOFF, _CUTOFF, _OPTION_CUTOFF = 3, 0.5, 0.6, 0.7
_MOST_GROUPS = 3
# What the parser says of a word that no argument takes: most often a queue, which other tools take as an argument.
_SURPLUS = "unexpected extra argument"
# What other tools take as an option of its own.
_FORMATS = frozenset({"--json", "--ndjson", "--csv", "--tsv", "--table"})
# The commands of a group whose argument is easily typed straight behind the group: a number, a code, a bookmark.
_LOOKERS = frozenset({"show", "explain"})


def usage_view(error: typer.TyperException, words: str) -> "ErrorView":
    """The refusal; `words` name the command as it was typed."""
    from stovepipe_cli.render.context import ErrorView

    commands = LateCommands()
    option = getattr(error, "option_name", None)
    # The parser's own text would add its guesses, which leave out the options that may stand anywhere.
    message = (error.message if option is not None else error.format_message()).strip().rstrip(".")
    message = message[:1].lower() + message[1:]
    near = _near_command(words, commands) if option is None else _near_option(option, error)
    if _SURPLUS in message and words:
        near = f"{_arguments_taken(words, commands)}a queue is named by --queue (-q);"
    hint = f"see: {_help_command(words, commands)}"
    return ErrorView(UsageError.code, message, f"{near} {hint}" if near else hint, retryable=False)


def _cutoff(word: str) -> float:
    return _SHORT_CUTOFF if len(word) <= _SHORT else _CUTOFF


def _near_option(option: str, error: Any) -> str | None:  # noqa: ANN401 - typer keeps this type private
    context = error.ctx
    if context is None or not option.startswith("--"):
        return None
    if option in _FORMATS:
        return f"did you mean '--output {option[2:]}'?"
    known = [name for name in _options(context.command) if name.startswith("--")]
    known += [name for name in _options(context.find_root().command) if name.startswith("--")]
    return did_you_mean(option, dict.fromkeys(known), cutoff=_OPTION_CUTOFF)


def _options(command: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            yield from (*parameter.opts, *parameter.secondary_opts)


def _near_command(words: str, commands: Mapping[str, Any]) -> str | None:
    """A question about the first word that names nothing; None where all do, or nothing is near."""
    first, _, second = full_name(words).partition(" ")
    if not first:
        return None
    if first not in commands:
        return _below_groups(first, commands) or did_you_mean(first, commands, cutoff=_cutoff(first))
    known = _commands_of(commands[first])
    if not known or second in known or (first == "help" and (not second or second in commands)):
        return None
    if not second:
        return f"its commands are {', '.join(known)};"
    if _LOOKERS & set(known) and not second.isalpha() and second[0] != "-":
        return f"did you mean '{next(name for name in known if name in _LOOKERS)} {second}'?"
    return did_you_mean(second, known, cutoff=_cutoff(second))


def _arguments_taken(words: str, commands: Mapping[str, Any]) -> str:
    group, _, name = full_name(words).partition(" ")
    command = _commands_of(commands[group]).get(name) if name else commands.get(group)
    taken = [one.metavar for one in getattr(command, "params", ()) if one.param_type_name == "argument"]
    return f"it takes one {' and one '.join(taken)}, and " if taken else ""


def _below_groups(word: str, commands: Mapping[str, Any]) -> str | None:
    """The word as the name of a command in a group; None where there is none, or more than can be meant."""
    quoted = [f"'{group} {word}'" for group in commands if word in _commands_of(commands[group])]
    return f"did you mean {' or '.join(quoted)}?" if 0 < len(quoted) <= _MOST_GROUPS else None


def _commands_of(command: Any) -> Mapping[str, Any]:  # noqa: ANN401 - typer keeps this type private
    return getattr(command, "commands", {})


def _help_command(words: str, commands: Mapping[str, Any]) -> str:
    group, _, name = full_name(words).partition(" ")
    known = ["stovepipe"]
    if group == "help" and name not in _commands_of(commands[group]):
        return f"stovepipe {name} --help" if name in commands else "stovepipe --help, or stovepipe help exit-codes"
    if group in commands:
        known.append(group)
        known.extend([name] if name in _commands_of(commands[group]) else [])
    return " ".join([*known, "--help"])
