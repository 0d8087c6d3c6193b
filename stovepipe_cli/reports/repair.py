"""A repair plan, which is a value with a digest, and what applying it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stovepipe_cli.reports.base import BY_SIGNAL, Report, Verdict
from stovepipe_cli.reports.finding import Finding
from stovepipe_cli.reports.json_form import JsonValue

Action = Literal[
    "create-log", "create-summary", "advance-summary", "create-acceptance", "create-uri", "advance-queue-summary"
]
Status = Literal["ready", "needs-operator", "not-derivable"]


@dataclass(frozen=True, slots=True)
class PlanTarget:
    """The database a plan was made for; `identity` decides, the rest informs."""

    profile: str | None
    host: str
    database: str
    identity: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stored row and the values of it that prove the entry. `values` None: the row must be absent."""

    table: str
    key: Mapping[str, str | int | float]
    values: Mapping[str, JsonValue] | None


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One proposed write, or the reason why none can be proposed.

    `request_id` is empty where the write is about the queue itself. `entry` is the row to insert, or the row after an
    update, whose row before is `before`. `code` is the finding it repairs. `timestamp_source` names where the time
    comes from; None where the row has no time.
    """

    action: Action
    code: str
    request_id: str
    log_id: str | None
    entry: Mapping[str, JsonValue] | None
    before: Mapping[str, JsonValue] | None
    evidence: tuple[Evidence, ...]
    timestamp_source: str | None
    status: Status
    reason: str

    @property
    def is_update(self) -> bool:
        """Whether a row that exists is moved forward."""
        return self.before is not None or self.action == "advance-summary"


@dataclass(frozen=True, slots=True)
class RepairPlan(Report):
    """Everything a repair would do, bound to one queue of one database and to an expiry.

    `file` is where it was written to, for what to do next.
    """

    plan_id: str
    format: int
    queue: str
    target: PlanTarget
    tool_version: str
    schema_fingerprint: str
    created_at_ms: int
    expires_at_ms: int
    options: Mapping[str, JsonValue]
    entries: tuple[PlanEntry, ...]
    counts: Mapping[str, int]
    digest: str
    run_id: str | None = field(default=None, metadata={"json": False})
    is_detailed: bool = field(default=False, metadata={"json": False})
    file: str | None = field(default=None, metadata={"json": False})

    @property
    def exit_code(self) -> int:
        """0, or with the detailed exit code 3 where there is anything to do or decide."""
        pending = any(entry.status != "not-derivable" for entry in self.entries)
        return 3 if self.is_detailed and pending else 0


@dataclass(frozen=True, slots=True)
class Written:
    """One row that was written: its key, and its values before (None: inserted) and after."""

    action: Action
    table: str
    key: Mapping[str, str | int | float]
    before: Mapping[str, JsonValue] | None
    after: Mapping[str, JsonValue]

    @property
    def is_update(self) -> bool:
        """Whether the row was there before."""
        return self.before is not None


@dataclass(frozen=True, slots=True)
class Receipt:
    """Every row written by an apply, and the file that keeps the list (None: not kept in a file)."""

    path: str | None
    written: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class ApplyReport(Report):
    """Counts of the plan's ready entries by what became of them; `problems` names those that did not apply.

    `dry_run` tells that nothing was written and `applied` counts what would be. After a signal, whose number
    `ended_by` is, `remaining_findings` were not looked for.
    """

    run_id: str | None
    dry_run: bool
    applied: int
    identical: int
    drifted: int
    conflicts: int
    failed: int
    remaining_findings: tuple[Finding, ...]
    receipt: Receipt
    problems: tuple[str, ...] = ()
    stopped_because: str | None = None
    ended_by: int | None = field(default=None, metadata={"json": False})

    @property
    def verdict(self) -> Verdict:
        """Findings where a ready entry drifted, conflicted or failed, incomplete where the apply stopped early."""
        if self.ended_by is not None:
            return "error"
        if self.drifted or self.conflicts or self.failed:
            return "findings"
        return "incomplete" if self.stopped_because else "clean"

    @property
    def exit_code(self) -> int:
        """That of the verdict, or of the signal that ended the apply."""
        if self.ended_by is not None:
            return BY_SIGNAL + self.ended_by
        return {"clean": 0, "findings": 3}.get(self.verdict, 4)
