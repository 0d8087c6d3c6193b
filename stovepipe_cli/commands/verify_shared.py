"""A verify that several processes share: its start, its part in each of them, and its answer."""

import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.commands.audit_progress import AuditProgress
from stovepipe_cli.commands.hash_key import SEED_VARIABLE, is_keyed, own_seed
from stovepipe_cli.commands.job_kinds import KindOfJob
from stovepipe_cli.commands.process import Terminated
from stovepipe_cli.commands.run_record import RunRecord
from stovepipe_cli.errors import Refused, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.audit.options import VerifyOptions
    from stovepipe_cli.audit.shared_job import Role, SharedVerifyJob
    from stovepipe_cli.commands.run_place import Pacing
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run
    from stovepipe_cli.reports import Report, VerifyReport
    from stovepipe_cli.storage.ledger.contract import QueueLedger
    from stovepipe_cli.work import Job, WorkResult

FINDINGS_FILE = "findings_file"


def shareable(session: "Session", options: "VerifyOptions") -> Mapping[str, object] | None:
    """What a run with several workers is made of; None where one process has to do it, which is said."""
    from stovepipe_cli.audit.shared_plan import shared_body
    from stovepipe_cli.commands.verified import boundary_on_record

    ledger = None if session.config.ledger.value is None else session.ledger()
    if ledger is None:
        raise Refused("several workers need a ledger to share the work", hint="leave --ledger-url none out")
    if session.is_on_replica:
        session.say("a replica is read by one process, however many workers are asked for")
        return None
    boundary = boundary_on_record(session, ledger.for_queue(session.queue))
    own = replace(options, recorded_boundary=boundary)
    storage = session.storage()
    seed = own_seed(session.surroundings.environ)
    key = None if seed is None else int(seed)
    body = session.suggest_queue(lambda: shared_body(storage, own, clock=session.clock, seed=key))
    if isinstance(body, str):
        session.say(body)
        return None
    return body


def verify_shared(
    session: "Session",
    options: "VerifyOptions",
    body: Mapping[str, object],
    pacing: "Pacing",
    recorded: Mapping[str, object],
    reason: str | None,
) -> "Report":
    """Verify the session's queue with several workers."""
    from stovepipe_cli.audit.shared_job import KIND
    from stovepipe_cli.audit.shared_options import defining_options
    from stovepipe_cli.commands.run_engine import NewRun, run_new

    document: dict[str, object] = {}
    if options.findings_file is not None:
        document[FINDINGS_FILE] = str(options.findings_file.absolute())
    new = NewRun(KIND, body, defining_options(options), recorded, reason=reason, document=document)
    return run_new(session, new, pacing)


def require_one_queue(workers: int, *, are_several: bool) -> None:
    """`UsageError` for workers that would share several queues."""
    if workers > 1 and are_several:
        raise UsageError("--workers is about one queue", hint="use --shard to divide many queues among processes")


class SharedVerify(KindOfJob):
    """Who started or resumes the run tells the report. Tables are read by processes that were started with its seed."""

    def __init__(self, session: "Session", ledger: "QueueLedger", run: "Run", *, has_files: bool) -> None:
        super().__init__(session, ledger, run, has_files=has_files)
        self._job: SharedVerifyJob | None = None
        self._list: Path | None = None

    def helpers(self, pacing: "Pacing") -> tuple[int, Mapping[str, str]]:
        """As many as there are to be workers, for a process of another seed cannot be one itself."""
        from stovepipe_cli.work.admission import JOB_KEY, started_body

        body = (started_body(self._ledger, self._run.run_id) or {}).get(JOB_KEY)
        seed = _seed(body if isinstance(body, Mapping) else {})
        return (pacing.workers - 1, {}) if self._is_seeded(seed) else (pacing.workers, {SEED_VARIABLE: seed})

    def make(self, run: "Run", body: Mapping[str, object]) -> "Job":
        """The job, as this process does it."""
        from stovepipe_cli.audit.shared_job import Part, SharedVerifyJob

        storage, session = self._session.storage(), self._session
        part = Part(
            self._role(_seed(body)),
            session.run_time_ms,
            options=self._told_options,
            progress=AuditProgress(session.progress, session.clock, storage),
            concluded=self._conclude,
        )
        self._job = SharedVerifyJob(storage, self._ledger, run.run_id, body, clock=session.clock, part=part)
        return self._job

    def report(self, result: "WorkResult") -> "Report":
        """The verify's document; of a process that only took part, the run as it is."""
        if self._job is None:
            message = "the report of a job that was never made"
            raise RuntimeError(message)
        stop = result.stop
        if stop is not None and stop.signal is not None:
            raise KeyboardInterrupt if stop.signal == signal.SIGINT else Terminated
        if self._has_files and self._job.report is not None:
            return self._job.report
        if self._has_files and not result.run.is_ended:
            report = self._job.interim()
            why = "the work was left unfinished" if stop is None else stop.sentence
            return replace(report, blocking=(*report.blocking, why))
        from stovepipe_cli.look.run import show_run
        from stovepipe_cli.work.identity import this_worker

        return show_run(self._ledger, result.run, this_worker())

    def _role(self, seed: str) -> "Role":
        if self._is_seeded(seed):
            return "all" if self._has_files else "reader"
        return "reporter" if self._has_files else "onlooker"

    def _is_seeded(self, seed: str) -> bool:
        # What this very process was started with; nothing that a command is given can change it.
        return is_keyed(os.environ, seed)

    def _told_options(self, options: "VerifyOptions") -> "VerifyOptions":
        """The options with the file for the list of findings: the one asked for, else one beside the ledger."""
        from stovepipe_cli.commands.run_findings import findings_path

        asked = self._run.header.document.get(FINDINGS_FILE)
        if isinstance(asked, str) and Path(asked).parent.is_dir():
            return replace(options, findings_file=Path(asked))
        self._list = findings_path(self._session, self._run.run_id)
        return replace(options, findings_file=self._list)

    def _conclude(self, report: "VerifyReport") -> None:
        """Put the outcome on record, before the run ends."""
        from stovepipe_cli.commands.verified import note_verified
        from stovepipe_cli.commands.verify_work import outcome_document
        from stovepipe_cli.work.header import amend

        session, run_id = self._session, self._run.run_id
        if self._list is not None and not report.findings_total:
            self._list.unlink(missing_ok=True)
            self._list = None
        note_verified(session, RunRecord(session, self._run), session.queue, report)
        told = outcome_document(report, self._list)
        amend(
            self._ledger,
            run_id,
            lambda header: replace(header, document={**header.document, **told}),
        )


def _seed(body: Mapping[str, object]) -> str:
    return str(body.get("seed", ""))
