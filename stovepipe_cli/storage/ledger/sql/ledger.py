"""An open ledger in an SQL database."""

from stovepipe_cli.storage.contract.guards import require_queue_name
from stovepipe_cli.storage.ledger.contract.ledger import Ledger, QueueLedger
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin
from stovepipe_cli.storage.ledger.contract.run_store import RunListener
from stovepipe_cli.storage.ledger.sql.hold_store import SQLHoldStore
from stovepipe_cli.storage.ledger.sql.ledger_admin import SQLLedgerAdmin
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.pruning import Pruning
from stovepipe_cli.storage.ledger.sql.run_store import SQLRunStore
from stovepipe_cli.storage.ledger.sql.run_tables import RunTables
from stovepipe_cli.storage.ledger.sql.statements import Statements
from stovepipe_cli.storage.ledger.sql.step_store import SQLStepStore
from stovepipe_cli.storage.ledger.sql.verified_queue_store import SQLVerifiedQueueStore
from stovepipe_cli.storage.ledger.sql.versions import Versions
from stovepipe_cli.storage.ledger.sql.workflow import StepTables
from stovepipe_cli.storage.ledger.tables import RUN_HOLD, VERIFIED_QUEUE
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.retry import RetryPolicy


class SQLLedger(Ledger):
    """Stores over one backend. Nothing connects before the first question."""

    def __init__(
        self,
        backend: Backend,
        *,
        listener: RunListener | None = None,
        versions: Versions | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self._ledger = LedgerDatabase(backend, policy or RetryPolicy(), versions or Versions())
        self._listener = listener
        self._runs = RunTables(backend)
        self._steps = StepTables(backend)
        self._holds = Statements(RUN_HOLD, backend)
        self._verified = Statements(VERIFIED_QUEUE, backend)
        self._admin = SQLLedgerAdmin(self._ledger, Pruning(self._ledger, self._runs, self._steps))

    def for_queue(self, name: str) -> QueueLedger:
        require_queue_name(name)
        return QueueLedger(
            queue=name,
            runs=SQLRunStore(self._ledger, self._runs, name, self._listener),
            steps=SQLStepStore(self._ledger, self._steps, name),
            holds=SQLHoldStore(self._ledger, self._runs, self._holds, name),
            verified=SQLVerifiedQueueStore(self._ledger, self._verified, name),
        )

    @property
    def admin(self) -> LedgerAdmin:
        return self._admin

    @property
    def is_private(self) -> bool:
        return self._ledger.is_private

    @property
    def place(self) -> str:
        return self._ledger.place

    def close(self) -> None:
        self._ledger.close()
