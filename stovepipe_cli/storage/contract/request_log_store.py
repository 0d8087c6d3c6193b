"""Retained history."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import RequestLog


class RequestLogStore(ABC):
    """Append-only entries, one set a request. Nothing updates or deletes them."""

    @abstractmethod
    def create(self, entry: RequestLog) -> None:
        """Insert a valid entry; `AlreadyExists` where (request_id, id) is taken."""

    @abstractmethod
    def get(self, request_id: str, log_id: str) -> RequestLog:
        """The entry with exactly this key, else `NotFound`."""

    @abstractmethod
    def list(self, request_id: str) -> tuple[RequestLog, ...]:
        """Every entry of a request by (timestamp_ms, id bytewise); empty where there is none, which is an answer."""

    @abstractmethod
    def list_after(self, request_id: str, after: tuple[int, str] | None, limit: int) -> tuple[RequestLog, ...]:
        """At most `limit` (positive) entries in the order of `list`, after the key (timestamp_ms, id)."""
