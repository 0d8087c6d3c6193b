"""Requests of one course, compared column by column: what their history must hold, and what they are marked with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import le
from typing import Any

from stovepipe_cli.audit.course import Course
from stovepipe_cli.audit.plain_metadata import are_plain
from stovepipe_cli.history.identity import fact_occurrences

Bare = tuple[Any, ...]

NO_FACT = -1.0


@dataclass(slots=True)
class Marks:
    """What other tables must hold of plain requests, and nothing else of them, in parallel.

    An empty build is none, and a degree of `NO_FACT` no fact; `outcomes` tell how the builds ended.
    """

    ids: list[str] = field(default_factory=list)
    uris: list[str] = field(default_factory=list)
    accepted_at_ms: list[int] = field(default_factory=list)
    builds: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    degrees: list[float] = field(default_factory=list)


class Alike:
    """Rows of requests that are as `course` says, and of their summaries where those count, else none."""

    def __init__(self, course: Course, requests: Sequence[Bare], summaries: Sequence[Bare]) -> None:
        self._course = course
        self._summaries = summaries
        self._ids, self._uris, _, _, self._bases, _, self.builds = zip(*requests, strict=True)

    def agrees(self, at: Sequence[Sequence[int]]) -> bool:
        """Whether nothing speaks against them but perhaps their entries; `at` are the times of each state of all."""
        return (
            all(self._uris)
            and are_plain(set(self._bases))
            and all(all(map(le, before, after)) for before, after in pairwise(at))
            and (not self._summaries or self._are_projected(at))
        )

    def values(self, builds: Sequence[str]) -> tuple[Sequence[str], ...] | None:
        """What is to be filled into the course's patterns; None where they have other `builds` than the course."""
        course = self._course
        if (not all(builds) if course.has_build else any(builds)) or not are_plain(builds):
            return None
        occurrences = fact_occurrences(self._uris) if course.has_fact else []
        recorded = ["0" if course.state == "succeeded" else "1"] * len(self._ids)
        return builds, occurrences, recorded, self._bases

    def mark(
        self, marks: Marks, accepted_at_ms: Sequence[int], builds: Sequence[str], degrees: Sequence[float]
    ) -> None:
        """Mark all of them."""
        marks.ids += self._ids
        marks.uris += self._uris
        marks.accepted_at_ms += accepted_at_ms
        marks.builds += builds
        marks.outcomes += [self._course.state] * len(self._ids)
        marks.degrees += degrees if self._course.has_fact else [NO_FACT] * len(self._ids)

    def _are_projected(self, at: Sequence[Sequence[int]]) -> bool:
        """Whether the summaries say the same, and know of no project."""
        course = self._course
        _, *found = zip(*self._summaries, strict=True)
        uris, bases, states, versions, ended, _, accepted, reasons, *projects = found
        size = len(self._ids)
        return (
            (uris, bases) == (self._uris, self._bases)
            and states.count(course.state) == size
            and versions.count(course.version) == size
            and [*ended] == [*at[-1]]
            and [*accepted] == [*at[0]]
            and reasons.count(course.reason) == size
            and all(column.count(0) == size for column in projects)
        )
