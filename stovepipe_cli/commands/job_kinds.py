"""The kinds of runs that any worker can take part in: how each is made, and what its command answers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import Refused, StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.run_place import Pacing
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run
    from stovepipe_cli.repair.apply_job import ApplyJob
    from stovepipe_cli.reports import ApplyReport, Report, Written
    from stovepipe_cli.storage.ledger.contract import QueueLedger
    from stovepipe_cli.work import Job, JobRegistry, WorkResult


# They write nothing to the database, and may be given one that takes no writes.
READING_KINDS = frozenset({"verify"})

_SLICE_SECONDS = 0.2


class KindOfJob(ABC):
    """One kind, for one run of it. `has_files`: this process also writes the files that the run was to leave."""

    def __init__(self, session: "Session", ledger: "QueueLedger", run: "Run", *, has_files: bool) -> None:
        self._session = session
        self._ledger = ledger
        self._run = run
        self._has_files = has_files

    @abstractmethod
    def make(self, run: "Run", /, body: Mapping[str, object]) -> "Job":
        """The job of the run."""

    @abstractmethod
    def report(self, result: "WorkResult") -> "Report":
        """What the command answers."""

    def helpers(self, pacing: "Pacing") -> tuple[int, Mapping[str, str]]:
        """How many more processes of this host are to work at the run, and what their environment has beside."""
        return pacing.workers - 1, {}

    def files(self) -> AbstractContextManager[None]:
        """What is open while this process works at the run."""
        return nullcontext()

    def ended(self, result: "WorkResult") -> "WorkResult":
        """The result, once what follows from how the work ended is on record."""
        return result


def kind_of(session: "Session", ledger: "QueueLedger", run: "Run", *, has_files: bool) -> KindOfJob:
    """The kind of a run; `Refused` for one that several workers cannot share."""
    from stovepipe_cli.commands.verify_shared import SharedVerify

    known: dict[str, type[KindOfJob]] = {
        "backfill-acceptances": _Backfill,
        "repair-apply": _Apply,
        "verify": SharedVerify,
    }
    kind = known.get(run.kind)
    if kind is None:
        raise Refused(f"run '{run.run_id}' is a {run.kind}, which only its own process works at", hint="start it anew")
    return kind(session, ledger, run, has_files=has_files)


def registry_of(run: "Run", kind: KindOfJob) -> "JobRegistry":
    """The one kind that this process works at."""
    from stovepipe_cli.work import JobRegistry

    return JobRegistry({run.kind: kind.make})


class _Backfill(KindOfJob):
    def make(self, _run: "Run", body: Mapping[str, object]) -> "Job":
        from stovepipe_cli.backfill.acceptance_job import AcceptanceJob

        return AcceptanceJob.of_body(self._session.writable_storage(), body, clock=self._session.clock)

    def report(self, result: "WorkResult") -> "Report":
        from stovepipe_cli.backfill.outcome import backfill_outcome

        return backfill_outcome(self._ledger, result)


class _Apply(KindOfJob):
    """The receipt is written as this process writes rows, and once more at the end with those of all workers."""

    def __init__(self, session: "Session", ledger: "QueueLedger", run: "Run", *, has_files: bool) -> None:
        super().__init__(session, ledger, run, has_files=has_files)
        self._opened = ExitStack()
        self._job: ApplyJob | None = None
        self._parent = os.getppid()

    def make(self, run: "Run", body: Mapping[str, object]) -> "Job":
        from stovepipe_cli.repair.apply_job import ApplyJob
        from stovepipe_cli.repair.receipt_file import ReceiptFile

        steps, path = self._ledger.steps, self._receipt_path()
        heard: list[Callable[[Written], None]] = []

        def hear(written: "Written") -> None:
            for each in heard:
                each(written)

        self._job = ApplyJob(
            self._session.writable_storage(),
            run.run_id,
            body,
            clock=self._session.clock,
            heard=hear,
            is_first_done=lambda: (first := steps.step(run.run_id, 0)) is not None and first.is_disposed,
        )
        if path is not None:
            reason = run.header.reason or None
            receipt = ReceiptFile(
                path, self._job.plan, run.run_id, reason, is_resumed=path.exists(), on_loss=self._tell_loss
            )
            heard.append(self._opened.enter_context(receipt).note)
        return self._job

    @contextmanager
    def files(self) -> Iterator[None]:
        with self._opened:
            yield

    def ended(self, result: "WorkResult") -> "WorkResult":
        """A plan that stopped by its own rules is over: what is left of it may be wrong, and is planned afresh.

        An ended run takes no record of a row any more. So whoever leaves while others are in the middle of a batch
        leaves its end to them: they meet the same stop, and the last one ends it.
        """
        if result.stop is None or result.stop.kind not in {"job", "waiting"} or not self._is_alone():
            return result
        from stovepipe_cli.repair.apply_outcome import outcome_counts
        from stovepipe_cli.work import fail_run

        run_id = result.run.run_id
        counts = {**result.run.header.counts, **outcome_counts(self._ledger, run_id)}
        run, _ = fail_run(self._ledger, run_id, reason=result.stop.sentence, counts=counts)
        return replace(result, run=run)

    def _is_alone(self) -> bool:
        """Whether nobody else holds a step of the run; the one who answers for it waits up to a lease's time."""
        from stovepipe_cli.work import recover_gone, this_worker
        from stovepipe_cli.work.settings import DEFAULT_TTL_MS

        clock, here = self._session.clock, this_worker()
        until = clock.monotonic() + (DEFAULT_TTL_MS / 1000 if self._has_files else 0)
        while recover_gone(self._ledger, self._run.run_id, here):
            if clock.monotonic() >= until:
                return False
            clock.sleep(_SLICE_SECONDS)
        return True

    def _tell_loss(self, sentence: str) -> None:
        self._session.say(
            f"warning: {sentence}; every row is on record too: stovepipe runs show -q {self._session.queue} "
            f"{self._run.run_id} --rows"
        )

    def report(self, result: "WorkResult") -> "ApplyReport":
        from stovepipe_cli.repair.apply_outcome import apply_outcome
        from stovepipe_cli.reports import Receipt

        if self._job is None:
            message = "the report of a job that was never made"
            raise RuntimeError(message)
        storage, run_id = self._session.writable_storage(), self._run.run_id
        clock = self._session.clock
        report = apply_outcome(self._ledger, storage, run_id, self._job, stop=result.stop, clock=clock)
        self._undo()
        path = self._receipt_path()
        if path is None:
            return report
        from stovepipe_cli.repair.receipt_file import rows_in_receipt, with_noted, write_receipt

        rows = with_noted(report.receipt.written, rows_in_receipt(path))
        try:
            write_receipt(path, self._job.plan, run_id, rows, self._run.header.reason or None)
        except StovepipeError as error:
            # What was written is told all the same.
            self._tell_loss(error.message)
            return replace(report, receipt=replace(report.receipt, written=rows))
        return replace(report, receipt=Receipt(str(path), rows))

    def _undo(self) -> None:
        path = self._path("undo_sql")
        if path is None:
            return
        from stovepipe_cli.files import PRIVATE, write_whole
        from stovepipe_cli.repair.kept_rows import undo_of_run
        from stovepipe_cli.repair.sql_words import dialect_of

        session = self._session
        dialect = dialect_of(session.server().backend)
        _, script = undo_of_run(self._ledger, self._run.run_id, session.writable_storage(), dialect)
        try:
            write_whole(path, script, mode=PRIVATE, overwrite=True)
        except StovepipeError as error:
            session.say(
                f"warning: {error.message}; the same SQL: stovepipe runs show -q {session.queue} "
                f"{self._run.run_id} --undo-sql"
            )
            return
        session.say(f"SQL that takes this back written to '{path}'; nothing runs it but you")

    def _receipt_path(self) -> Path | None:
        from stovepipe_cli.repair.receipt_file import receipt_path

        plan_file = self._path("plan_file")
        return None if plan_file is None else receipt_path(plan_file, self._run.run_id)

    def _path(self, name: str) -> Path | None:
        """A file that the command which started the run was to write.

        A helper leaves it to that one, unless it has been killed meanwhile: its helpers finish the run, and then it is
        for them. Whoever ends last knows all rows.
        """
        path = self._run.header.document.get(name)
        is_ours = self._has_files or os.getppid() != self._parent
        return Path(path) if is_ours and isinstance(path, str) else None
