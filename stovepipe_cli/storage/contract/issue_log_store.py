"""Transitions of issues."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import IssueLog


class IssueLogStore(ABC):
    """Create-only transitions. They stay when an issue's open row goes, and the first timestamp stays on a repeat."""

    @abstractmethod
    def create(self, entry: IssueLog) -> None:
        """Insert; `AlreadyExists` where (task, unit, build, event) is taken, whatever its timestamp."""

    @abstractmethod
    def get(self, task_id: str, unit_id: str, build_id: str, event: str) -> IssueLog:
        """Exactly this transition, else `NotFound`."""

    @abstractmethod
    def list_after(self, task_id: str, unit_id: str, after: tuple[str, str] | None, limit: int) -> tuple[IssueLog, ...]:
        """At most `limit` (positive) transitions of a (task, unit) in byte order of (build, event), after that key.

        Build ids order nothing in time: sort by timestamp to read them as they came.
        """
