"""Issues open now."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import OpenIssue


class OpenIssueStore(ABC):
    """A row exists only while an issue is open; it is immutable and names the build that first saw this opening."""

    @abstractmethod
    def create(self, issue: OpenIssue) -> None:
        """Insert; `AlreadyExists` where (task, unit) is open, whichever build saw it first."""

    @abstractmethod
    def get(self, task_id: str, unit_id: str) -> OpenIssue:
        """The opening of exactly this (task, unit), else `NotFound`."""

    @abstractmethod
    def delete(self, issue: OpenIssue) -> bool:
        """Remove this very opening; True where a row went. Absent, or opened by another build: no-op, False."""

    @abstractmethod
    def list_after(self, after: tuple[str, str] | None, limit: int) -> tuple[OpenIssue, ...]:
        """At most `limit` (positive) openings in byte order of (task, unit), after the exclusive key.

        The key's row need not exist. `InvalidEntity` for a unit without a task.
        """
