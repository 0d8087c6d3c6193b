"""The answer to one press of Tab: `files`, or `values` and a candidate a line, for zsh and fish with what it is."""

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.commands.completing.place import (
    Candidate,
    Place,
    at_value,
    commands_at,
    options_at,
    place_of,
)
from stovepipe_cli.commands.completing.shell_line import split_line
from stovepipe_cli.commands.completing.values import expects_file, values_at
from stovepipe_cli.commands.options import OptionNames, arrange
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import StovepipeError

VARIABLE = "_STOVEPIPE_COMPLETE"
BREAKS_VARIABLE = "_STOVEPIPE_WORDBREAKS"

# Beyond the time limits of connections and statements: a name server, say, has none.
_LONGEST_SECONDS = 4.0


def answer(tree: Any, names: OptionNames, argv: Sequence[str], surroundings: Surroundings) -> str:  # noqa: ANN401 - typer keeps the type of a command private
    """What the shell of the environment's variable is told; empty where nothing can be said.

    For bash `argv` is the line up to the cursor, for the others the words behind the program's name, the last of which
    the cursor is in.
    """
    shell = surroundings.environ.get(VARIABLE)
    if shell == "bash":
        line = split_line(argv[0] if argv else "", surroundings.environ.get(BREAKS_VARIABLE, ""))
        mode, found = _found(tree, names, line.words[1:] or ("",), surroundings)
        shown = [line.spelled(each.value) for each in found]
    else:
        mode, found = _found(tree, names, tuple(argv) or ("",), surroundings)
        shown = [f"{each.value}\t{each.about}" for each in found]
    return "".join(f"{each}\n" for each in (mode, *shown))


def give_up_in_time() -> None:
    """End the process without a word where it has not ended by itself by then."""
    timer = threading.Timer(_LONGEST_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _found(
    tree: Any,  # noqa: ANN401 - typer keeps the type of a command private
    names: OptionNames,
    words: Sequence[str],
    surroundings: Surroundings,
) -> tuple[str, list[Candidate]]:
    *before, current = words
    place = place_of(tree, before)
    value = at_value(place, current)
    if place.is_lost:
        return "values", []
    found: list[Candidate] = []
    with suppress(StovepipeError):
        found = list(_candidates(place, value, arrange(before, names).shared, surroundings))
    is_file = not _is_option(place, value) and expects_file(place)
    kept = [
        Candidate(f"{place.before}{each.value}", _one_line(each.about))
        for each in found
        if each.value.startswith(value) and _can_be_typed(each.value, surroundings)
    ]
    return ("files" if is_file and not kept else "values"), kept


def _candidates(
    place: Place, value: str, flags: Mapping[str, object], surroundings: Surroundings
) -> Iterable[Candidate]:
    if place.awaited is not None:
        return values_at(place, value, flags, surroundings)
    if _is_option(place, value):
        return options_at(place)
    if place.commands:
        return commands_at(place, {**GROUPS, **SINGLES})
    return values_at(place, value, flags, surroundings)


def _is_option(place: Place, value: str) -> bool:
    return place.awaited is None and value.startswith("-") and not place.only_arguments


def _can_be_typed(value: str, surroundings: Surroundings) -> bool:
    """Names come from a database, and would act on the terminal that a shell shows them on."""
    from stovepipe_cli.commands.presentation import is_narrow
    from stovepipe_cli.render.sanitise import visible

    return value != "" and visible(value) == value and (value.isascii() or not is_narrow(surroundings))


def _one_line(text: str) -> str:
    from stovepipe_cli.render.sanitise import visible

    return visible(" ".join(text.split()))
