"""What the value of an option or argument can be."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from stovepipe_cli.commands.completing.place import Candidate, Place
from stovepipe_cli.commands.surroundings import Surroundings

if TYPE_CHECKING:
    from stovepipe_cli.config import Config

# Somebody waits with a finger on the key.
PATIENCE = "1s"

# By the name of a parameter, with the words of its command where others mean something else by it.
_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "color": ("auto", "always", "never"),
        "progress": ("auto", "plain"),
        "log_format": ("text", "json"),
        "output": ("table", "tsv", "json", "ndjson", "csv"),
        "fail_on": ("error", "warning", "info"),
        "role": ("audit", "repair", "ledger"),
        "ids": ("decimal", "path"),
        "shell": ("bash", "zsh", "fish"),
        "requests list order": ("accepted", "number"),
        "verify order": ("name", "stalest"),
        "runs list status": ("RUNNING", "COMPLETED", "FAILED", "CANCELLED", "abandoned"),
    }
)
_FILES = frozenset({"FILE", "PLAN", "DIRECTORY", "PATH"})


def expects_file(place: Place) -> bool:
    """Whether the shell's own file names are what can stand here."""
    return _metavar(_parameter(place)) in _FILES


def values_at(place: Place, current: str, flags: Mapping[str, object], surroundings: Surroundings) -> list[Candidate]:
    """Candidates for the value at this place, none where anything goes."""
    parameter = _parameter(place)
    if parameter is None:
        return []
    name, metavar = str(parameter.name), _metavar(parameter)
    choices = _CHOICES.get(f"{place.words} {name}") or _CHOICES.get(name)
    if choices:
        return [Candidate(each) for each in choices]
    if name == "profile":
        return _profiles(surroundings)
    if metavar == "QUEUE" or name == "confirm_queue":
        return _queues(flags, surroundings)
    source = _SOURCES.get(metavar)
    return [] if source is None else source(place, current)


def _parameter(place: Place) -> Any:  # noqa: ANN401 - typer keeps the type of a parameter private
    return place.argument if place.awaited is None else place.awaited


def _metavar(parameter: Any) -> str:  # noqa: ANN401 - as above
    return str(getattr(parameter, "metavar", None) or "").strip("[].")


def _codes(_place: Place, current: str) -> list[Candidate]:
    from stovepipe_cli.audit.rules import RULES

    listed = current[: current.rfind(",") + 1]
    return [Candidate(f"{listed}{code}", rule.name) for code, rule in RULES.items()]


def _references(_place: Place, _current: str) -> list[Candidate]:
    return [
        Candidate("@latest", "the request of the highest number"),
        Candidate("@last-green", "the request of the last green commit"),
    ]


def _runs(_place: Place, _current: str) -> list[Candidate]:
    return [Candidate("@latest", "the run that began last")]


def _codes_and_references(place: Place, current: str) -> list[Candidate]:
    return [*_codes(place, current), *_references(place, current)]


def _states(_place: Place, _current: str) -> list[Candidate]:
    from stovepipe_cli.entities.request import REQUEST_STATES

    return [Candidate(each) for each in REQUEST_STATES]


def _zones(_place: Place, _current: str) -> list[Candidate]:
    from zoneinfo import available_timezones

    return [Candidate(each) for each in ("UTC", "local", *sorted(available_timezones() - {"UTC"}))]


def _described_commands(place: Place, _current: str) -> list[Candidate]:
    from stovepipe_cli.reports.answers import ANSWERS

    typed = place.given
    rest = [words.split(" ")[len(typed) :] for words in ANSWERS if words.split(" ")[: len(typed)] == typed]
    return [Candidate(each) for each in dict.fromkeys(words[0] for words in rest if words)]


_SOURCES: Mapping[str, Callable[[Place, str], list[Candidate]]] = MappingProxyType(
    {
        "CODE": _codes,
        "CODES": _codes,
        "CODE|REQUEST": _codes_and_references,
        "COMMAND": _described_commands,
        "REQUEST": _references,
        "RUN": _runs,
        "STATE": _states,
        "ZONE": _zones,
    }
)


def _profiles(surroundings: Surroundings) -> list[Candidate]:
    from stovepipe_cli.config import find_profile_file
    from stovepipe_cli.config.profile_file import read_profile_file

    file = find_profile_file(surroundings.environ, surroundings.home)
    profiles = read_profile_file(file.value, surroundings.home, must_exist=False).profiles
    return [Candidate(name, "protected" if profile.protected else "") for name, profile in profiles.items()]


def _queues(flags: Mapping[str, object], surroundings: Surroundings) -> list[Candidate]:
    """Those that the profile lists, else those of the database, where its login asks nobody."""
    from stovepipe_cli.config import resolve

    impatient = {**flags, "connect_timeout": PATIENCE, "statement_timeout": PATIENCE, "queue": None}
    config = resolve(impatient, surroundings.environ, home=surroundings.home)
    if config.queues.value:
        return [Candidate(name, config.queues.origin) for name in config.queues.value]
    if not _can_log_in_silently(config):
        return []
    return [Candidate(name) for name in _stored_queues(config)]


def _can_log_in_silently(config: "Config") -> bool:
    access = config.database.value
    return access is not None and not access.password.may_ask


def _stored_queues(config: "Config") -> list[str]:
    from stovepipe_cli.listing import list_queues
    from stovepipe_cli.wiring import open_database

    with open_database(config, read_only=True) as factory:
        return [item.queue for item in list_queues(factory.directory).items]
