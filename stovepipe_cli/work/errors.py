"""What goes wrong with the record of work, and which failures concern more than the step that met them."""

from collections.abc import Iterator
from contextlib import contextmanager

from stovepipe_cli.errors import Busy, ConfigError, Refused, StovepipeError, UsageError
from stovepipe_cli.storage.contract import (
    CollationConflict,
    ForeignQueue,
    SchemaMismatch,
    StatementTimeout,
    StorageReadOnly,
    StorageUnavailable,
    UnreadableRow,
)
from stovepipe_cli.storage.ledger.contract import (
    LeaseLost,
    LedgerTooNew,
    LedgerTooOld,
    RunConflict,
    RunEnded,
    WorkflowEnded,
)

_OF_ROWS = (StatementTimeout, UnreadableRow, CollationConflict)
_OF_THE_RUN = (
    Busy,
    ConfigError,
    ForeignQueue,
    LeaseLost,
    LedgerTooNew,
    LedgerTooOld,
    Refused,
    RunConflict,
    RunEnded,
    SchemaMismatch,
    StorageReadOnly,
    StorageUnavailable,
    UsageError,
    WorkflowEnded,
)


class LedgerUnavailable(StorageUnavailable):
    """The ledger stopped answering while work was under way. What was written stands, and nothing more was begun."""

    code = "ledger-unavailable"


def concerns_run(error: StovepipeError) -> bool:
    """Whether every other row would meet the same failure, so that nothing may be set aside because of it."""
    return isinstance(error, _OF_THE_RUN) and not isinstance(error, _OF_ROWS)


@contextmanager
def ledger_calls(run_id: str) -> Iterator[None]:
    """Meanwhile a database that cannot be reached is the ledger's, and is told as such."""
    try:
        yield
    except LedgerUnavailable:
        raise
    except StorageUnavailable as error:
        raise LedgerUnavailable(
            f"the ledger was lost during run '{run_id}': {error.message}",
            hint=f"rows written so far stand; once the ledger answers, 'stovepipe runs resume {run_id}' goes on",
        ) from error
