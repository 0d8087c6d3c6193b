"""Builds."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import Build


class BuildStore(ABC):
    """Builds by id. Whether a status may follow another is the caller's rule."""

    @abstractmethod
    def create(self, build: Build) -> None:
        """Insert; `AlreadyExists` where the id is taken."""

    @abstractmethod
    def get(self, build_id: str) -> Build:
        """The build with exactly this id, else `NotFound`."""

    @abstractmethod
    def update(self, build: Build, *, old_version: int, new_version: int) -> None:
        """Write the status and `new_version` where the row still has `old_version`, else `VersionMismatch`."""
