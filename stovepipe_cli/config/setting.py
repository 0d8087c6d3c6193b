"""A configured value with where it came from, read from a flag or the environment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from stovepipe_cli.errors import ConfigError, InvalidInput, UsageError

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting(Generic[T_co]):
    """`value` and its `origin`, such as `flag --queue`, `environment STOVEPIPE_QUEUE` or `default`."""

    value: T_co
    origin: str

    @property
    def is_default(self) -> bool:
        """Whether nobody chose the value."""
        return self.origin == DEFAULT


def or_default(chosen: Setting[T] | None, default: T) -> Setting[T]:
    """What was chosen, else the default."""
    return Setting(default, DEFAULT) if chosen is None else chosen


def from_flag(flags: Mapping[str, object], name: str, read: Callable[[str], T]) -> Setting[T] | None:
    """The flag's value; None where it was not given. Raises UsageError for an empty one, and what `read` raises."""
    given = flags.get(name)
    if given is None:
        return None
    option = "--" + name.replace("_", "-")
    text = str(given)
    if not text:
        raise UsageError(f"{option} is empty", hint=f"give {option} a value, or leave it out")
    return _read(text, f"flag {option}", read)


def from_switch(flags: Mapping[str, object], name: str) -> Setting[bool] | None:
    """True where the switch was given; None where it was not, for which False is another spelling."""
    return Setting(value=True, origin="flag --" + name.replace("_", "-")) if flags.get(name) else None


def from_environment(environ: Mapping[str, str], name: str, read: Callable[[str], T]) -> Setting[T] | None:
    """The variable's value; None where it is not set.

    An empty variable is a ConfigError: more often a failed expansion than a wish for whatever comes next.
    """
    text = environ.get(name)
    if text is None:
        return None
    if not text:
        raise ConfigError(f"the environment variable '{name}' is empty", hint=f"give it a value, or unset {name}")
    return _read(text, f"environment {name}", read)


def _read(text: str, origin: str, read: Callable[[str], T]) -> Setting[T]:
    try:
        return Setting(read(text), origin)
    except InvalidInput as error:
        raise type(error)(f"{origin}: {error.message}", hint=error.hint) from None
