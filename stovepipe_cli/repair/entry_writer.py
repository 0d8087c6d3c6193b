"""Writes one step of a plan, and tells what became of it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestLog
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.history.acceptance_mapping import ensure_acceptance
from stovepipe_cli.history.counters import Counters
from stovepipe_cli.history.errors import HistoryConflict, ProjectionConflict, QueueProjectionConflict
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.history.queue_projection import project_occurrence
from stovepipe_cli.history.reconciliation import differing_fields
from stovepipe_cli.history.summary_writer import ensure_summary_from_log, find_summary
from stovepipe_cli.repair.drift import Evidences
from stovepipe_cli.repair.journal import Journal, UpdateLeftOut
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.queue_plan import find_queue_summary
from stovepipe_cli.repair.steps import Step
from stovepipe_cli.repair.written_rows import (
    Cells,
    acceptance_from_cells,
    log_cells,
    log_from_cells,
    queue_summary_cells,
    summary_cells,
    uri_from_cells,
)
from stovepipe_cli.reports import PlanEntry
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, StorageReadOnly, StorageUnavailable
from stovepipe_cli.storage.contract.tables import QUEUE_LOG

Outcome = Literal["applied", "identical", "drifted", "conflict", "failed"]

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outcome of each entry of a step, its lead first, and a sentence where the lead was not applied."""

    outcomes: tuple[Outcome, ...]
    problem: str = ""


class EntryWriter:
    """`storage` writes into `journal`. `tag` is the run id that inserted entries carry, None for none."""

    def __init__(
        self,
        storage: Storage,
        journal: Journal,
        evidences: Evidences,
        *,
        tag: str | None,
        clock: Clock,
        counters: Counters | None = None,
    ) -> None:
        self._storage = storage
        self._journal = journal
        self._evidences = evidences
        self._tag = tag
        self._materializer = Materializer(storage, clock, counters)

    def write(self, step: Step, drift: str) -> StepResult:
        """Write the step unless its rows are there already, or `drift` says that its evidence is not what it was.

        `StorageUnavailable` and `StorageReadOnly` go on to the caller: nothing further can be written.
        """
        mark = len(self._journal.written)
        problem = ""
        try:
            outcome = self._lead(step.lead, drift)
        except (StorageUnavailable, StorageReadOnly):
            raise
        except (HistoryConflict, ProjectionConflict, QueueProjectionConflict) as conflict:
            outcome, problem = "conflict", conflict.message
        except StovepipeError as failure:
            outcome, problem = "failed", failure.message
        if outcome == "drifted":
            problem = drift
        written = [row.action for row in self._journal.since(mark)]
        outcomes: list[Outcome] = [outcome]
        for entry in step.follows:
            if entry.action in written:
                written.remove(entry.action)
                outcomes.append("applied")
            else:
                outcomes.append("identical" if outcome == "applied" else outcome)
        return StepResult(tuple(outcomes), problem and f"{_subject(step.lead)}: {problem}")

    def _lead(self, entry: PlanEntry, drift: str) -> Outcome:
        if entry.action == "create-log":
            return self._create_log(entry, drift)
        if entry.action in ("create-summary", "advance-summary"):
            return self._project(entry, drift)
        if entry.action == "create-acceptance":
            return self._map(entry, drift)
        if entry.action == "create-uri":
            return self._create_uri(entry, drift)
        return self._advance_queue(entry, drift)

    def _create_log(self, entry: PlanEntry, drift: str) -> Outcome:
        planned = log_from_cells(self._storage.queue, entry.entry or {})
        retained = self._retained(planned)
        if retained is None:
            if drift:
                return "drifted"
            tagged = planned
            if self._tag is not None:
                tagged = replace(planned, metadata={**planned.metadata, REPAIR_RUN_ID: self._tag})
            try:
                outcome = self._materializer.persist(tagged).outcome
            except HistoryConflict as conflict:
                # Race: another run wrote the same entry under its own tag, which is the only thing that may differ.
                retained = self._retained(planned)
                if retained is None:
                    raise conflict from None
            else:
                return "applied" if outcome == "created" else "identical"
        return self._confirm(retained, planned)

    def _confirm(self, retained: RequestLog, planned: RequestLog) -> Outcome:
        """An entry that is there already: it must be the planned one, and its projections are made up for."""
        fields = differing_fields(retained, planned)
        if fields:
            raise HistoryConflict(retained.request_id, retained.id, fields)
        outcome: Outcome = "identical"
        if self._tag is not None and retained.metadata.get(REPAIR_RUN_ID) == self._tag:
            # An earlier attempt of this very run wrote it and died before it could say so.
            self._journal.note("create-log", log_cells(retained))
            outcome = "applied"
        with suppress(UpdateLeftOut):
            self._materializer.persist(retained)
        return outcome

    def _retained(self, entry: RequestLog) -> RequestLog | None:
        return _found(lambda: self._storage.request_log.get(entry.request_id, entry.id))

    def _project(self, entry: PlanEntry, drift: str) -> Outcome:
        summary = find_summary(self._storage, entry.request_id)
        if summary is not None and self._evidences.is_past(entry, summary_cells(summary)):
            return "identical"
        if drift:
            return "drifted"
        change = ensure_summary_from_log(self._storage, entry.request_id).change
        return "identical" if change == "none" else "applied"

    def _map(self, entry: PlanEntry, drift: str) -> Outcome:
        planned = acceptance_from_cells(self._storage.queue, entry.entry or {})
        if _found(lambda: self._storage.acceptances.get(planned.accepted_at_ms, planned.request_id)) is not None:
            return "identical"
        if drift:
            return "drifted"
        return "applied" if ensure_acceptance(self._storage, entry.request_id) == "created" else "identical"

    def _create_uri(self, entry: PlanEntry, drift: str) -> Outcome:
        planned = uri_from_cells(self._storage.queue, entry.entry or {})
        stored = _found(lambda: self._storage.request_uris.get(planned.uri))
        if stored is None:
            if drift:
                return "drifted"
            try:
                self._storage.request_uris.create(planned)
            except AlreadyExists:
                stored = self._storage.request_uris.get(planned.uri)
            else:
                return "applied"
        return "identical" if stored.request_id == planned.request_id else "conflict"

    def _advance_queue(self, entry: PlanEntry, drift: str) -> Outcome:
        summary = find_queue_summary(self._storage)
        if summary is not None and is_at(entry.entry or {}, queue_summary_cells(summary)):
            return "identical"
        if drift:
            return "drifted"
        named = [str(each.key["log_id"]) for each in entry.evidence if each.table == QUEUE_LOG.name]
        if not named:
            raise refused("moves the queue's summary and names no occurrence for it")
        occurrence = self._storage.queue_log.get(named[0])
        return "identical" if project_occurrence(self._storage, occurrence) == "none" else "applied"


def is_at(planned: Cells, stored: Cells) -> bool:
    """Whether the queue's summary shows what was planned, however often it was written since."""
    return all(stored[name] == planned[name] for name in ("state", "enablement_sequence", "state_timestamp_ms"))


def _found(read: Callable[[], Found]) -> Found | None:
    try:
        return read()
    except NotFound:
        return None


def _subject(entry: PlanEntry) -> str:
    name = f"'{entry.log_id}'" if entry.log_id is not None else entry.action
    if not entry.request_id:
        return f"the queue itself, {name}"
    return f"request '{entry.request_id}', {name}"
