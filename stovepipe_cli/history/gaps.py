"""What is missing around one request: entries that other rows prove, and rows that its entries call for.

Each function judges what it is given and nothing else; the state entries themselves are judged in `consistency`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stovepipe_cli.entities import (
    Build,
    Request,
    RequestAcceptance,
    RequestLog,
    RequestSummary,
    RequestURI,
    ValidationFact,
)
from stovepipe_cli.history.identity import BUILD_EVENTS, event_log_id, fact_occurrence
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.instants import format_instant

MISSING_CODES = frozenset({"H101", "H102", "H103", "H104", "E201", "E202", "E206", "P301", "P306", "A401"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Rows beside a request's history. None is a table that was not read; empty says that it holds nothing of it.

    `asked_builds` are the ids that builds were looked for by: one without a row in `builds` does not exist.
    """

    builds: tuple[Build, ...] | None = None
    asked_builds: Collection[str] = ()
    facts: tuple[ValidationFact, ...] | None = None
    summaries: tuple[RequestSummary, ...] | None = None
    acceptances: tuple[RequestAcceptance, ...] | None = None
    uri_mappings: tuple[RequestURI, ...] | None = None


@dataclass(frozen=True, slots=True)
class EntriesOfBuilds:
    """Which builds the retained entries tell of, by event: as the last part of their identity or in their metadata."""

    named: dict[str, set[str]] = field(default_factory=dict)

    def add(self, entry: RequestLog) -> None:
        """Take account of an entry."""
        if entry.event not in BUILD_EVENTS:
            return
        names = self.named.setdefault(entry.event, set())
        names.add(entry.id.removeprefix(event_log_id(entry.event, "")))
        names.add(entry.metadata.get(BUILD_ID, ""))

    def has(self, event: str, build_id: str) -> bool:
        """Whether an entry of this event tells of the build."""
        return build_id in self.named.get(event, ())


class Missing(NamedTuple):
    """Something that ought to be there. `log_id` is that of a missing entry, empty for another row."""

    code: str
    log_id: str
    versions: tuple[int, ...]
    message: str


def missing_around(
    request: Request | None,
    entries: Sequence[RequestLog],
    surroundings: Surroundings,
    of_builds: EntriesOfBuilds | None = None,
) -> tuple[Missing, ...]:
    """E201, E202, E206, P301, P302, P306, A401 and U501, as far as rows were given; before hiding.

    `of_builds` tells of entries that are not among `entries` as well.
    """
    if request is None:
        return ()
    if of_builds is None:
        of_builds = EntriesOfBuilds()
        for entry in entries:
            of_builds.add(entry)
    found = [
        *build_entries_missing(request, of_builds, surroundings.builds or ()),
        *fact_entry_missing(request, entries, surroundings.facts or ()),
    ]
    if surroundings.summaries is not None:
        summary = next((each for each in surroundings.summaries if each.request_id == request.id), None)
        found += summary_missing(entries, summary)
        found += accepted_time_unset(entries, summary)
        if surroundings.acceptances is not None:
            found += acceptance_missing(summary, surroundings.acceptances)
    if surroundings.uri_mappings is not None:
        found += uri_mapping_missing(request, surroundings.uri_mappings)
    return tuple(found)


def build_entries_missing(request: Request, entries: EntriesOfBuilds, builds: Iterable[Build]) -> list[Missing]:
    """E201 and E202: a build without its entry, a finished one without the entry of its end."""
    found: list[Missing] = []
    for build in builds:
        if build.request_id != request.id:
            continue
        if not entries.has("build_triggered", build.id):
            message = f"build '{build.id}' exists, the entry of its start is missing"
            found.append(Missing("E201", event_log_id("build_triggered", build.id), (), message))
        if build.is_terminal and not entries.has("build_finished", build.id):
            message = f"build '{build.id}' is '{build.status}', the entry of its end is missing"
            found.append(Missing("E202", event_log_id("build_finished", build.id), (), message))
    return found


def fact_entry_missing(
    request: Request, entries: Sequence[RequestLog], facts: Iterable[ValidationFact]
) -> list[Missing]:
    """E206: a repository fact of the request, and no entry of any fact."""
    if any(entry.event == "validation_fact_recorded" for entry in entries):
        return []
    return [
        Missing(
            "E206",
            event_log_id("validation_fact_recorded", fact_occurrence(fact.uri)),
            (),
            f"the fact of '{fact.uri}' exists, its entry is missing",
        )
        for fact in facts
        if fact.request_id == request.id and not fact.project
    ]


def summary_missing(entries: Sequence[RequestLog], summary: RequestSummary | None) -> list[Missing]:
    """P301 and P302: history without a summary, or with one that is older than the newest state."""
    if summary is None:
        return [Missing("P301", "", (), "there is history, the summary is missing")] if entries else []
    newest = max((entry.request_version for entry in entries if entry.is_state), default=0)
    if summary.request_version >= newest:
        return []
    message = f"the summary is at version {summary.request_version}, the newest state entry at {newest}"
    return [Missing("P302", "", (newest,), message)]


def accepted_time_unset(entries: Sequence[RequestLog], summary: RequestSummary | None) -> list[Missing]:
    """P306: the accepted entry is there, and the summary does not know its time."""
    accepted = next((entry for entry in entries if entry.state == "accepted" and entry.request_version == 1), None)
    if summary is None or summary.accepted_at_ms or accepted is None or accepted.timestamp_ms <= 0:
        return []
    return [Missing("P306", "", (), "the summary does not know the accepted time, which the accepted entry has")]


def acceptance_missing(summary: RequestSummary | None, acceptances: Iterable[RequestAcceptance]) -> list[Missing]:
    """A401: the summary knows when the request was accepted, and no mapping of it exists."""
    if summary is None or not summary.accepted_at_ms:
        return []
    if any(mapping.request_id == summary.request_id for mapping in acceptances):
        return []
    message = (
        f"accepted at {format_instant(summary.accepted_at_ms)} by its summary, no acceptance mapping has that time"
    )
    return [Missing("A401", "", (), message)]


def uri_mapping_missing(request: Request, mappings: Iterable[RequestURI]) -> list[Missing]:
    """U501: no row leads from the request's uri to a request."""
    if not request.uri or any(mapping.uri == request.uri for mapping in mappings):
        return []
    return [Missing("U501", "", (), f"no row maps its uri '{request.uri}' to a request")]
