"""Project facts of a commit, worst first."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import ProjectFactByDegree


class ProjectFactByDegreeStore(ABC):
    """Create-only mappings that keep the degree they were made with. Readers get the fact itself and compare."""

    @abstractmethod
    def create(self, mapping: ProjectFactByDegree) -> None:
        """Insert; `AlreadyExists` where exactly this mapping exists."""

    @abstractmethod
    def list_after(self, uri: str, after: tuple[float, str] | None, limit: int) -> tuple[ProjectFactByDegree, ...]:
        """At most `limit` (positive) mappings of a URI, after the exclusive key (degree, project).

        By degree descending, then by project bytewise ascending.
        """
