"""Current read model of requests."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import RequestSummary


class RequestSummaryStore(ABC):
    """One projection a request. The projection's version is its own, apart from the request's."""

    @abstractmethod
    def create(self, summary: RequestSummary) -> None:
        """Insert; `AlreadyExists` where the request has a summary. Absent columns are not written."""

    @abstractmethod
    def get(self, request_id: str) -> RequestSummary:
        """The summary of exactly this request, else `NotFound`."""

    @abstractmethod
    def update(self, summary: RequestSummary, *, old_version: int, new_version: int) -> None:
        """Write all fields but key and uri, and `new_version`, where the row still has `old_version`.

        `VersionMismatch` where it has another one or is missing.
        """

    @abstractmethod
    def retains(self, field: str) -> bool:
        """Whether the database has a column for this field of the summary, so that a known value would stay."""
