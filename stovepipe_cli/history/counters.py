"""Counts of what the materializer did, of a fixed number of kinds and tags."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.request import REQUEST_STATES
from stovepipe_cli.entities.request_log import EVENTS

CounterKind = Literal[
    "created",
    "identical_existing",
    "conflict",
    "validation_failure",
    "storage_failure",
    "projection_failure",
]
KINDS: tuple[CounterKind, ...] = get_args(CounterKind)
INVALID_TAG = "invalid"
_TAGS = frozenset(REQUEST_STATES) | frozenset(EVENTS)


def tag_of(entry: RequestLog) -> str:
    """The tag an entry is counted under: its state or event, never an identifier."""
    tag = entry.state or entry.event
    return tag if tag in _TAGS else INVALID_TAG


class Counters:
    """Counts by (kind, tag). Tags are the known states and events; anything else counts as `invalid`."""

    def __init__(self) -> None:
        self._counts: dict[tuple[CounterKind, str], int] = {}

    def increment(self, kind: CounterKind, tag: str) -> None:
        """Count one more."""
        key = (kind, tag if tag in _TAGS else INVALID_TAG)
        self._counts[key] = self._counts.get(key, 0) + 1

    def snapshot(self) -> Mapping[tuple[CounterKind, str], int]:
        """The counts so far, without those that are zero."""
        return MappingProxyType(dict(self._counts))
