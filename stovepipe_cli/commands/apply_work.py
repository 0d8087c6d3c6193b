"""From a plan to its apply, with everything in between that could forbid it, and the question."""

from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.commands.repair_work import plan_target
from stovepipe_cli.commands.run_place import Pacing
from stovepipe_cli.errors import Refused

if TYPE_CHECKING:
    from stovepipe_cli.commands.confirmation import WritePlan
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.repair.apply_options import ApplyOptions
    from stovepipe_cli.reports import RepairPlan, Report


def apply_plan(
    session: "Session",
    plan: "RepairPlan",
    options: "ApplyOptions",
    pacing: Pacing,
    *,
    plan_file: Path | None,
    confirm_queue: str | None,
    undo_sql: Path | None = None,
    reason: str | None = None,
) -> "Report":
    """Look at all that forbids the plan here, ask, apply, and keep the receipt beside the plan's file.

    The first SIGINT or SIGTERM lets the batch that is being written be finished and told of.
    """
    from stovepipe_cli.commands.run_engine import NewRun, run_new
    from stovepipe_cli.repair.apply_job import KIND, apply_body
    from stovepipe_cli.repair.drift import require_all_evidence
    from stovepipe_cli.repair.receipt_file import require_receipt_place
    from stovepipe_cli.repair.site import Site, require_site

    options.validate()
    require_undo_place(undo_sql, dry_run=options.dry_run)
    factory = session.reading() if options.dry_run else session.writing()
    site = Site(plan_target(session), factory.admin.schema_fingerprint(), session.server())
    checked = require_site(plan, session.queue, options, site, session.clock.now_ms())
    write = write_plan_of(plan, options)
    if options.dry_run:
        return _rehearse(session, plan, checked)
    session.confirm(write, confirm_queue=confirm_queue)
    storage = factory.for_queue(session.queue)
    if checked.require_all_evidence:
        require_all_evidence(storage, plan)
    has_receipt = plan_file is not None and str(plan_file) != "-" and write.total > 0
    document: dict[str, object] = {"plan_id": plan.plan_id}
    if plan_file is not None and has_receipt:
        require_receipt_place(plan_file)
        document["plan_file"] = str(plan_file.absolute())
    if undo_sql is not None:
        document["undo_sql"] = str(undo_sql.absolute())
    body = apply_body(plan, checked)
    defining = {name: body[name] for name in ("only", "max_entries", "keep_going")}
    recorded = {**defining, "plan_file": plan_file, "batch": options.batch, "workers": pacing.workers}
    return run_new(
        session,
        NewRun(KIND, body, defining, recorded, plan=plan.digest, reason=reason, document=document),
        pacing,
    )


def _rehearse(session: "Session", plan: "RepairPlan", options: "ApplyOptions") -> "Report":
    from stovepipe_cli.repair.applier import apply
    from stovepipe_cli.run_id import mint_run_id

    return apply(session.storage(), plan, options, clock=session.clock, run_id=mint_run_id(session.clock))


def require_undo_place(path: Path | None, *, dry_run: bool) -> None:
    """Refuse a file for SQL that undoes an apply, where nothing would be applied or no such file can be."""
    from stovepipe_cli.errors import UsageError
    from stovepipe_cli.files import require_writable_place

    if path is None:
        return
    if dry_run:
        raise UsageError("--dry-run writes nothing that --undo-sql could take back", hint="leave one of the two out")
    if path.exists():
        raise Refused(f"'{path}' exists and is left as it is", hint="choose another name, or move the file away")
    require_writable_place(str(path))


def write_plan_of(plan: "RepairPlan", options: "ApplyOptions") -> "WritePlan":
    """What is about to be written, as the question shows it; refused or wrong narrowing is told before."""
    from stovepipe_cli.commands.confirmation import WritePlan
    from stovepipe_cli.repair.steps import steps_of
    from stovepipe_cli.repair.written_rows import table_written

    inserts: dict[str, int] = {}
    updates: dict[str, int] = {}
    for group in steps_of(plan, only=options.only, max_entries=options.max_entries):
        for step in group.steps:
            for entry in (step.lead, *step.follows):
                counts, table = updates if entry.is_update else inserts, table_written(entry.action).name
                counts[table] = counts.get(table, 0) + 1
    return WritePlan("apply a repair plan", inserts, updates)
