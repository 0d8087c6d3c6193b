"""Runs of one queue in memory."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import RUNNING, Run, RunEnd, RunStatus
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.guards import require_limit, require_time_cursor
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.run_store import RunStore, TransitionOutcome
from stovepipe_cli.storage.ledger.documents import document_text, header_of, header_text
from stovepipe_cli.storage.ledger.memory.book import Book, Shelf, spelled
from stovepipe_cli.storage.ledger.memory.records import NO_HEADER, InvocationRecord, RunRecord


class MemoryRunStore(RunStore):
    """A dictionary of runs."""

    def __init__(self, book: Book, queue: str) -> None:
        self._book = book
        self._queue = queue

    def save(self, run: Run) -> Run:
        guards.require_savable(self._queue, run)
        header = header_text(run.run_id, run.header)
        with self._book.writing(self._queue) as shelf:
            record = shelf.runs.get(key_bytes(run.run_id))
            if record is None:
                if run.version != 0:
                    raise refusals.version_mismatch(run.run_id, run.version, 0)
                record = shelf.runs[key_bytes(run.run_id)] = RunRecord(_kept(run), header)
                return record.read()
            if record.run.is_ended:
                raise refusals.run_ended(run.run_id, record.run.status)
            if _kept(run, record.run.version) != record.run:
                raise refusals.origin_conflict(run.run_id)
            if record.header != header:
                if run.version != record.run.version:
                    raise refusals.version_mismatch(run.run_id, run.version, record.run.version)
                record.header = header
                record.run = replace(record.run, version=record.run.version + 1)
            return record.read()

    def record_invocation(self, invocation: Invocation) -> None:
        guards.require_recordable(self._queue, invocation)
        document = document_text(f"attempt '{invocation.invocation_id}'", invocation.document)
        kept = replace(
            invocation,
            queue=spelled(invocation.queue),
            run_id=spelled(invocation.run_id),
            invocation_id=spelled(invocation.invocation_id),
            document={},
        )
        with self._book.writing(self._queue) as shelf:
            run = _required(shelf, self._queue, invocation.run_id).run
            if run.is_ended:
                raise refusals.run_ended(run.run_id, run.status)
            own = shelf.invocations.setdefault(key_bytes(run.run_id), {})
            record = own.get(key_bytes(invocation.invocation_id))
            if record is not None and record.invocation.is_locked and record != InvocationRecord(kept, document):
                raise refusals.invocation_conflict(invocation, record.invocation.status)
            own[key_bytes(invocation.invocation_id)] = InvocationRecord(kept, document)

    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        guards.require_end(run_id, end)
        with self._book.writing(self._queue) as shelf:
            record = _required(shelf, self._queue, run_id)
            if record.fingerprint is not None:
                if record.fingerprint != end.fingerprint:
                    raise refusals.end_conflict(run_id, end, record.run.status, record.run.finished_at_ms or 0)
                return "REPLAYED"
            header = header_of(record.header, run_id)
            told = {
                name: value
                for name in ("counts", "failures", "stopped_because", "document")
                if (value := getattr(end, name)) is not None
            }
            record.header = header_text(run_id, replace(header, **told))
            record.run = replace(record.run, status=end.status, finished_at_ms=end.finished_at_ms)
            record.fingerprint = end.fingerprint
            ended = record.read()
        if self._book.listener is not None:
            self._book.listener(ended)
        return "APPLIED"

    def find(self, run_id: str) -> Run | None:
        with self._book.reading(self._queue) as shelf:
            record = shelf.runs.get(key_bytes(run_id))
            return None if record is None else record.read()

    def invocations_of(
        self, run_id: str, *, limit: int, after: tuple[int, int, str] | None = None
    ) -> tuple[Invocation, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            records = shelf.invocations.get(key_bytes(run_id), {}).values()
            ordered = sorted(records, key=lambda record: _place(record.invocation))
            if after is not None:
                behind = (after[0], after[1], key_bytes(after[2]))
                ordered = [record for record in ordered if _place(record.invocation) > behind]
            return tuple(record.read() for record in ordered[:limit])

    def runs_in_queue(
        self, *, limit: int, since_ms: int | None = None, before: tuple[int, str] | None = None
    ) -> tuple[Run, ...]:
        require_limit(limit)
        guards.require_since(since_ms)
        require_time_cursor(before)
        with self._book.reading(self._queue) as shelf:
            behind = None if before is None else (-before[0], key_bytes(before[1]))
            found = (record for record in shelf.runs.values() if behind is None or _age(record) > behind)
            return _newest(found, limit, since_ms)

    def children_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            return _newest((record for record in shelf.runs.values() if _is(record.run.parent_run_id, run_id)), limit)

    def runs_of_root(self, root_run_id: str, *, limit: int, since_ms: int | None = None) -> tuple[Run, ...]:
        require_limit(limit)
        guards.require_since(since_ms)
        with self._book.reading(self._queue) as shelf:
            found = (
                record
                for record in shelf.runs.values()
                if _is(record.run.root_run_id, root_run_id) or _is(record.run.run_id, root_run_id)
            )
            return _newest(found, limit, since_ms)

    def ancestors_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            met = {key_bytes(run_id)}
            record = shelf.runs.get(key_bytes(run_id))
            line: list[Run] = []
            while record is not None and record.run.parent_run_id is not None and len(line) < limit:
                parent = key_bytes(record.run.parent_run_id)
                if parent in met or parent not in shelf.runs:
                    break
                met.add(parent)
                record = shelf.runs[parent]
                line.append(record.read())
            return tuple(line)

    def counts_by_status(self) -> Mapping[RunStatus, int]:
        counts: dict[RunStatus, int] = dict.fromkeys((RUNNING, "COMPLETED", "FAILED", "CANCELLED"), 0)
        with self._book.reading(self._queue) as shelf:
            for record in shelf.runs.values():
                counts[record.run.status] += 1
        return counts


def _kept(run: Run, version: int = 1) -> Run:
    return replace(
        run,
        queue=spelled(run.queue),
        run_id=spelled(run.run_id),
        header=NO_HEADER,
        parent_run_id=None if run.parent_run_id is None else spelled(run.parent_run_id),
        root_run_id=None if run.root_run_id is None else spelled(run.root_run_id),
        version=version,
    )


def _required(shelf: Shelf, queue: str, run_id: str) -> RunRecord:
    record = shelf.runs.get(key_bytes(run_id))
    if record is None:
        raise refusals.run_absent(queue, run_id)
    return record


def _age(record: RunRecord) -> tuple[int, bytes]:
    return (-record.run.started_at_ms, key_bytes(record.run.run_id))


def _newest(records: Iterable[RunRecord], limit: int, since_ms: int | None = None) -> tuple[Run, ...]:
    chosen = [record for record in records if since_ms is None or record.run.started_at_ms >= since_ms]
    return tuple(record.read() for record in sorted(chosen, key=_age)[:limit])


def _is(one: str | None, other: str) -> bool:
    return one is not None and key_bytes(one) == key_bytes(other)


def _place(invocation: Invocation) -> tuple[int, int, bytes]:
    return (invocation.step_index, invocation.attempt, key_bytes(invocation.invocation_id))
