"""The tables of runs, with their statements."""

from collections.abc import Mapping, Sequence
from typing import Any

from stovepipe_cli.keys import key_text
from stovepipe_cli.storage.ledger.sql.run_statements import InvocationStatements, RunStatements
from stovepipe_cli.storage.ledger.sql.statements import Statements, keyed
from stovepipe_cli.storage.ledger.tables import INVOCATION, RUN, RUN_END
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.session import Session


class RunTables:
    """Shared by all queues of a ledger."""

    def __init__(self, backend: Backend) -> None:
        self.runs = RunStatements(RUN, backend)
        self.ends = Statements(RUN_END, backend)
        self.invocations = InvocationStatements(INVOCATION, backend)

    def lock(self, session: Session, key: Mapping[str, object]) -> Sequence[Any] | None:
        """The row of the run, which nobody else changes until this transaction ends; None where there is none."""
        where = keyed(queue=key["queue"], run_id=key["run_id"])
        return self.runs.rows(session, self.runs.find(), where)[0] if self._is_locked(session, where) else None

    def lock_for_status(self, session: Session, key: Mapping[str, object]) -> str | None:
        """The same, without the header, which can be long; the status."""
        where = keyed(queue=key["queue"], run_id=key["run_id"])
        return key_text(session.rows(self.runs.status(), where)[0][0]) if self._is_locked(session, where) else None

    def _is_locked(self, session: Session, where: Mapping[str, object]) -> bool:
        return session.change(self.runs.touch(), where) > 0
