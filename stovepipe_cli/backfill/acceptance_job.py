"""The backfill of acceptance mappings as durable work: steps are ranges of requests in key order."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from stovepipe_cli.backfill.acceptance_page import AcceptancePages, PagePlan, mapped_elsewhere
from stovepipe_cli.backfill.acceptances import MOST_PROBLEMS, Checked
from stovepipe_cli.backfill.options import DEFAULT_BATCH, BackfillOptions
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.entities.run import RunKind
from stovepipe_cli.history.acceptance_mapping import acceptance_from_log
from stovepipe_cli.storage.collecting import rarely_collecting
from stovepipe_cli.storage.contract import Storage, guards
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from stovepipe_cli.storage.contract.rows import Key
from stovepipe_cli.work import BatchBounds, Job, StepWatch, halve
from stovepipe_cli.work.mapping_rows import Batch, MappingRows, batch_of

T = TypeVar("T")

KIND: RunKind = "backfill-acceptances"
# A step is lost to a kill and done again, and costs a few statements of the ledger.
BATCHES_A_STEP = 10
# Each of these costs several statements, where a mapping is one row of many.
LEARNED_AT_ONCE = 100


_WINDOW, _ELSEWHERE, _BATCH = "window", "mapped_elsewhere", "batch"


def acceptance_body(storage: Storage, options: BackfillOptions, *, clock: Clock) -> dict[str, object]:
    """All that the job is made of, JSON values alone; reads every mapping there is."""
    return {
        _WINDOW: options.as_json(),
        _ELSEWHERE: mapped_elsewhere(storage, clock, options.batch),
        _BATCH: options.batch,
    }


class AcceptanceJob(Job):
    """Maps every request of the queue. `mapped_elsewhere` was found before the start and goes with the run."""

    kind = KIND
    renews_at_batches = True

    def __init__(
        self,
        storage: Storage,
        options: BackfillOptions,
        mapped_elsewhere: Mapping[str, int],
        *,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._step_requests = options.batch * BATCHES_A_STEP
        self._pages = AcceptancePages(storage, clock, options, mapped_elsewhere, self._step_requests)
        self.batch = BatchBounds(first=options.batch, floor=min(10, options.batch))

    @classmethod
    def of_body(cls, storage: Storage, body: Mapping[str, object], *, clock: Clock) -> Self:
        """The job of a run that was started with `acceptance_body`, perhaps on another host."""
        window, elsewhere, batch = body.get(_WINDOW), body.get(_ELSEWHERE), body.get(_BATCH)
        options = BackfillOptions.from_json(
            window if isinstance(window, Mapping) else {}, batch=batch if isinstance(batch, int) else DEFAULT_BATCH
        )
        mapped = elsewhere if isinstance(elsewhere, Mapping) else {}
        return cls(storage, options, {name: int(time) for name, time in mapped.items()}, clock=clock)

    def mint(self, last: Mapping[str, object] | None) -> Mapping[str, object] | None:
        """The range behind `last`; the one without an end is the last one, and takes in whatever comes later."""
        after = None if last is None else _key(last["upto"])
        if last is not None and after is None:
            return None
        upto = self._pages.bound(after, self._step_requests)
        return {"after": _json(after), "upto": _json(upto)}

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        """Read the range page by page and map what is not mapped; a repetition finds it mapped."""
        after, upto = _key(covers["after"]), _key(covers["upto"])
        done = _Done(self._storage, watch)
        with rarely_collecting():
            while True:
                watch.ready()
                started = watch.clock.monotonic()
                plan, after = self._pages.read(after, upto, watch.size)
                done.take(plan, watch.clock.monotonic() - started)
                if after is None:
                    break
        done.keep()
        return {"counts": dict(done.counts), "problems": done.problems}


@dataclass(frozen=True, slots=True)
class _Written:
    """What one write did, of which a repetition does nothing more."""

    mapped: MappingColumns
    already_mapped: int
    learned: tuple[RequestAcceptance, ...] = ()
    conflicts: tuple[str, ...] = ()


class _Done:
    """What one attempt at a step has done so far."""

    def __init__(self, storage: Storage, watch: StepWatch) -> None:
        self._storage = storage
        self._watch = watch
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self._mapped: list[Batch] = []
        self._learned: list[Batch] = []
        self._last: tuple[MappingColumns, Batch] | None = None
        # Of the page at hand, without what it waited for.
        self._seconds = 0.0

    def record(self, intended: Sequence[Batch] = ()) -> None:
        """Put on record what was written so far, and what is about to be."""
        self._watch.record(self._rows(intended).document())

    def _rows(self, intended: Sequence[Batch] = ()) -> MappingRows:
        return MappingRows(tuple(self._mapped), tuple(self._learned), tuple(intended))

    def keep(self) -> None:
        """Have it written with the end of the attempt."""
        self._watch.keep(self._rows().document())

    def take(self, plan: PagePlan, read_seconds: float) -> None:
        """Count a page and write what it calls for. To read it takes longer than to write it, so both make its size."""
        self.counts.update(
            scanned=plan.scanned,
            already_mapped=plan.already_mapped,
            unknown_acceptance=plan.unknown,
            conflicts=len(plan.problems),
            outside_window=plan.outside,
        )
        for problem in plan.problems:
            self._tell(problem)
        self._seconds = read_seconds
        known = plan.known
        if not guards.are_plain_mappings(known.queue, known):
            known = _columns(known.queue, self._valid(known.acceptances()))
        derivable = self._valid(plan.derivable)
        if known or derivable:
            self.record([self._short(each) for each in (_columns(known.queue, derivable), known) if each])
            self._write(known, self._create, key=lambda pair: pair[1])
            for start in range(0, len(derivable), LEARNED_AT_ONCE):
                some = derivable[start : start + LEARNED_AT_ONCE]
                self._write(some, self._learn, key=lambda each: each.request_id)
        self._watch.lasted(plan.scanned, self._seconds)

    def _valid(self, acceptances: list[RequestAcceptance]) -> list[RequestAcceptance]:
        checked = Checked()
        checked.take(acceptances)
        for acceptance, reason in checked.refused:
            self._watch.quarantine(acceptance.request_id, reason)
        return checked.valid

    def _short(self, mappings: MappingColumns) -> Batch:
        """What is about to be written is most often what is told afterwards, and is made short once."""
        if self._last is None or self._last[0] is not mappings:
            self._last = (mappings, batch_of(mappings))
        return self._last[1]

    def _write(
        self, items: Sequence[T], write: Callable[[Sequence[T]], "_Written"], *, key: Callable[[T], str]
    ) -> None:
        def timed(some: Sequence[T]) -> "_Written":
            started = self._watch.clock.monotonic()
            try:
                return write(some)
            finally:
                self._seconds += self._watch.clock.monotonic() - started

        answers = halve(items, timed, self._watch, key=key, is_whole_batch=False)
        for written in answers:
            self._mapped += [self._short(written.mapped)] if written.mapped else []
            self._learned += [batch_of(_columns(written.mapped.queue, written.learned))] if written.learned else []
            self.counts.update(
                mapped=len(written.mapped),
                already_mapped=written.already_mapped,
                conflicts=len(written.conflicts),
                summaries_updated=len(written.learned),
            )
            for conflict in written.conflicts:
                self._tell(conflict)

    def _create(self, mappings: Sequence[tuple[int, str]]) -> "_Written":
        columns = mappings if isinstance(mappings, MappingColumns) else MappingColumns.of(self._storage.queue, mappings)
        mapped = self._storage.acceptances.create_missing_columns(columns)
        return _Written(mapped, len(columns) - len(mapped))

    def _learn(self, acceptances: Sequence[RequestAcceptance]) -> "_Written":
        """Make the summaries know their times, then map those that now know what was read before."""
        learned, conflicts = [], []
        for acceptance in acceptances:
            found = acceptance_from_log(self._storage, acceptance.request_id)
            if (found.knowledge, found.accepted_at_ms) == ("known", acceptance.accepted_at_ms):
                learned.append(acceptance)
            else:
                problem = found.problem or "its accepted time changed meanwhile"
                conflicts.append(f"request '{acceptance.request_id}': {problem}")
        written = self._create(_columns(self._storage.queue, learned))
        return replace(written, learned=tuple(learned), conflicts=tuple(conflicts))

    def _tell(self, problem: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def _columns(queue: str, acceptances: Sequence[RequestAcceptance]) -> MappingColumns:
    return MappingColumns.of(queue, ((each.accepted_at_ms, each.request_id) for each in acceptances))


def _json(key: Key | None) -> list[object] | None:
    return None if key is None else list(key)


def _key(value: object) -> Key | None:
    return tuple(value) if isinstance(value, list | tuple) else None
