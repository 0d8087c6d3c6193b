"""The ledger's contract: the record of operator runs and the durable steps of their work, one abstract store a file.

- A ledger is bound to one queue, which is the tenant. An entity of another queue is refused with `ForeignQueue` before
  any query; a run id that exists in two queues is two runs, and nothing of the other one is ever read or written.
- Scope is part of every query, before its limit: a busy neighbour never makes a page shorter.
- Reads are bounded: every page takes a positive limit (`InvalidEntity` otherwise).
- Runs come newest first by `started_at_ms`, runs of one millisecond by run id ascending, byte for byte.
- A write whose answer was lost is asked about and never done twice.
- Time is the ledger database's own clock wherever a lease is granted, judged or lost.
- Keys are compared as bytes. Returned values are new and frozen. Errors are those of the storage contract, and of
  `stovepipe_cli.storage.ledger.contract.errors`.
"""

from stovepipe_cli.storage.ledger.contract.claim import AlreadyCompleted, AlreadyWaiting, Claim, Claimed, HeldByOther
from stovepipe_cli.storage.ledger.contract.errors import (
    InvocationConflict,
    LeaseLost,
    LedgerTooNew,
    LedgerTooOld,
    RunConflict,
    RunEnded,
    WorkflowEnded,
)
from stovepipe_cli.storage.ledger.contract.hold_store import HoldStore
from stovepipe_cli.storage.ledger.contract.ledger import Ledger, QueueLedger
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin, LedgerState, Pruned
from stovepipe_cli.storage.ledger.contract.run_store import RunStore, TransitionOutcome
from stovepipe_cli.storage.ledger.contract.step_store import Execution, StepStore
from stovepipe_cli.storage.ledger.contract.verified_queue_store import VerifiedQueueStore

__all__ = [
    "AlreadyCompleted",
    "AlreadyWaiting",
    "Claim",
    "Claimed",
    "Execution",
    "HeldByOther",
    "HoldStore",
    "InvocationConflict",
    "LeaseLost",
    "Ledger",
    "LedgerAdmin",
    "LedgerState",
    "LedgerTooNew",
    "LedgerTooOld",
    "Pruned",
    "QueueLedger",
    "RunConflict",
    "RunEnded",
    "RunStore",
    "StepStore",
    "TransitionOutcome",
    "VerifiedQueueStore",
    "WorkflowEnded",
]
