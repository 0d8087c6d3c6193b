"""Inspection and pruning of a ledger in memory, which is always whole and of this version."""

from stovepipe_cli.entities.run import Run
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.guards import require_limit
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin, LedgerState, Pruned
from stovepipe_cli.storage.ledger.memory.book import Book, Shelf
from stovepipe_cli.storage.ledger.memory.records import Workflow
from stovepipe_cli.storage.ledger.tables import MIN_READER, MIN_WRITER, PRUNED_KINDS, SCHEMA_VERSION


class MemoryLedgerAdmin(LedgerAdmin):
    """Operations on one book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def state(self) -> LedgerState:
        return LedgerState(
            backend="memory",
            place="memory",
            identity=self._book.identity,
            is_private=True,
            schema_version=SCHEMA_VERSION,
            min_reader=MIN_READER,
            min_writer=MIN_WRITER,
            tool_schema_version=SCHEMA_VERSION,
            absent_tables=(),
            can_read=True,
            can_write=not self._book.is_read_only,
            refusal="it was opened for reading only" if self._book.is_read_only else None,
        )

    def init(self) -> tuple[str, ...]:
        self._book.refuse_if_read_only()
        return ()

    def upgrade(self) -> tuple[int, int, str | None]:
        self._book.refuse_if_read_only()
        return (SCHEMA_VERSION, SCHEMA_VERSION, None)

    def prune(self, *, finished_before_ms: int, limit: int, dry_run: bool) -> Pruned:
        require_limit(limit)
        if not dry_run:
            self._book.refuse_if_read_only()
        with self._book.everything() as shelves:
            candidates = [
                (record.run.finished_at_ms, key_bytes(queue), run, shelf)
                for queue, shelf in shelves
                for run, record in shelf.runs.items()
                if _is_over(record.run, finished_before_ms) and (run in shelf.workflows or shelf.invocations.get(run))
            ]
            chosen = sorted(candidates, key=lambda each: each[:3])[:limit]
            counts = [_counts(shelf, run) for *_, run, shelf in chosen]
            names = tuple((shelf.runs[run].run.queue, shelf.runs[run].run.run_id) for *_, run, shelf in chosen)
            if not dry_run:
                for *_, run, shelf in chosen:
                    shelf.workflows.pop(run, None)
                    shelf.invocations.pop(run, None)
        events, steps, invocations = (sum(each) for each in zip(*counts, strict=True)) if counts else (0, 0, 0)
        return Pruned(len(chosen), events, steps, invocations, names)


def _is_over(run: Run, before_ms: int) -> bool:
    ended = run.finished_at_ms
    return run.status == "COMPLETED" and run.kind in PRUNED_KINDS and ended is not None and ended < before_ms


def _counts(shelf: Shelf, run: bytes) -> tuple[int, int, int]:
    workflow = shelf.workflows.get(run, Workflow())
    return (len(workflow.events), len(workflow.steps), len(shelf.invocations.get(run, ())))
