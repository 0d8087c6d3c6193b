"""Verdicts."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import ValidationFact


class ValidationFactStore(ABC):
    """Create-only facts: the first writer wins, and a missing fact says nothing about green."""

    @abstractmethod
    def create(self, fact: ValidationFact) -> None:
        """Insert; `AlreadyExists` where (uri, project) has a fact, whichever request wrote it."""

    @abstractmethod
    def get(self, uri: str, project: str = "") -> ValidationFact:
        """The fact of exactly this (uri, project), else `NotFound`; an empty project is the repository."""

    @abstractmethod
    def list_after(self, uri: str, project: str | None, limit: int) -> tuple[ValidationFact, ...]:
        """At most `limit` (positive) facts of a URI in byte order of project, after `project` (None: from the start).

        The repository fact, with its empty project, comes first.
        """
