"""Requests with nothing out of the ordinary, told from all others without a dossier and without reading JSON.

Most requests of a queue went the usual way: every entry has its identity, metadata is text that can be foretold, and
the summary says the same. What is left to check of them stands in other tables, and is told as a mark. Those of one
course are compared column by column, and one by one where that finds a difference.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter, le
from typing import Any

from stovepipe_cli.audit.course import Course, Entry, course_of, entry_of, usual_courses
from stovepipe_cli.audit.plain_metadata import are_plain, degree_in
from stovepipe_cli.history.identity import fact_occurrence
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, unfolded

Bare = tuple[Any, ...]

# A request, its folded history and its summary, which is empty where summaries do not count.
_Files = tuple[Bare, Bare, Bare]
_DegreesOf = Callable[[Course, Sequence[str], Sequence[Sequence[str]]], list[float] | None]

_NOTHING: Bare = ()
NO_FACT = -1.0

# Beyond this many kinds of histories, memory counts more than meeting one again.
_MOST_REMEMBERED = 4_096


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


class PlainRequests:
    """Tells them, and remembers the kinds of histories it has met."""

    def __init__(self, *, has_summaries: bool) -> None:
        self._has_summaries = has_summaries
        self._usual = usual_courses()
        self._is_by_column = False
        self._courses: dict[tuple[Entry, ...], Course | None] = {}

    def sort(
        self, requests: Sequence[Bare], histories: Sequence[Bare], summaries: Sequence[Bare], *, is_by_column: bool
    ) -> tuple[Marks, list[Bare]]:
        """The marks of those that are plain, and the rows of all others.

        `histories` are those of the requests that have entries, folded, and `summaries` their rows where they count.
        """
        self._is_by_column = is_by_column
        marks = Marks()
        others: list[Bare] = []
        by_id = {history[0]: history for history in histories}
        summary_of = {summary[0]: summary for summary in summaries}
        of_kind: dict[tuple[str, int, int], list[_Files]] = defaultdict(list)
        for request in requests:
            history = by_id.get(request[0])
            summary = summary_of.get(request[0], _NOTHING)
            if history is None or (self._has_summaries and not summary):
                others.append(request)
            else:
                of_kind[request[2], request[5], history[1]].append((request, history, summary))
        for kind, same in of_kind.items():
            course = self._usual.get(kind)
            if course is None or not self._take(marks, course, same, self._degrees):
                others += [each[0] for each in same if not self._take_one(marks, each)]
        return marks, others

    def _take_one(self, marks: Marks, each: _Files) -> bool:
        """Mark a request if it is plain, whatever the order and form of its entries."""
        rows = unfolded(each[1][2], each[1][1], is_by_column=self._is_by_column)
        if rows is None:
            return False
        ids, *words, metadata = zip(*rows, strict=True)
        course = self._remember(tuple(map(entry_of, *words)))
        if course is None or (course.state, course.version) != (each[0][2], each[0][5]):
            return False

        def degrees_of(course: Course, _texts: Sequence[str], values: Sequence[Sequence[str]]) -> list[float] | None:
            if [BETWEEN_ENTRIES.join(ids)] != course.ids.filled(values, 1):
                return None
            builds, _, _, bases = values
            degree = degree_in(metadata, course, bases[0], builds[0])
            return None if degree is None else [degree]

        return self._take(marks, course, [each], degrees_of)

    def _take(self, marks: Marks, course: Course, same: Sequence[_Files], degrees_of: _DegreesOf) -> bool:
        """Mark requests of one course where all of them are plain; else nothing is done."""
        ids, uris, _, _, bases, _, terminals = zip(*map(itemgetter(0), same), strict=True)
        _, _, texts, times, _ = zip(*map(itemgetter(1), same), strict=True)
        if not all(uris) or not are_plain(set(bases)):
            return False
        at = _times(times, course)
        if at is None or (self._has_summaries and not _are_projected(course, same, (uris, bases), at)):
            return False
        builds = terminals
        if course.has_build and not all(terminals):
            builds = tuple(named or self._build_in(course, text) for named, text in zip(terminals, texts, strict=True))
        if (not all(builds) if course.has_build else any(builds)) or not are_plain(builds):
            return False
        occurrences = [*map(fact_occurrence, uris)] if course.has_fact else []
        recorded = ["0" if course.state == "succeeded" else "1"] * len(same)
        degrees = degrees_of(course, texts, (builds, occurrences, recorded, bases))
        if degrees is None:
            return False
        marks.ids += ids
        marks.uris += uris
        marks.accepted_at_ms += at[0]
        marks.builds += builds
        marks.outcomes += [course.state] * len(same)
        marks.degrees += degrees if course.has_fact else [NO_FACT] * len(same)
        return True

    def _degrees(self, course: Course, texts: Sequence[str], values: Sequence[Sequence[str]]) -> list[float] | None:
        """The degrees of facts where every history has the text that the service of today writes; else None."""
        pattern = course.by_column if self._is_by_column else course.by_entry
        if [*texts] != pattern.filled(values, len(texts)):
            return None
        return [0.0 if course.state == "succeeded" else 1.0] * len(texts)

    def _build_in(self, course: Course, text: str) -> str:
        rows = unfolded(text, len(course.entries), is_by_column=self._is_by_column)
        return "" if rows is None else course.build_named_in([row[0] for row in rows])

    def _remember(self, entries: tuple[Entry, ...]) -> Course | None:
        if len(self._courses) >= _MOST_REMEMBERED:
            self._courses.clear()
        if entries not in self._courses:
            self._courses[entries] = course_of(entries)
        return self._courses[entries]


def _times(texts: Sequence[str], course: Course) -> list[list[int]] | None:
    """The times of each state of all requests; None where one is no time, or they run backwards."""
    # The database counts the entries, so that no text can make up for what another one lacks.
    size = len(course.entries)
    try:
        times = [*map(int, BETWEEN_ENTRIES.join(texts).split(BETWEEN_ENTRIES))]
    except ValueError:
        return None
    if len(times) != size * len(texts) or min(times) <= 0:
        return None
    at = [times[place::size] for place in course.states]
    return at if all(all(map(le, before, after)) for before, after in pairwise(at)) else None


def _are_projected(
    course: Course,
    same: Sequence[_Files],
    wanted: tuple[Sequence[str], Sequence[str]],
    at: Sequence[Sequence[int]],
) -> bool:
    """Whether the summaries say the same, and know of no project."""
    _, *found = zip(*map(itemgetter(2), same), strict=True)
    uris, bases, states, versions, ended, _, accepted, reasons, *projects = found
    size = len(same)
    return (
        (uris, bases) == wanted
        and states.count(course.state) == size
        and versions.count(course.version) == size
        and [*ended] == at[-1]
        and [*accepted] == at[0]
        and reasons.count(course.reason) == size
        and all(column.count(0) == size for column in projects)
    )
