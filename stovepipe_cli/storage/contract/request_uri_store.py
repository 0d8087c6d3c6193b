"""Look-up from a commit URI to its request."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import RequestURI


class RequestURIStore(ABC):
    """Create-only mapping; the first request of a URI keeps it."""

    @abstractmethod
    def create(self, mapping: RequestURI) -> None:
        """Insert; `AlreadyExists` where the URI is mapped."""

    @abstractmethod
    def get(self, uri: str) -> RequestURI:
        """The mapping of exactly this URI, else `NotFound`."""
