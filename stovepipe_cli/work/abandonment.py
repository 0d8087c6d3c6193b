"""Whether anybody still works at a run that is RUNNING."""

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.identity import WorkerIdentity, is_gone
from stovepipe_cli.work.recovery import MOST_LEASES
from stovepipe_cli.work.settings import DEFAULT_TTL_MS
from stovepipe_cli.work.stepless import BELIEVED_MS, DUE_MS, WORKER

# Between two steps, and while a retry is not yet due, a worker holds no lease.
GRACE_MS = DEFAULT_TTL_MS
MOST_PENDING = 100


def is_abandoned(ledger: QueueLedger, run: Run, here: WorkerIdentity) -> bool:
    """Whether the run is RUNNING and nobody holds a lease of it, nor showed a sign of life within a lease's time.

    Signs are the start of the run, the end of its latest step and the time of a scheduled retry; a lease that ran out
    is none. A lease of a process of this host that is no more counts as run out. A run without steps is abandoned when
    its process is, or, on another host, when its time is over.
    """
    if run.is_ended:
        return False
    live = ledger.steps.live_leases(run.run_id, limit=MOST_LEASES)
    if live:
        return all(is_gone(step.worker, here) for step in live)
    if run.header.stopped_because is not None or ledger.steps.ending(run.run_id) is not None:
        return True
    last = ledger.steps.last_step(run.run_id)
    now = ledger.steps.now_ms()
    if last is None and WORKER in run.header.document:
        return _has_left(run, here, now)
    pending = ledger.steps.steps(run.run_id, limit=MOST_PENDING, status="pending")
    signs = [run.started_at_ms, _ended_ms(last), *(step.lease_until_ms for step in pending)]
    if last is not None and last.status == "running" and is_gone(last.worker, here):
        return True
    return now - max(signs) > GRACE_MS


def _has_left(run: Run, here: WorkerIdentity, now_ms: int) -> bool:
    name = str(run.header.document[WORKER])
    worker = WorkerIdentity.parse(name)
    if worker is not None and worker.host == here.host:
        return is_gone(name, here)
    due_ms = run.header.document.get(DUE_MS)
    return now_ms > (due_ms if isinstance(due_ms, int) else run.started_at_ms + BELIEVED_MS)


def _ended_ms(step: WorkStep | None) -> int:
    ended = None if step is None or step.output is None else step.output.get("ended_ms")
    return ended if isinstance(ended, int) else 0
