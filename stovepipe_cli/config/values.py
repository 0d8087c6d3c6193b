"""Typed readers for the values of a profile file; every refusal names the file, the line and the key."""

import difflib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from stovepipe_cli.dsn import Secret
from stovepipe_cli.errors import ConfigError, InvalidInput
from stovepipe_cli.instants import parse_duration

T = TypeVar("T")
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Located:
    """A YAML value and the line it starts on, counted from 1; a key's value is located by its key."""

    value: "Scalar | list[Located] | dict[str, Located]"
    line: int


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the file: `key` is its dotted name, `home` what a leading `~/` stands for."""

    located: Located
    key: str
    file: Path
    home: Path

    def refused(self, problem: str, hint: str) -> ConfigError:
        """The error about this value; `problem` never repeats a value that may be secret."""
        return ConfigError(f"'{self.file}', line {self.located.line}: '{self.key}' {problem}", hint=hint)

    def text(self) -> str:
        """Text that is not empty."""
        value = self.located.value
        if not isinstance(value, str) or not value:
            raise self.refused("is not text", "give it a value; put numbers, dates and yes or no in quotes")
        return value

    def text_or_number(self) -> str:
        """Text, or a whole number as its digits."""
        value = self.located.value
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else self.text()

    def secret(self) -> Secret:
        """Text that may hold a password."""
        return Secret(self.text())

    def path(self) -> Path:
        """A file name, made absolute from the directory of the profile file."""
        text = self.text()
        start = self.home / text[2:] if text.startswith("~/") else Path(text)
        return self.file.parent / start

    def flag(self) -> bool:
        """Either true or false."""
        if not isinstance(self.located.value, bool):
            raise self.refused("is neither true nor false", "write true or false, without quotes")
        return self.located.value

    def whole_number(self) -> int:
        """A whole number, at least 0."""
        value = self.located.value
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.refused("is not a whole number from 0", "write digits alone")
        return value

    def positive_number(self) -> int:
        """A whole number, at least 1."""
        if (value := self.whole_number()) == 0:
            raise self.refused("is 0", "write a number from 1, or leave the key out")
        return value

    def duration(self) -> int:
        """A length of time in milliseconds."""
        return self.parsed(parse_duration)

    def parsed(self, parse: Callable[[str], T]) -> T:
        """What `parse` makes of the text; its InvalidInput becomes an error about this key."""
        try:
            return parse(self.text_or_number())
        except InvalidInput as error:
            raise self.refused(f"cannot be used: {error.message}", error.hint or "") from None

    def items(self, read: "Callable[[Value], T]") -> tuple[T, ...]:
        """A list without repetitions, each item through `read`."""
        if not isinstance(self.located.value, list):
            raise self.refused("is not a list", "write [first, second], in brackets also for one")
        found: list[T] = []
        for index, item in enumerate(self.located.value, start=1):
            value = Value(item, f"{self.key}[{index}]", self.file, self.home)
            found.append(read(value))
            if found[-1] in found[:-1]:
                raise value.refused("stands in the list twice", "keep one of the two")
        return tuple(found)

    def keys(self, known: Collection[str] | None) -> "Keys":
        """A mapping; with `known`, one that has no other keys. An empty value is an empty mapping."""
        value = {} if self.located.value is None else self.located.value
        if not isinstance(value, dict):
            raise self.refused("is not a mapping", "write its keys below it, indented")
        for key, located in value.items():
            if known is not None and key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                within = f" in '{self.key}'" if self.key else ""
                raise ConfigError(
                    f"'{self.file}', line {located.line}: unknown key '{key}'{within}",
                    hint=f"did you mean '{near[0]}'?" if near else f"known keys are {', '.join(known)}",
                )
        return Keys(self, value)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one mapping."""

    owner: Value
    found: dict[str, Located]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def get(self, key: str, read: Callable[[Value], T]) -> T | None:
        """The value of `key` through `read`, None where the key is left out."""
        return read(self[key]) if key in self.found else None

    def __getitem__(self, key: str) -> Value:
        owner = self.owner
        return Value(self.found[key], f"{owner.key}.{key}" if owner.key else key, owner.file, owner.home)
