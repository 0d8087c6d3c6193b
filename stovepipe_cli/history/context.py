"""What an entry must carry beside its identity, judged for writing and for auditing alike.

Each problem is a phrase about the entry. Words of a newer service are no problem here: they are vocabulary.
"""

import re
from collections.abc import Iterator, Mapping

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.limits import MAX_INT32
from stovepipe_cli.entities.request import REQUEST_STATES
from stovepipe_cli.entities.request_log import EVENTS, KNOWN_REASONS, OBSOLETE_EVENTS, OUTCOME_REASONS
from stovepipe_cli.history.identity import BUILD_EVENTS, expected_log_id, is_identity_of, parse_degree
from stovepipe_cli.history.metadata_keys import (
    BROKEN_PROJECT_FACT_COUNT,
    BUILD_ID,
    FACT_DEGREE,
    MAX_KEYS,
    MAX_VALUE_BYTES,
    PROJECT_FACT_COUNT,
)
from stovepipe_cli.keys import key_bytes

_SHOWN_CHARACTERS = 40
_PLAIN_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,9})\Z")


def context_problems(entry: RequestLog) -> tuple[str, ...]:
    """Required context that is missing or contradicts itself, in a fixed order; empty where there is none."""
    return tuple(_problems(entry))


def identity_problems(entry: RequestLog) -> tuple[str, ...]:
    """Why the entry's id is not the identity of its content; empty where it is."""
    if is_identity_of(entry):
        return ()
    expected = expected_log_id(entry) or f"event/{entry.event}/"
    return (f"id '{entry.id}' is not the identity of its content, '{expected}'",)


def metadata_problems(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Metadata beyond its limits: the number of keys, and the bytes of each value."""
    found = [f"{len(metadata)} metadata keys, the limit is {MAX_KEYS}"] if len(metadata) > MAX_KEYS else []
    for key, value in metadata.items():
        size = len(key_bytes(value))
        if size > MAX_VALUE_BYTES:
            found.append(f"metadata '{key}' of {size} bytes, the limit is {MAX_VALUE_BYTES}")
    return tuple(found)


def parse_count(text: str | None) -> int | None:
    """The count a metadata value spells in plain decimals, or None."""
    if text is None or not _PLAIN_DECIMAL.match(text):
        return None
    count = int(text)
    return count if count <= MAX_INT32 else None


def unknown_words(entry: RequestLog) -> tuple[str, ...]:
    """The state, event and reason strings of an entry that this version does not know."""
    found = []
    if entry.state and entry.state not in REQUEST_STATES:
        found.append(f"state '{entry.state}'")
    if entry.event and entry.event not in EVENTS and entry.event not in OBSOLETE_EVENTS:
        found.append(f"event '{entry.event}'")
    if entry.outcome_reason and entry.outcome_reason not in KNOWN_REASONS:
        found.append(f"outcome_reason '{entry.outcome_reason}'")
    return tuple(found)


def _problems(entry: RequestLog) -> Iterator[str]:
    if entry.timestamp_ms <= 0:
        yield f"timestamp_ms {entry.timestamp_ms} is no time"
    if bool(entry.state) == bool(entry.event):
        yield "both a state and an event" if entry.state else "neither a state nor an event"
    elif entry.state in REQUEST_STATES:
        yield from _state_problems(entry)
    elif entry.event in EVENTS or entry.event in OBSOLETE_EVENTS:
        yield from _event_problems(entry)


def _state_problems(entry: RequestLog) -> Iterator[str]:
    if entry.request_version < 1:
        yield f"state '{entry.state}' with request_version {entry.request_version}"
    elif entry.state == "accepted" and entry.request_version != 1:
        yield f"state 'accepted' with request_version {entry.request_version}, which is always 1"
    allowed = OUTCOME_REASONS.get(entry.state)
    if allowed is None:
        if entry.outcome_reason:
            yield f"state '{entry.state}' with outcome_reason '{entry.outcome_reason}', which has none"
    elif not entry.outcome_reason:
        yield f"state '{entry.state}' without an outcome_reason"
    elif entry.outcome_reason in KNOWN_REASONS and entry.outcome_reason not in allowed:
        yield f"state '{entry.state}' with outcome_reason '{entry.outcome_reason}' of another state"


def _event_problems(entry: RequestLog) -> Iterator[str]:
    if entry.request_version != 0:
        yield f"event '{entry.event}' with request_version {entry.request_version}, which is for states"
    if entry.outcome_reason:
        yield f"event '{entry.event}' with outcome_reason '{entry.outcome_reason}', which is for states"
    if entry.malformed_metadata:
        return
    if entry.event in BUILD_EVENTS and not entry.metadata.get(BUILD_ID):
        yield f"event '{entry.event}' without metadata '{BUILD_ID}'"
    if entry.event == "validation_fact_recorded":
        yield from _degree_problems(entry.metadata.get(FACT_DEGREE))
    if entry.event == "project_facts_recorded":
        yield from _count_problems(entry.metadata)


def _degree_problems(text: str | None) -> Iterator[str]:
    if text is None:
        yield f"event 'validation_fact_recorded' without metadata '{FACT_DEGREE}'"
    elif parse_degree(text) is None:
        yield f"metadata '{FACT_DEGREE}' is '{_shortened(text)}', which is no number of 0 to 1"


def _count_problems(metadata: Mapping[str, str]) -> Iterator[str]:
    counts = {}
    for key in (PROJECT_FACT_COUNT, BROKEN_PROJECT_FACT_COUNT):
        if key in metadata:
            count = parse_count(metadata[key])
            if count is None:
                yield f"metadata '{key}' is '{_shortened(metadata[key])}', which is no plain count"
            else:
                counts[key] = count
    if len(counts) == len((PROJECT_FACT_COUNT, BROKEN_PROJECT_FACT_COUNT)):
        total, broken = counts[PROJECT_FACT_COUNT], counts[BROKEN_PROJECT_FACT_COUNT]
        if broken > total:
            yield f"{broken} broken project facts of {total}"


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
