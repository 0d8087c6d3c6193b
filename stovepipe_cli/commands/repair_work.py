"""From options to a plan, and from a plan to an apply, with the checks and the question in between."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.instants import parse_duration

if TYPE_CHECKING:
    from stovepipe_cli.commands.run_record import RunRecord
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import PlanTarget, RepairPlan
    from stovepipe_cli.storage.contract import StorageFactory


def make_plan(
    session: "Session",
    open_factory: "Callable[[], StorageFactory]",
    *,
    run_id: str | None = None,
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
        run_id=run_id,
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


def record_plan(session: "Session", record: "RunRecord", made: "RepairPlan") -> None:
    """Leave with the run what the plan is, and beside a ledger of this host every entry of it."""
    from stovepipe_cli.audit.findings_file import FindingsFile
    from stovepipe_cli.commands.run_findings import findings_path

    kept = findings_path(session, record.run_id) if made.entries else None
    try:
        with FindingsFile(kept) as file:
            for entry in made.entries:
                file.add_line(entry)
    except InvalidInput as error:
        # The plan itself is what was asked for.
        session.say(f"warning: the entries are not kept beside the ledger: {error.message}")
        kept = None
    document = {
        "plan_id": made.plan_id,
        "plan_digest": made.digest,
        "entries": len(made.entries),
        "findings_file": None if kept is None else str(kept),
    }
    record.ends(made, made.counts, document=document)


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
        session.say(f"plan written to '{out}'")
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
