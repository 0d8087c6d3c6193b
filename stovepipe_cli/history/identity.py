"""The identity of a history entry: stable across retries, made from its content and never from time or chance."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.limits import MAX_INT32
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.keys import key_bytes

IdKind = Literal["state", "event", "obsolete", "unknown"]

BUILD_EVENTS = frozenset({"build_triggered", "build_finished"})
BUILD_KEYED_EVENTS = BUILD_EVENTS | {"build_analysis_completed", "issues_reconciled"}
WHOLE_BATCH = "all"
WHOLE_REPOSITORY = "repository"

_STATE = re.compile(r"state/([1-9][0-9]{0,9})\Z")
_EVENT = re.compile(r"event/([^/]+)/(.+)\Z", re.DOTALL)
_OBSOLETE = re.compile(r"log/[0-9a-f]{64}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


@dataclass(frozen=True, slots=True)
class LogId:
    """What an identity says: the version of a state, or the event and its occurrence.

    `obsolete` is the digest form of the first recorder, which names neither; `unknown` is any other text.
    """

    kind: IdKind
    version: int = 0
    event: str = ""
    occurrence: str = ""


def state_log_id(version: int) -> str:
    """The identity of the state entry of a request version."""
    return f"state/{version}"


def event_log_id(event: str, occurrence: str) -> str:
    """The identity of one occurrence of an event."""
    return f"event/{event}/{occurrence}"


def fact_occurrence(uri: str, project: str = "") -> str:
    """The occurrence of a recorded fact: 64 hex digits over its uri and project."""
    return hashlib.sha256(key_bytes(f"{uri}\0{project}")).hexdigest()


def fact_occurrences(uris: Iterable[str]) -> list[str]:
    """The occurrences of the facts of whole repositories, one for each uri."""
    digest = hashlib.sha256
    return [digest(uri.encode("utf-8", "surrogateescape") + b"\0").hexdigest() for uri in uris]


def is_digest(occurrence: str) -> bool:
    """Whether an occurrence has the form of a digest."""
    return _DIGEST.match(occurrence) is not None


def parse_log_id(log_id: str) -> LogId:
    """Read an identity; text of no known form is of kind `unknown`."""
    state = _STATE.match(log_id)
    if state and int(state[1]) <= MAX_INT32:
        return LogId("state", version=int(state[1]))
    event = _EVENT.match(log_id)
    if event:
        return LogId("event", event=event[1], occurrence=event[2])
    return LogId("obsolete") if _OBSOLETE.match(log_id) else LogId("unknown")


def expected_log_id(entry: RequestLog) -> str | None:
    """The identity that follows from an entry's content.

    None where it does not follow from the entry alone: events keyed by a digest, unknown events, and events of a
    build whose metadata does not name the build.
    """
    if entry.state:
        return state_log_id(entry.request_version)
    if entry.event in BUILD_KEYED_EVENTS:
        build_id = entry.metadata.get(BUILD_ID)
        return event_log_id(entry.event, build_id) if build_id else None
    if entry.event == "project_facts_recorded":
        return event_log_id(entry.event, WHOLE_BATCH)
    if entry.event in ("record_abandoned", "promotion_failed"):
        return event_log_id(entry.event, WHOLE_REPOSITORY)
    return None


def is_identity_of(entry: RequestLog) -> bool:
    """Whether the entry's id fits its content.

    The obsolete form fits any state and any occurrence a digest-keyed or unknown event. An entry that is not exactly
    one of state and event has no identity to compare.
    """
    if bool(entry.state) == bool(entry.event):
        return True
    parsed = parse_log_id(entry.id)
    if entry.state and parsed.kind == "obsolete":
        return True
    expected = expected_log_id(entry)
    if expected is not None:
        return entry.id == expected
    return parsed.kind == "event" and parsed.event == entry.event


def degree_text(degree: float) -> str:
    """A degree of 0 to 1 as the service spells it: the shortest digits that read back as the same number.

    `InvalidEntity` beyond 0 to 1. Exponents appear below 0.0001, as in `1e-05`; minus zero is `-0`.
    """
    if not 0 <= degree <= 1:
        raise InvalidEntity(f"a fact has degree {degree}", hint="use 0 to 1")
    return repr(float(degree)).removesuffix(".0")


def parse_degree(text: str) -> float | None:
    """The degree that a text spells, or None where it is no number of 0 to 1."""
    if not _NUMBER.match(text):
        return None
    degree = float(text)
    return degree if 0 <= degree <= 1 else None
