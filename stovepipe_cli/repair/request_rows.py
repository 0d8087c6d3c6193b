"""The stored rows that can prove something of one request."""

from dataclasses import dataclass

from stovepipe_cli.entities import (
    Build,
    Request,
    RequestAcceptance,
    RequestLog,
    RequestSummary,
    RequestURI,
    ValidationFact,
)
from stovepipe_cli.history.metadata_keys import BUILD_ID


@dataclass(frozen=True, slots=True)
class RequestRows:
    """All of one queue, and of one moment as far as a page of requests was read in one snapshot.

    `builds`, `acceptances` and `facts` are those of the request; `uri_fact` is the repository fact at its uri and
    `uri_mapping` the mapping of its uri, whichever request they name.
    """

    request: Request
    log: tuple[RequestLog, ...] = ()
    summary: RequestSummary | None = None
    builds: tuple[Build, ...] = ()
    acceptances: tuple[RequestAcceptance, ...] = ()
    facts: tuple[ValidationFact, ...] = ()
    uri_fact: ValidationFact | None = None
    uri_mapping: RequestURI | None = None

    @property
    def states(self) -> tuple[RequestLog, ...]:
        """The retained state entries by version."""
        return tuple(sorted((entry for entry in self.log if entry.is_state), key=lambda entry: entry.request_version))

    def build(self, build_id: str) -> Build | None:
        """The request's build of that id."""
        return next((build for build in self.builds if build.id == build_id), None)

    def entries_of(self, *events: str) -> tuple[RequestLog, ...]:
        """The retained entries of these events."""
        return tuple(entry for entry in self.log if entry.event in events)

    def retains(self, log_id: str) -> bool:
        """Whether an entry has this identity."""
        return any(entry.id == log_id for entry in self.log)

    @property
    def builds_named(self) -> frozenset[str]:
        """The builds that retained entries name."""
        named = (entry.metadata.get(BUILD_ID, "") for entry in self.log)
        return frozenset(build_id for build_id in named if build_id)
