"""Retains one entry and all that follows from it: the log row, the request's summary, the acceptance mapping.

Every step is safe to run again and does run again on a retry, so that what an earlier attempt left undone is done.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestLog
from stovepipe_cli.errors import InvalidEntity, StovepipeError
from stovepipe_cli.history.acceptance_mapping import AcceptanceChange, map_summary
from stovepipe_cli.history.context import context_problems, identity_problems, metadata_problems
from stovepipe_cli.history.counters import CounterKind, Counters, tag_of
from stovepipe_cli.history.errors import HistoryConflict
from stovepipe_cli.history.identity import parse_log_id
from stovepipe_cli.history.reconciliation import CountDifference, count_differences, differing_fields
from stovepipe_cli.history.summary_projection import COMPLETION_EVENTS
from stovepipe_cli.history.summary_writer import SummaryChange, project_retained
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, Storage
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE, REQUEST_SUMMARY

PersistOutcome = Literal["created", "identical_existing"]


@dataclass(frozen=True, slots=True)
class Persisted:
    """What persisting an entry did. `retained` is the row as it stands, with the time it was first retained at."""

    outcome: PersistOutcome
    retained: RequestLog
    summary_change: SummaryChange
    acceptance: AcceptanceChange


def require_writable(entry: RequestLog) -> None:
    """Raise `InvalidEntity` where an entry breaks its invariants, lacks context, or has not its own identity."""
    entry.validate()
    problems = [*context_problems(entry), *identity_problems(entry), *metadata_problems(entry.metadata)]
    if parse_log_id(entry.id).kind == "obsolete":
        problems.append(f"id '{entry.id}' has a form that is read only")
    if problems:
        raise InvalidEntity(
            f"entry '{entry.id}' of request '{entry.request_id}' cannot be retained: {'; '.join(problems)}"
        )


class Materializer:
    """Persists entries of one queue; `clock` gives the time of entries that arrive without one.

    A database without the summary or acceptance table gets what it has tables for. With `insert_only` no row that
    exists is updated: a summary is made where it is missing, and never moved. `on_count_difference` hears of counts
    that a retry would have changed.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        counters: Counters | None = None,
        *,
        insert_only: bool = False,
        on_count_difference: Callable[[CountDifference], None] | None = None,
    ) -> None:
        self.counters = counters if counters is not None else Counters()
        self._storage = storage
        self._clock = clock
        self._insert_only = insert_only
        self._on_count_difference = on_count_difference
        self._tables: dict[str, bool] = {}

    def persist(self, entry: RequestLog) -> Persisted:
        """Retain the entry, or find it retained already; then project it and map the acceptance.

        `InvalidEntity` or `ForeignQueue`: nothing was written. `HistoryConflict`: another entry has its identity.
        `ProjectionConflict`, `SummaryRequired` or a storage error: the entry may be retained; repeat to go on.
        """
        tag = tag_of(entry)
        timed = entry if entry.timestamp_ms else replace(entry, timestamp_ms=self._clock.now_ms())
        with self._counted("validation_failure", tag):
            self._require_own(timed)
            require_writable(timed)
        with self._counted("storage_failure", tag):
            created = self._create(timed)
            retained = timed if created else self._storage.request_log.get(timed.request_id, timed.id)
        if not created:
            with self._counted("conflict", tag):
                self._reconcile(retained, timed)
        outcome: PersistOutcome = "created" if created else "identical_existing"
        self.counters.increment(outcome, tag)
        with self._counted("projection_failure", tag):
            summary_change, acceptance = self._project(retained)
        return Persisted(outcome, retained, summary_change, acceptance)

    def _require_own(self, entry: RequestLog) -> None:
        if entry.queue != self._storage.queue:
            raise ForeignQueue(
                f"entry '{entry.id}' belongs to queue '{entry.queue}', not to '{self._storage.queue}'",
                hint="open the queue that the entry belongs to",
            )

    def _create(self, entry: RequestLog) -> bool:
        try:
            self._storage.request_log.create(entry)
        except AlreadyExists:
            return False
        return True

    def _reconcile(self, retained: RequestLog, offered: RequestLog) -> None:
        fields = differing_fields(retained, offered)
        if fields:
            raise HistoryConflict(retained.request_id, retained.id, fields)
        if self._on_count_difference:
            for difference in count_differences(retained, offered):
                self._on_count_difference(difference)

    def _project(self, retained: RequestLog) -> tuple[SummaryChange, AcceptanceChange]:
        projects = retained.is_state or retained.event in COMPLETION_EVENTS
        if not projects or not self._has_table(REQUEST_SUMMARY.name):
            return "none", "none"
        written = project_retained(self._storage, retained.request_id, (retained,), insert_only=self._insert_only)
        summary = written.summary
        if not retained.is_state or summary is None or not self._has_table(REQUEST_ACCEPTANCE.name):
            return written.change, "none"
        return written.change, map_summary(self._storage, summary)

    def _has_table(self, name: str) -> bool:
        if name not in self._tables:
            self._tables[name] = self._storage.audit.view(name) is not None
        return self._tables[name]

    @contextmanager
    def _counted(self, kind: CounterKind, tag: str) -> Iterator[None]:
        try:
            yield
        except StovepipeError:
            self.counters.increment(kind, tag)
            raise
