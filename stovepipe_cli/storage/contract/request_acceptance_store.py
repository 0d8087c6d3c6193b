"""Acceptance mappings, the order of the service's listing."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns


class RequestAcceptanceStore(ABC):
    """Create-only mappings keyed by (accepted_at_ms, request id as bytes)."""

    @abstractmethod
    def create(self, acceptance: RequestAcceptance) -> None:
        """Insert; `AlreadyExists` where exactly this mapping exists."""

    @abstractmethod
    def get(self, accepted_at_ms: int, request_id: str) -> RequestAcceptance:
        """Exactly this mapping, else `NotFound`."""

    @abstractmethod
    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        """Insert in one transaction those that do not exist and return them, in the order given; all or nothing."""

    def create_missing_columns(self, mappings: MappingColumns) -> MappingColumns:
        """The same for very many, most of which are thought not to exist."""
        created = self.create_missing(mappings.acceptances())
        if len(created) == len(mappings):
            return mappings
        return MappingColumns.of(mappings.queue, ((each.accepted_at_ms, each.request_id) for each in created))

    @abstractmethod
    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        """At most `limit` (positive) mappings with accepted_at_or_after_ms <= time < accepted_before_ms.

        Descending by (time, request id bytes), after the exclusive cursor `before`. `InvalidEntity` where the
        bounds are negative or empty.
        """
