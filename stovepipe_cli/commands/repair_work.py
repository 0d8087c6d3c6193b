"""From options to a plan, and from a plan to an apply, with the checks and the question in between."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import Refused
from stovepipe_cli.instants import parse_duration

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session, WritePlan
    from stovepipe_cli.repair.apply_options import ApplyOptions
    from stovepipe_cli.reports import ApplyReport, PlanTarget, RepairPlan
    from stovepipe_cli.storage.contract import StorageFactory


def make_plan(
    session: "Session",
    open_factory: "Callable[[], StorageFactory]",
    *,
    select: list[str] | None = None,
    requests: list[str] | None = None,
    expires: str = "24h",
    insert_only: bool = False,
    no_tag: bool = False,
    allow_retention_time: bool = False,
    failed_reason: list[str] | None = None,
    superseded_by: list[str] | None = None,
    allow_empty: bool = False,
) -> "RepairPlan":
    """Plan over the bound queue; requests may be named in every form that history show knows."""
    from stovepipe_cli import __version__
    from stovepipe_cli.commands.audit_options import codes, pairs, verify_options
    from stovepipe_cli.history.reference import resolve_request
    from stovepipe_cli.repair.plan_options import PlanOptions
    from stovepipe_cli.repair.planner import PlanOrigin, plan

    storage = open_factory().for_queue(session.queue)

    def by_request(option: str, given: list[str] | None) -> dict[str, str]:
        return {resolve_request(storage, name): value for name, value in pairs(option, given).items()}

    options = PlanOptions(
        select=codes(select),
        request_ids=tuple(resolve_request(storage, each) for each in requests or ()),
        expires_ms=parse_duration(expires),
        failed_reasons=by_request("--failed-reason", failed_reason),
        superseded_by={
            older: resolve_request(storage, newer)
            for older, newer in by_request("--superseded-by", superseded_by).items()
        },
        allow_retention_time=allow_retention_time,
        insert_only=insert_only,
        no_tag=no_tag,
        verify=verify_options(session, allow_empty=allow_empty),
    )
    origin = PlanOrigin(
        target=plan_target(session),
        schema_fingerprint=open_factory().admin.schema_fingerprint(),
        tool_version=__version__,
    )
    return session.suggest_queue(lambda: plan(storage, options, origin, clock=session.clock))


def plan_target(session: "Session") -> "PlanTarget":
    """The open database as plans name it: by the profile's `database_id`, else by the server's identity."""
    from stovepipe_cli.reports import PlanTarget

    state = session.server()
    return PlanTarget(
        profile=session.config.profile.value,
        host=state.host,
        database=state.database,
        identity=session.config.database_id.value or state.identity,
    )


def write_plan_files(
    session: "Session", made: "RepairPlan", *, out: Path | None, sql: Path | None, force: bool
) -> None:
    """Write the plan, and its SQL form, to the files asked for."""
    from stovepipe_cli.files import PRIVATE, write_whole
    from stovepipe_cli.repair.plan_file import write_plan
    from stovepipe_cli.repair.sql_script import columns_of, sql_script
    from stovepipe_cli.repair.sql_words import dialect_of

    if out is not None:
        write_plan(made, out, force=force)
        session.say(f"plan written to '{out}'; apply it with: stovepipe repair apply -q {made.queue} {out}")
    if sql is not None:
        dialect = dialect_of(session.server().backend)
        script = sql_script(made, dialect, columns_of(session.storage()))
        write_whole(sql, script, mode=PRIVATE, overwrite=force)
        session.say(f"SQL written to '{sql}'")


def load_or_make_plan(session: "Session", plan_file: Path | None) -> "RepairPlan":
    """The plan of a file or of stdin (`-`), or, on a terminal alone, one made afresh and shown whole."""
    from stovepipe_cli.repair.plan_file import parse_plan, read_plan

    if plan_file is not None:
        return parse_plan(session.surroundings.read_input()) if str(plan_file) == "-" else read_plan(plan_file)
    if not session.surroundings.can_ask or session.config.no_input.value:
        raise Refused(
            "no plan is given, and nobody is there to read a fresh one; nothing was written",
            hint="make one with: stovepipe repair plan --out plan.json",
        )
    made = make_plan(session, session.writing)
    session.preview(made)
    return made


def apply_plan(
    session: "Session",
    plan: "RepairPlan",
    options: "ApplyOptions",
    *,
    plan_file: Path | None,
    confirm_queue: str | None,
    undo_sql: Path | None = None,
    reason: str | None = None,
) -> "ApplyReport":
    """Look at all that forbids the plan here, ask, apply, and keep the receipt beside the plan's file.

    The first SIGINT or SIGTERM lets the row that is being written be finished and told of.
    """
    from stovepipe_cli.commands.process import signals_noted
    from stovepipe_cli.repair.site import ApplyRun, Site, apply_at, require_site
    from stovepipe_cli.run_id import mint_run_id

    options.validate()
    require_undo_place(undo_sql, dry_run=options.dry_run)
    factory = session.reading() if options.dry_run else session.writing()
    site = Site(plan_target(session), factory.admin.schema_fingerprint(), session.server())
    require_site(plan, session.queue, options, site, session.clock.now_ms())
    write = write_plan_of(plan, options)
    if not options.dry_run:
        session.confirm(write, confirm_queue=confirm_queue)
    kept_beside = plan_file if str(plan_file) != "-" and write.total else None
    with signals_noted() as ended_by:
        run = ApplyRun(
            mint_run_id(session.clock), kept_beside, reason, undo_sql, is_stopped=lambda: ended_by() is not None
        )
        report = apply_at(factory.for_queue(session.queue), plan, options, site, clock=session.clock, run=run)
    if undo_sql is not None:
        session.say(f"SQL that takes this back written to '{undo_sql}'; nothing runs it but you")
    return replace(report, ended_by=ended_by())


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
    from stovepipe_cli.commands.session import WritePlan
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
