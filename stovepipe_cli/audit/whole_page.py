"""A page of requests compared with all entries of its log at once, which takes half of what folding them takes.

The texts of whole columns are made from the requests, for the usual courses in the order of their ids. Where nothing
differs to the last byte, every request is plain. Where anything does, nothing is known of any of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import itemgetter, mul

from stovepipe_cli.audit.alike import Alike, Bare, Marks
from stovepipe_cli.audit.course import usual_courses
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, FOLDED_COLUMNS, LogTexts
from stovepipe_cli.storage.contract.rows import RequestRow

# State and version of a request.
_Kind = tuple[str, int]
_KIND = itemgetter(RequestRow._fields.index("state"), RequestRow._fields.index("version"))
_Texts = dict[_Kind, Iterator[str]]

# After pages that differ, so many are not tried at most: where one request in a thousand is out of the ordinary, nearly
# every page holds one.
_LONGEST_REST = 64


class WholePages:
    """Tells pages on which every request is plain. After one that is not, it rests for twice as many as before."""

    def __init__(self) -> None:
        self._courses = {kind[:2]: course for kind, course in usual_courses().items()}
        self._left = self._rest = 0

    def is_worth_it(self) -> bool:
        """Whether to try the next page."""
        self._left -= self._left > 0
        return not self._left

    def marks(self, requests: Sequence[Bare], summaries: Sequence[Bare] | None, log: LogTexts) -> Marks | None:
        """The marks of all requests; None where one may be out of the ordinary.

        `requests` are in the order of `log`, and `summaries` their rows where they count.
        """
        found = None if log.is_odd or not requests else self._compared(requests, summaries, log)
        self._rest = 0 if found is not None else min(2 * self._rest + 1, _LONGEST_REST)
        self._left = self._rest
        return found

    def _compared(self, requests: Sequence[Bare], summaries: Sequence[Bare] | None, log: LogTexts) -> Marks | None:
        kinds: list[_Kind] = [*map(_KIND, requests)]
        if not self._courses.keys() >= {*kinds}:
            return None
        sizes = [len(self._courses[kind].entries) for kind in kinds]
        # The database counts the entries, so that no text can make up for what another one lacks.
        if sum(sizes) != log.entries or not _are_owners(requests, sizes, log.columns[0]):
            return None
        marks = Marks()
        made: list[_Texts] = [{} for _ in FOLDED_COLUMNS]
        if not self._make(marks, made, kinds, _Files(requests, summaries, log, sizes)):
            return None
        columns = zip(made, log.columns[1:], strict=True)
        is_same = all(BETWEEN_ENTRIES.join(map(next, map(texts.__getitem__, kinds))) == text for texts, text in columns)
        return marks if is_same else None

    def _make(self, marks: Marks, made: list[_Texts], kinds: Sequence[_Kind], files: "_Files") -> bool:
        """Mark all requests, and make the texts of each column, those of a kind one after the other."""
        places: dict[_Kind, list[int]] = defaultdict(list)
        for place, kind in enumerate(kinds):
            places[kind].append(place)
        for kind, own in places.items():
            course = self._courses[kind]
            at, summaries = files.times(own, course.states), files.summaries(own)
            if at is None or summaries is None:
                return False
            alike = Alike(course, [files.requests[place] for place in own], summaries)
            values = alike.values(alike.builds) if alike.agrees(at) else None
            if values is None:
                return False
            for texts, pattern in zip(made, course.columns, strict=True):
                texts[kind] = iter(pattern.filled(values, len(own)))
            alike.mark(marks, at[0], alike.builds, course.degrees(len(own)))
        return True


class _Files:
    """What is there of the requests of a page."""

    def __init__(
        self, requests: Sequence[Bare], summaries: Sequence[Bare] | None, log: LogTexts, sizes: Sequence[int]
    ) -> None:
        self.requests = requests
        self._summary_of = None if summaries is None else {summary[0]: summary for summary in summaries}
        self._starts = [0, *accumulate(sizes)]
        self._times = _times(log)

    def times(self, places: Sequence[int], states: Sequence[int]) -> list[list[int]] | None:
        """Of some requests, the times of each state; None where one of the page is no time."""
        times, starts = self._times, self._starts
        if times is None:
            return None
        return [[times[starts[place] + state] for place in places] for state in states]

    def summaries(self, places: Sequence[int]) -> list[Bare] | None:
        """Their summaries, none where they do not count; None where one lacks."""
        if self._summary_of is None:
            return []
        found = [summary for place in places if (summary := self._summary_of.get(self.requests[place][0])) is not None]
        return found if len(found) == len(places) else None


def _are_owners(requests: Sequence[Bare], sizes: Sequence[int], text: str) -> bool:
    """Whether as many entries are of each request as its course has."""
    names = [request[0] + BETWEEN_ENTRIES for request in requests]
    return "".join(map(mul, names, sizes)) == text + BETWEEN_ENTRIES


def _times(log: LogTexts) -> list[int] | None:
    """The time of each entry; None where one is no time."""
    try:
        times = [*map(int, log.times.split(BETWEEN_ENTRIES))]
    except ValueError:
        return None
    return times if len(times) == log.entries and min(times) > 0 else None
