"""Whether a retained entry and one offered under the same identity tell of the same occurrence."""

from dataclasses import dataclass

from stovepipe_cli.entities import RequestLog

_SNAPSHOT_EVENT = "build_analysis_completed"
_SNAPSHOT_SUFFIX = "count"


@dataclass(frozen=True, slots=True)
class CountDifference:
    """A later count of an event whose first retained count stands."""

    request_id: str
    log_id: str
    key: str
    retained: str
    offered: str


def differing_fields(retained: RequestLog, offered: RequestLog) -> tuple[str, ...]:
    """The fields in which the two contradict each other; empty where they are the same occurrence.

    The time is never compared: the first retained one stands. A metadata key that only one of them has is no
    difference, so that entries of older and newer writers agree.
    """
    pairs: tuple[tuple[str, str | int, str | int], ...] = (
        ("id", retained.id, offered.id),
        ("queue", retained.queue, offered.queue),
        ("request_id", retained.request_id, offered.request_id),
        ("state", retained.state, offered.state),
        ("event", retained.event, offered.event),
        ("request_version", retained.request_version, offered.request_version),
        ("outcome_reason", retained.outcome_reason, offered.outcome_reason),
    )
    found = [name for name, ours, theirs in pairs if ours != theirs]
    if retained.malformed_metadata:
        found.append("metadata")
    counted = {difference.key for difference in count_differences(retained, offered)}
    found += [f"metadata '{key}'" for key in _contradicting_keys(retained, offered) if key not in counted]
    return tuple(found)


def count_differences(retained: RequestLog, offered: RequestLog) -> tuple[CountDifference, ...]:
    """Counts of a completed build analysis that differ from the retained snapshot, which is no conflict."""
    if (retained.event, offered.event) != (_SNAPSHOT_EVENT, _SNAPSHOT_EVENT):
        return ()
    return tuple(
        CountDifference(retained.request_id, retained.id, key, retained.metadata[key], offered.metadata[key])
        for key in _contradicting_keys(retained, offered)
        if key.endswith(_SNAPSHOT_SUFFIX)
    )


def _contradicting_keys(retained: RequestLog, offered: RequestLog) -> list[str]:
    both = sorted(retained.metadata.keys() & offered.metadata.keys())
    return [key for key in both if retained.metadata[key] != offered.metadata[key]]
