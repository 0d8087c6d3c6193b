"""Durable work: a job done in leased steps that survive whoever does them.

- `Job` is what is to be done: `mint` names the next step, `perform` does one, again and again if need be, to the same
  end. `JobRegistry` makes the job of a run from its kind and from what its start left on record.
- `start_run` puts a run on record before anything else is written; one writing run a queue and kind. `take_up` goes on
  with one that nobody works at, and `join_run` adds a worker. Each answers with the run as it is on record.
- `work` does steps of a run until nothing is left, and then closes it; or until it is to stop, which leaves the run
  RUNNING. It answers with a `WorkResult`. Any number of processes may work at one run.
- `perform` is given a `StepWatch`: `ready()` before each batch, `took()` after it, `size` rows at a time, `record()`
  for what is about to be written, `quarantine()` for what cannot be. `halve` writes a batch down to its poison row.
- `close_run`, `cancel_run` and `fail_run` are the three ways in which a run ends. `settle` finishes an end that was
  put on record by a worker that died before the run's row had it.
- `enter_run` puts a run without steps on record. `is_abandoned` tells runs that nobody works at.
- `LocalWorkers` are more processes of this host for the same run, `StopRequest` is how a signal reaches the work.
"""

from stovepipe_cli.work.abandonment import is_abandoned
from stovepipe_cli.work.admission import start_run
from stovepipe_cli.work.arguments import JobArguments, arguments_of, require_same
from stovepipe_cli.work.batch_size import BatchBounds, BatchSize
from stovepipe_cli.work.closing import cancel_run, close_run, fail_run, settle
from stovepipe_cli.work.errors import LedgerUnavailable
from stovepipe_cli.work.fellows import Fellows
from stovepipe_cli.work.halving import halve
from stovepipe_cli.work.identity import WorkerIdentity, is_gone, this_worker
from stovepipe_cli.work.job import Job, JobFactory, JobRegistry
from stovepipe_cli.work.local_workers import DeadWorker, LocalWorkers, WorkerProcess
from stovepipe_cli.work.recovery import recover_gone, recoverable
from stovepipe_cli.work.resuming import join_run, require_open, take_up
from stovepipe_cli.work.settings import WorkSettings
from stovepipe_cli.work.stepless import enter_run
from stovepipe_cli.work.stopping import NeedsOperator, NotYet, Stop, StopKind, StopRequest
from stovepipe_cli.work.tally import Progress, Quarantined
from stovepipe_cli.work.watch import StepWatch
from stovepipe_cli.work.worker import WorkResult, work
from stovepipe_cli.work.workplace import Workplace

__all__ = [
    "BatchBounds",
    "BatchSize",
    "DeadWorker",
    "Fellows",
    "Job",
    "JobArguments",
    "JobFactory",
    "JobRegistry",
    "LedgerUnavailable",
    "LocalWorkers",
    "NeedsOperator",
    "NotYet",
    "Progress",
    "Quarantined",
    "StepWatch",
    "Stop",
    "StopKind",
    "StopRequest",
    "WorkResult",
    "WorkSettings",
    "WorkerIdentity",
    "WorkerProcess",
    "Workplace",
    "arguments_of",
    "cancel_run",
    "close_run",
    "enter_run",
    "fail_run",
    "halve",
    "is_abandoned",
    "is_gone",
    "join_run",
    "recover_gone",
    "recoverable",
    "require_open",
    "require_same",
    "settle",
    "start_run",
    "take_up",
    "this_worker",
    "work",
]
