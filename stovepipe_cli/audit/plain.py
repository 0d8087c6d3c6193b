"""Requests with nothing out of the ordinary, told from all others without a dossier and without reading JSON.

Most requests of a queue went the usual way: every entry has its identity, metadata is text that can be foretold, and
the summary says the same. What is left to check of them stands in other tables, and is told as a mark. Those of one
course are compared column by column, and one by one where that finds a difference.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from stovepipe_cli.audit.alike import Alike, Bare, Marks
from stovepipe_cli.audit.course import Course, Entry, course_of, entry_of, usual_courses
from stovepipe_cli.audit.plain_metadata import degree_in
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, unfolded

# A request, its folded history and its summary, which is empty where summaries do not count.
_Files = tuple[Bare, Bare, Bare]
_DegreesOf = Callable[[Course, Sequence[str], Sequence[Sequence[str]]], list[float] | None]

_NOTHING: Bare = ()

# Beyond this many kinds of histories, memory counts more than meeting one again.
_MOST_REMEMBERED = 4_096


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
            if [BETWEEN_ENTRIES.join(ids)] != course.columns[0].filled(values, 1):
                return None
            builds, _, _, bases = values
            degree = degree_in(metadata, course, bases[0], builds[0])
            return None if degree is None else [degree]

        return self._take(marks, course, [each], degrees_of)

    def _take(self, marks: Marks, course: Course, same: Sequence[_Files], degrees_of: _DegreesOf) -> bool:
        """Mark requests of one course where all of them are plain; else nothing is done."""
        requests, histories, summaries = zip(*same, strict=True)
        alike = Alike(course, requests, summaries if self._has_summaries else ())
        _, _, texts, times, _ = zip(*histories, strict=True)
        at = _times(times, course)
        if at is None or not alike.agrees(at):
            return False
        builds = alike.builds
        if course.has_build and not all(builds):
            builds = tuple(named or self._build_in(course, text) for named, text in zip(builds, texts, strict=True))
        values = alike.values(builds)
        degrees = None if values is None else degrees_of(course, texts, values)
        if degrees is None:
            return False
        alike.mark(marks, at[0], builds, degrees)
        return True

    def _degrees(self, course: Course, texts: Sequence[str], values: Sequence[Sequence[str]]) -> list[float] | None:
        """The degrees of facts where every history has the text that the service of today writes; else None."""
        pattern = course.by_column if self._is_by_column else course.by_entry
        return course.degrees(len(texts)) if [*texts] == pattern.filled(values, len(texts)) else None

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
    """The times of each state of all requests; None where one is no time."""
    # The database counts the entries, so that no text can make up for what another one lacks.
    size = len(course.entries)
    try:
        times = [*map(int, BETWEEN_ENTRIES.join(texts).split(BETWEEN_ENTRIES))]
    except ValueError:
        return None
    if len(times) != size * len(texts) or min(times) <= 0:
        return None
    return [times[place::size] for place in course.states]
