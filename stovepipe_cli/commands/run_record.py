"""A job that writes nothing to the database, on record from its start to its end where there is a ledger."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stovepipe_cli.commands.process import Terminated
from stovepipe_cli.commands.run_header import new_run
from stovepipe_cli.errors import StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run, RunKind, RunStatus
    from stovepipe_cli.reports import Report
    from stovepipe_cli.storage.ledger.contract import QueueLedger

CONSUMER_CLOSED = "consumer closed"


@dataclass(slots=True)
class Ending:
    """How the run ends, unless something goes wrong until then."""

    counts: Mapping[str, int] = field(default_factory=dict)
    stopped_because: str | None = None
    document: Mapping[str, object] = field(default_factory=dict)


class Recorder:
    """Puts runs of one invocation on record, one a queue, as long as the ledger takes them.

    Where there is none, or it cannot be written, the job goes on and one sentence on stderr tells. `reason` is the
    operator's.
    """

    def __init__(
        self,
        session: "Session",
        kind: "RunKind",
        options: Mapping[str, object],
        *,
        reason: str | None = None,
        revisions: Mapping[str, str] | None = None,
    ) -> None:
        self._session = session
        self._kind = kind
        self._options = options
        self._reason = reason
        self._revisions = revisions
        self._is_off = False

    def start(self, queue: str) -> "RunRecord":
        """A run of this queue, on record before any of its work. Raises what the Stovepipe database raises."""
        record = RunRecord(self._session, None if self._is_off else self._stored(queue))
        self._session.run_id = record.run_id
        return record

    def _stored(self, queue: str) -> "Run | None":
        from stovepipe_cli.work.identity import this_worker
        from stovepipe_cli.work.stepless import enter_run

        session = self._session
        try:
            ledger = session.ledger()
        except StovepipeError as error:
            self._give_up(_unrecorded(error))
            return None
        if ledger is None:
            self._give_up("there is no ledger: nothing of this is on record")
            return None
        run = new_run(session, self._kind, self._options, self._revisions, self._reason, queue=queue)
        try:
            return enter_run(ledger.for_queue(queue), run, this_worker(), run_time_ms=session.run_time_ms)
        except StovepipeError as error:
            self._give_up(_unrecorded(error))
            return None

    def _give_up(self, sentence: str) -> None:
        # Not tried again, for each queue would wait as long.
        self._is_off = True
        self._session.say(sentence)


def _unrecorded(error: StovepipeError) -> str:
    hint = f"; {error.hint}" if error.hint else ""
    return f"warning: nothing of this is on record: {error.message}{hint}"


def strict_record(
    session: "Session",
    kind: "RunKind",
    options: Mapping[str, object],
    *,
    queue: str,
    reason: str | None = None,
    revisions: Mapping[str, str] | None = None,
) -> "RunRecord":
    """The same for a job that writes to the database: raises what the ledger raises, so that nothing is written.

    Where the end cannot be put on record, the block raises that too: what was written stays.
    """
    from stovepipe_cli.work.identity import this_worker
    from stovepipe_cli.work.stepless import enter_run

    if session.config.ledger.value is None:
        session.say("there is no ledger: nothing of this is on record")
        return RunRecord(session, None)
    run = new_run(session, kind, options, revisions, reason, queue=queue)
    try:
        ledger = session.ledger()
        if ledger is not None:
            run = enter_run(ledger.for_queue(queue), run, this_worker(), run_time_ms=session.run_time_ms)
    except StovepipeError as error:
        raise type(error)(
            f"nothing was written, since it cannot be put on record: {error.message}",
            hint="mend the ledger, or go on without a record: --ledger-url none",
        ) from error
    session.run_id = run.run_id
    return RunRecord(session, run, is_strict=True)


class RunRecord:
    """One run until the block ends: COMPLETED as `ends` said, else by what ended the block. None: not on record."""

    def __init__(self, session: "Session", run: "Run | None", *, is_strict: bool = False) -> None:
        self._session = session
        self._run = run
        self._is_strict = is_strict
        self._ending: Ending | None = None

    @property
    def run_id(self) -> str | None:
        """The run's id, None where it is not on record."""
        return None if self._run is None else self._run.run_id

    @property
    def ledger(self) -> "QueueLedger | None":
        """The ledger of the run's queue, None where the run is not on record."""
        ledger = None if self._run is None else self._session.ledger()
        return None if ledger is None or self._run is None else ledger.for_queue(self._run.queue)

    def ends(
        self,
        report: "Report",
        counts: Mapping[str, int],
        *,
        stopped_because: str | None = None,
        document: Mapping[str, object] | None = None,
    ) -> None:
        """The work is done, with this answer."""
        told = {"verdict": report.verdict, "exit_code": report.exit_code, **(document or {})}
        self._ending = Ending(counts, stopped_because, told)

    def __enter__(self) -> Self:
        """The record."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._run is None:
            return
        ledger = self.ledger
        if ledger is None:
            return
        from stovepipe_cli.entities.run import RunEnd

        ending = self._ending or Ending()
        status, stopped_because, failures = _told(error, ending)
        try:
            end = RunEnd(
                status,
                ledger.steps.now_ms(),
                counts=ending.counts,
                failures=failures,
                stopped_because=stopped_because,
                document={**self._run.header.document, **ending.document},
            )
            ledger.runs.transition(self._run.run_id, end)
        except StovepipeError as failure:
            sentence = f"the end of run {self._run.run_id} is not on record: {failure.message}"
            if self._is_strict and error is None:
                raise type(failure)(
                    f"everything was written, but {sentence}",
                    hint="what was written stays; the same command again writes nothing more and is on record",
                ) from failure
            self._session.say(f"warning: {sentence}")


def _told(error: BaseException | None, ending: Ending) -> "tuple[RunStatus, str | None, tuple[str, ...]]":
    """Status, why it stopped before its end, and what failed."""
    if error is None:
        return "COMPLETED", ending.stopped_because, ()
    if isinstance(error, BrokenPipeError):
        return "CANCELLED", CONSUMER_CLOSED, ()
    if isinstance(error, Exception):
        # An unexpected one's own text could carry a login.
        told = error.message if isinstance(error, StovepipeError) else f"unexpected {type(error).__name__}"
        return "FAILED", ending.stopped_because, (told,)
    return "CANCELLED", "terminated" if isinstance(error, Terminated) else "interrupted", ()
