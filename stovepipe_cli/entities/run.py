"""An operator run: what was done to a queue, by whom, with which options, and how it ended."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

RunKind = Literal["verify", "repair-plan", "repair-apply", "backfill-acceptances", "fixtures-load"]
RunStatus = Literal["RUNNING", "COMPLETED", "FAILED", "CANCELLED"]

RUN_KINDS: tuple[str, ...] = get_args(RunKind)
RUN_STATUSES: tuple[str, ...] = get_args(RunStatus)
RUNNING: RunStatus = "RUNNING"
RUN_ID_BYTES = 64


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What a run is about. `options` and `document` hold JSON values alone, secrets already masked.

    `target` names the database (identity, host, database, server_version), `revisions` what the run rests on (schema,
    tool, rules, plan). `counts` and `failures` tell how far it got, `stopped_because` why nobody works on it now.
    `document` is what later answers are made of, such as where a receipt is.
    """

    profile: str | None = None
    target: Mapping[str, str] = field(default_factory=dict)
    revisions: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    actor: str = ""
    reason: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    stopped_because: str | None = None
    document: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """Key (queue, run_id). `version` 0 was never stored; the parent is a run of the same queue, or unknown there.

    Lineage and `started_at_ms` never change. `finished_at_ms` is None while the status is RUNNING.
    """

    queue: str
    run_id: str
    kind: RunKind
    header: RunHeader
    started_at_ms: int
    parent_run_id: str | None = None
    root_run_id: str | None = None
    status: RunStatus = RUNNING
    finished_at_ms: int | None = None
    version: int = 0

    @property
    def is_ended(self) -> bool:
        """Whether the status is one that no run leaves."""
        return self.status != RUNNING

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("run", "queue", self.queue)
        require_bytes("run", "queue", self.queue, limits.QUEUE_BYTES)
        for name, value in (
            ("run_id", self.run_id),
            ("parent_run_id", self.parent_run_id),
            ("root_run_id", self.root_run_id),
        ):
            if value is not None:
                require_name("run", name, value)
                require_bytes("run", name, value, RUN_ID_BYTES)
                require_text("run", name, value, RUN_ID_BYTES)
        if self.kind not in RUN_KINDS:
            raise InvalidEntity(f"run '{self.run_id}' has unknown kind '{self.kind}'", hint="; ".join(RUN_KINDS))
        if self.status not in RUN_STATUSES:
            raise InvalidEntity(f"run '{self.run_id}' has unknown status '{self.status}'", hint="; ".join(RUN_STATUSES))
        if (self.finished_at_ms is not None) != self.is_ended:
            raise InvalidEntity(
                f"run '{self.run_id}' is {self.status} and its finish time says otherwise",
                hint="a run has a finish time exactly when it has ended",
            )
        if (self.parent_run_id is None) != (self.root_run_id is None):
            raise InvalidEntity(
                f"run '{self.run_id}' names a parent or a root alone", hint="give both, or neither for a run of its own"
            )
        limits.require_positive_ms("run", "started_at_ms", self.started_at_ms)
        limits.require_count("run", "version", self.version)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended. Counts, failures and the reason for stopping are told with it and are no part of the claim."""

    status: RunStatus
    finished_at_ms: int
    counts: Mapping[str, int] | None = None
    failures: tuple[str, ...] | None = None
    stopped_because: str | None = None
    document: Mapping[str, object] | None = None

    @property
    def fingerprint(self) -> str:
        """Identifies the claim: the status and the finish time, nothing else."""
        return "sha256:" + hashlib.sha256(f"{self.status}\n{self.finished_at_ms}".encode()).hexdigest()

    def validate(self) -> None:
        """Raise `InvalidEntity` where this is no end."""
        if self.status not in RUN_STATUSES or self.status == RUNNING:
            raise InvalidEntity(f"'{self.status}' is no way to end", hint="use COMPLETED, FAILED or CANCELLED")
        limits.require_positive_ms("run", "finished_at_ms", self.finished_at_ms)
