"""Applies a plan to the database at hand, after everything that could forbid it was looked at."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.applier import UNWATCHED, apply
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.plan_checks import Here, require_applicable
from stovepipe_cli.repair.receipt_file import ReceiptFile, receipt_path
from stovepipe_cli.repair.sql_words import dialect_of
from stovepipe_cli.repair.undo_file import UndoFile
from stovepipe_cli.reports import ApplyReport, PlanTarget, RepairPlan, Written
from stovepipe_cli.storage.contract import ServerState, Storage, StorageReadOnly


@dataclass(frozen=True, slots=True)
class Site:
    """The database that is open: `target` as a plan would name it now, its tables, and what the server says."""

    target: PlanTarget
    schema_fingerprint: str
    server: ServerState


@dataclass(frozen=True, slots=True)
class ApplyRun:
    """One apply as the record keeps it: its id, the plan's file where it came from one, and why it was made.

    `undo_path` is where the SQL that takes it back goes. `is_stopped` is asked before each step whether to end here.
    """

    run_id: str
    plan_path: Path | None = None
    reason: str | None = None
    undo_path: Path | None = None
    is_stopped: Callable[[], bool] = UNWATCHED.is_stopped


def require_site(plan: RepairPlan, queue: str, options: ApplyOptions, site: Site, now_ms: int) -> ApplyOptions:
    """Refuse a plan that is not for here and now, and a server that takes no writes; the options to apply it with."""
    here = Here(queue, site.target.identity, site.schema_fingerprint, now_ms)
    is_foreign = require_applicable(plan, here, accept_failover=options.accept_failover)
    if site.server.read_only and not options.dry_run:
        raise StorageReadOnly(
            f"database '{site.server.database}' on '{site.server.host}' is read-only",
            hint="apply the plan on the primary",
        )
    return replace(options, require_all_evidence=options.require_all_evidence or is_foreign)


def apply_at(
    storage: Storage,
    plan: RepairPlan,
    options: ApplyOptions,
    site: Site,
    *,
    clock: Clock,
    run: ApplyRun,
) -> ApplyReport:
    """Check the plan against the site, apply it, and keep a receipt beside its file.

    A dry run keeps neither a receipt nor SQL to undo it, and a plan that came from no file has no receipt.
    """
    checked = require_site(plan, storage.queue, options, site, clock.now_ms())
    listeners: list[Callable[[Written], None]] = []

    def heard(written: Written) -> None:
        for listener in listeners:
            listener(written)

    receipt: ReceiptFile | None = None
    with ExitStack() as opened:
        if run.undo_path is not None and not options.dry_run:
            undo = UndoFile(run.undo_path, storage, dialect_of(site.server.backend))
            listeners.append(opened.enter_context(undo).note)
        if run.plan_path is not None and not options.dry_run:
            receipt = ReceiptFile(receipt_path(run.plan_path, run.run_id), plan, run.run_id, run.reason)
            listeners.append(opened.enter_context(receipt).note)
        report = apply(storage, plan, checked, clock=clock, run_id=run.run_id, watch=Watch(heard, run.is_stopped))
    return report if receipt is None else replace(report, receipt=replace(report.receipt, path=str(receipt.path)))
