"""Observations of issues in builds."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import BuildIssue


class BuildIssueStore(ABC):
    """Immutable observations. They tell what a build showed, not what is open now."""

    @abstractmethod
    def create(self, issue: BuildIssue) -> None:
        """Insert; `AlreadyExists` where the build observed it already, which a caller may take for success."""

    @abstractmethod
    def get(self, build_id: str, task_id: str, unit_id: str) -> BuildIssue:
        """Exactly this observation, else `NotFound`."""

    @abstractmethod
    def list_after(self, build_id: str, after: tuple[str, str] | None, limit: int) -> tuple[BuildIssue, ...]:
        """At most `limit` (positive) observations of a build in byte order of (task, unit), after the exclusive key.

        The key's row need not exist; `InvalidEntity` for a unit without a task. An empty page says that nothing was
        observed from there on, never that the build succeeded or its analysis ended.
        """
