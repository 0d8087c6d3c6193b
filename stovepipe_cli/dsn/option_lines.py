"""The line syntax of MySQL option files: groups, comments, quotes and escapes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stovepipe_cli.errors import InvalidInput

_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "s": " ", "\\": "\\", '"': '"', "'": "'"}
_GROUP = re.compile(r"\[\s*([^\]]*?)\s*\]\s*")


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of one group; `name` is spelt with '-', `value` is None where the line has no '='."""

    group: str
    name: str
    value: str | None
    line: int


def read_options(text: str) -> Iterator[Option]:
    """Every setting in the order of the file. Raises InvalidInput with the line's number, never with its text."""
    group = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("!"):
            raise InvalidInput(
                f"line {number} includes another file", hint="name the file that holds the settings itself"
            )
        line = _without_comment(line).strip()
        if line.startswith("["):
            match = _GROUP.fullmatch(line)
            if match is None:
                raise InvalidInput(f"line {number} opens a group without ending it", hint="write [client]")
            group = match.group(1)
            continue
        name, equals, value = line.partition("=")
        plain_name = name.strip().replace("_", "-").removeprefix("loose-")
        yield Option(group, plain_name, _unescape(_unquote(value.strip())) if equals else None, number)


def _without_comment(line: str) -> str:
    quote = ""
    escaped = False
    for index, character in enumerate(line):
        if character in "'\"" and not escaped:
            quote = character if not quote else "" if quote == character else quote
        if character == "#" and not quote:
            return line[:index]
        escaped = bool(quote) and character == "\\" and not escaped
    return line


def _unquote(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] in "'\"" and value[0] == value[-1]
    return value[1:-1] if is_quoted else value


def _unescape(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(0)), value)
