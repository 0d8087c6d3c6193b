"""The ledger's tables. Keys and words are bytes, so that no collation decides; `size` 0 is a document of any length."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from stovepipe_cli.storage.contract.tables import Column, Table

SCHEMA_VERSION = 1
# The lowest version of the tool that may read, and write, a ledger of this version.
MIN_READER = 1
MIN_WRITER = 1

# Runs of these kinds write nothing to a Stovepipe database, so their work is no evidence once it is completed.
PRUNED_KINDS = frozenset({"verify", "repair-plan"})


@dataclass(frozen=True, slots=True)
class Index:
    """A second order of a table."""

    name: str
    columns: tuple[str, ...]
    is_unique: bool = False


@dataclass(frozen=True, slots=True)
class LedgerTable:
    """A table with its indexes."""

    table: Table
    indexes: tuple[Index, ...] = ()

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name


def _bytes(name: str, size: int) -> Column:
    return Column(name, "binary", size)


def _document(name: str, *, nullable: bool = False) -> Column:
    return Column(name, "binary", nullable=nullable)


def _number(name: str) -> Column:
    return Column(name, "bigint")


_QUEUE = _bytes("queue", 255)
_RUN = _bytes("run_id", 64)
_STEP = Column("step_index", "int")
_ATTEMPT = Column("attempt", "int")
# Four bytes a character at most.
_WORKER = _bytes("worker", 1020)

LEDGER_META = LedgerTable(
    Table(
        "ledger_meta",
        (
            Column("id", "int"),
            Column("schema_version", "int"),
            Column("min_reader", "int"),
            Column("min_writer", "int"),
            _bytes("identity", 64),
        ),
        ("id",),
        expected=True,
    )
)
RUN = LedgerTable(
    Table(
        "run",
        (
            _QUEUE,
            _RUN,
            _bytes("kind", 32),
            _bytes("status", 16),
            _number("started_at_ms"),
            # The start time below zero: its order is newest first on servers whose indexes only ascend.
            _number("newest_first"),
            Column("finished_at_ms", "bigint", nullable=True),
            Column("parent_run_id", "binary", 64, nullable=True),
            Column("root_run_id", "binary", 64, nullable=True),
            Column("version", "int"),
            # Grows with every attempt, so that on a cluster an attempt and the run's end meet in one row.
            _number("touches"),
            _document("header"),
        ),
        ("queue", "run_id"),
        expected=True,
    ),
    (
        Index("run_newest", ("queue", "newest_first", "run_id")),
        Index("run_children", ("queue", "parent_run_id", "newest_first", "run_id")),
        Index("run_lineage", ("queue", "root_run_id", "newest_first", "run_id")),
        Index("run_status", ("queue", "status")),
    ),
)
RUN_END = LedgerTable(
    Table(
        "run_end",
        (
            _QUEUE,
            _RUN,
            _bytes("status", 16),
            _number("finished_at_ms"),
            _bytes("fingerprint", 80),
            # Tells the call that ended the run from another one with the same claim.
            _bytes("token", 64),
            # 1 while there may be work of the run to prune.
            Column("prunable", "int"),
        ),
        ("queue", "run_id"),
        expected=True,
    ),
    (Index("run_end_prunable", ("prunable", "finished_at_ms", "queue", "run_id")),),
)
INVOCATION = LedgerTable(
    Table(
        "invocation",
        (
            _QUEUE,
            _RUN,
            _bytes("invocation_id", 64),
            _STEP,
            _ATTEMPT,
            _WORKER,
            _bytes("status", 16),
            _number("started_at_ms"),
            Column("finished_at_ms", "bigint", nullable=True),
            _document("document"),
        ),
        ("queue", "run_id", "invocation_id"),
        expected=True,
    ),
    (Index("invocation_plan", ("queue", "run_id", "step_index", "attempt", "invocation_id")),),
)
WORK_EVENT = LedgerTable(
    Table(
        "work_event",
        (
            _QUEUE,
            _RUN,
            _number("sequence"),
            _bytes("token", 64),
            _bytes("kind", 32),
            _STEP,
            _ATTEMPT,
            _WORKER,
            _number("fencing"),
            _number("at_ms"),
            _document("body"),
        ),
        ("queue", "run_id", "sequence"),
        expected=True,
    ),
    (Index("work_event_token", ("queue", "run_id", "token"), is_unique=True),),
)
# The row of step -1 stands for the workflow: `sequence` is its latest event's, `status` open or the ending's kind.
# Every claim and every append changes it before anything else, which puts them in one order on every server.
WORK_STEP = LedgerTable(
    Table(
        "work_step",
        (
            _QUEUE,
            _RUN,
            _STEP,
            _bytes("status", 32),
            _ATTEMPT,
            _number("fencing"),
            _WORKER,
            _number("lease_until_ms"),
            _number("sequence"),
            _document("input"),
            _document("output", nullable=True),
            _document("reason", nullable=True),
        ),
        ("queue", "run_id", "step_index"),
        expected=True,
    ),
    (
        Index("work_step_status", ("queue", "run_id", "status", "step_index")),
        Index("work_step_lease", ("queue", "status", "lease_until_ms", "run_id", "step_index")),
    ),
)
RUN_HOLD = LedgerTable(
    Table(
        "run_hold",
        (_QUEUE, _RUN, _number("since_ms"), _document("document")),
        ("queue", "run_id"),
        expected=True,
    )
)
VERIFIED_QUEUE = LedgerTable(
    Table(
        "verified_queue",
        (
            _QUEUE,
            _bytes("target", 255),
            _RUN,
            _bytes("verdict", 64),
            _number("verified_at_ms"),
            _bytes("boundary", 1020),
            _number("boundary_number"),
            Column("version", "int"),
        ),
        ("queue", "target"),
        expected=True,
    )
)

LEDGER_TABLES: Mapping[str, LedgerTable] = MappingProxyType(
    {
        each.name: each
        for each in (LEDGER_META, RUN, RUN_END, INVOCATION, WORK_EVENT, WORK_STEP, RUN_HOLD, VERIFIED_QUEUE)
    }
)
