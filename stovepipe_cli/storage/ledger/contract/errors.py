"""What a ledger may refuse beyond the errors of every store."""

from stovepipe_cli.storage.contract.errors import StorageError


class RunConflict(StorageError):
    """A claim about a run that contradicts the one on record; the record was left as it is."""

    code = "run-conflict"
    exit_code = 8


class RunEnded(StorageError):
    """The run has ended, and ended runs take no more writes."""

    code = "run-ended"
    exit_code = 8


class InvocationConflict(StorageError):
    """The attempt is locked with other content; the record was left as it is."""

    code = "invocation-conflict"
    exit_code = 8


class LeaseLost(StorageError):
    """The lease ran out or went to another worker; nothing was written."""

    code = "lease-lost"
    exit_code = 8
    retryable = True


class WorkflowEnded(StorageError):
    """The workflow is completed, failed or cancelled, and hands out no more steps."""

    code = "workflow-ended"
    exit_code = 8


class LedgerTooNew(StorageError):
    """A newer version of the tool made this ledger, and says that this version must not do what was asked."""

    code = "ledger-too-new"
    exit_code = 7


class LedgerTooOld(StorageError):
    """The ledger's tables are of an older version and are upgraded only on demand."""

    code = "ledger-too-old"
    exit_code = 7
