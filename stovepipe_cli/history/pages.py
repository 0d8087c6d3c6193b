"""Reads a request's entries page by page, and with each page the builds that it names."""

from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from stovepipe_cli.entities import Build, Request, RequestLog
from stovepipe_cli.history.contradictions import build_named_by
from stovepipe_cli.history.folding import Folder
from stovepipe_cli.history.gaps import EntriesOfBuilds
from stovepipe_cli.history.metadata_keys import BUILD_ID, REPAIR_RUN_ID
from stovepipe_cli.history.timeline import TimelineEntry, entry_marks
from stovepipe_cli.reports import Fold
from stovepipe_cli.reports.history import REPAIRED
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import BuildRow

PAGE = 5000

# Builds whose own entries are looked for: no index leads from a request to its builds, so each is kept in mind.
MOST_BUILDS = 50_000

# Up to this many builds a row at a time costs less than a snapshot for all.
_ONE_BY_ONE = 3


@dataclass(slots=True)
class Reading:
    """What was kept of the entries, in order, and what is known of those that were not.

    `last` are the latest entries of all, where those alone are to be shown. `marks` counts the marks of all, but for
    those of repairs.
    """

    marked: list[TimelineEntry] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    last: list[TimelineEntry] | None = None
    total: int = 0
    marks: int = 0
    builds: dict[str, Build] = field(default_factory=dict)
    asked_builds: set[str] = field(default_factory=set)
    of_builds: EntriesOfBuilds = field(default_factory=EntriesOfBuilds)
    has_builds: bool = True


def nobody_waits(_entries: int) -> None:
    """Progress that nobody is told."""


def read_entries(
    storage: Storage,
    request_id: str,
    request: Request | None,
    *,
    is_folded: bool = False,
    tail: int | None = None,
    progress: Callable[[int], None] = nobody_waits,
) -> Reading:
    """Every entry with its own marks. `is_folded`: repetitions are counted, and of each the first and last are kept.

    `tail` is how many of the latest to have by themselves. What is kept then does not grow with the history but where
    entries stand alone. `progress` is told after each page how many entries were read.
    """
    reading = Reading()
    last: deque[TimelineEntry] = deque(maxlen=tail or 0)
    folder: Folder[TimelineEntry] = Folder()
    for page in _pages(storage, request_id):
        named = [_builds_named(entry) for entry in page]
        names_in_order = dict.fromkeys(name for names in named for name in names)
        builds, asked = _builds_of(storage, names_in_order, request, reading)
        for entry, names in zip(page, named, strict=True):
            marked = TimelineEntry(entry, entry_marks(request, entry, builds, asked))
            reading.marks += count_marks(marked)
            last.append(marked)
            if not reading.asked_builds.isdisjoint(names):
                reading.of_builds.add(entry)
            if is_folded or tail is not None:
                folder.add(marked, _kind(marked))
            else:
                reading.marked.append(marked)
        reading.total += len(page)
        progress(reading.total)
    if is_folded or tail is not None:
        folder.finish()
        reading.marked, reading.folds = folder.kept, folder.folds
    if tail is not None:
        reading.last = [*last]
    return reading


def count_marks(marked: TimelineEntry) -> int:
    """How many marks an entry has, but for that of a repair."""
    return sum(mark.code != REPAIRED for mark in marked.marks)


def _pages(storage: Storage, request_id: str) -> Iterator[tuple[RequestLog, ...]]:
    after: tuple[int, str] | None = None
    while page := storage.request_log.list_after(request_id, after, PAGE):
        yield page
        after = (page[-1].timestamp_ms, page[-1].id)


def _kind(marked: TimelineEntry) -> tuple[object, ...] | None:
    entry = marked.entry
    if entry.state:
        return None
    codes = tuple(mark.code for mark in marked.marks)
    return (entry.event, entry.request_version, entry.outcome_reason, entry.metadata.get(REPAIR_RUN_ID), codes)


def _builds_named(entry: RequestLog) -> tuple[str, ...]:
    """The builds that an entry tells of by its identity or in its metadata, mostly one."""
    by_identity, in_metadata = build_named_by(entry), entry.metadata.get(BUILD_ID, "")
    if by_identity == in_metadata:
        return (by_identity,) if by_identity else ()
    return tuple(name for name in (by_identity, in_metadata) if name)


def _builds_of(
    storage: Storage, names: Collection[str], request: Request | None, reading: Reading
) -> tuple[dict[str, Build], Collection[str]]:
    """The builds of these ids, and the ids that were asked for; the first ones are remembered."""
    if request is None or not reading.has_builds:
        return {}, ()
    named = [*names]
    if not reading.total and request.terminal_build_id:
        named.insert(0, request.terminal_build_id)
    asked = dict.fromkeys(name for name in named if name not in reading.asked_builds)
    builds: dict[str, Build] = {}
    if asked:
        try:
            builds = {build.id: build for build in _read_builds(storage, [*asked])}
        except SchemaMismatch:
            reading.has_builds = False
            return {}, ()
    builds |= {name: reading.builds[name] for name in named if name in reading.builds}
    for name in asked:
        if len(reading.asked_builds) < MOST_BUILDS:
            reading.asked_builds.add(name)
            if name in builds:
                reading.builds[name] = builds[name]
    return builds, {*named}


def _read_builds(storage: Storage, ids: list[str]) -> Iterator[Build]:
    if len(ids) <= _ONE_BY_ONE:
        for build_id in ids:
            with suppress(NotFound):
                yield storage.builds.get(build_id)
        return
    with storage.audit.snapshot() as snapshot:
        rows = snapshot.multi_get(BuildRow, [(build_id,) for build_id in ids])
    for row in rows:
        yield Build(storage.queue, row.id, row.request_id, row.status, row.version)
