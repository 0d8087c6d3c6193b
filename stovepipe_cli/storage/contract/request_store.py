"""Requests."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import Request


class RequestStore(ABC):
    """Requests by id. The caller owns version arithmetic and the legality of a state change."""

    @abstractmethod
    def create(self, request: Request) -> None:
        """Insert; `AlreadyExists` where the id is taken."""

    @abstractmethod
    def get(self, request_id: str) -> Request:
        """The request with exactly this id, else `NotFound`."""

    @abstractmethod
    def update(self, request: Request, *, old_version: int, new_version: int) -> None:
        """Write all fields but the key and set `new_version` where the row still has `old_version`.

        `VersionMismatch` where it has another one or is missing. `request.version` is not read.
        """
