"""The ledger as such, looked at or worked on by its commands."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from stovepipe_cli.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import LedgerCheckReport, LedgerInitReport, LedgerPruneReport, LedgerUpgradeReport
    from stovepipe_cli.storage.ledger.contract import Ledger, Pruned

_AT_ONCE = 500
_MOST_COUNTED = 100_000


def require_ledger(session: "Session", *, read_only: bool) -> "Ledger":
    """The ledger; `ConfigError` where the configuration says that there is none."""
    ledger = session.ledger_for_reading() if read_only else session.ledger()
    if ledger is None:
        raise ConfigError(
            f"there is no ledger: {session.config.ledger.origin} turns it off",
            hint="name one with --ledger-url, or leave the setting out for a file of your own",
        )
    return ledger


def check_ledger(session: "Session") -> "LedgerCheckReport":
    """What is there, and what this version of the tool may do with it."""
    from stovepipe_cli.reports import LedgerCheckReport

    # A file that is opened for reading alone would say that it takes no writes.
    state = require_ledger(session, read_only=False).admin.state()
    return LedgerCheckReport(
        backend=state.backend,
        place=state.place,
        origin=session.config.ledger.origin,
        identity=state.identity,
        is_private=state.is_private,
        schema_version=state.schema_version,
        min_reader=state.min_reader,
        min_writer=state.min_writer,
        tool_schema_version=state.tool_schema_version,
        absent_tables=state.absent_tables,
        can_read=state.can_read,
        can_write=state.can_write,
        refusal=state.refusal,
    )


def init_ledger(session: "Session") -> "LedgerInitReport":
    """Make what is missing."""
    from stovepipe_cli.reports import LedgerInitReport

    ledger = require_ledger(session, read_only=False)
    return LedgerInitReport(ledger.place, ledger.admin.init())


def upgrade_ledger(session: "Session") -> "LedgerUpgradeReport":
    """Bring it to this version."""
    from stovepipe_cli.reports import LedgerUpgradeReport

    ledger = require_ledger(session, read_only=False)
    before, after, copy = ledger.admin.upgrade()
    return LedgerUpgradeReport(ledger.place, before, after, copy)


def prune_ledger(session: "Session", older_than: str, *, apply: bool, dry_run: bool) -> "LedgerPruneReport":
    """Remove what completed verifies and plans left, or count it. `Refused` unless somebody confirms."""
    from stovepipe_cli.commands.audit_options import require_one_of
    from stovepipe_cli.commands.confirmation import confirm_removal
    from stovepipe_cli.instants import parse_duration

    require_one_of(apply=apply, dry_run=dry_run)
    age_ms = parse_duration(older_than)
    if age_ms == 0:
        raise UsageError("--older-than is no time at all", hint="write an age such as 90d")
    before_ms = session.clock.now_ms() - age_ms
    ledger = require_ledger(session, read_only=not apply)
    counted = ledger.admin.prune(finished_before_ms=before_ms, limit=_MOST_COUNTED, dry_run=True)
    report = _report(session, counted, before_ms)
    if not apply or not (report.runs or report.files):
        return replace(report, dry_run=not apply)
    confirm_removal(
        session,
        f"About to prune the ledger at {ledger.place}",
        {
            "events": report.events,
            "steps": report.steps,
            "attempts": report.invocations,
            "lists of findings": report.files,
        },
    )
    removed = _remove(ledger, before_ms)
    files = _remove_lists(session, before_ms)
    return replace(_report(session, removed, before_ms), dry_run=False, files=files)


def _remove(ledger: "Ledger", before_ms: int) -> "Pruned":
    """Part by part, so that no transaction grows with how much there is."""
    total = None
    while True:
        part = ledger.admin.prune(finished_before_ms=before_ms, limit=_AT_ONCE, dry_run=False)
        total = part if total is None else _sum(total, part)
        if part.runs < _AT_ONCE:
            return total


def _sum(one: "Pruned", other: "Pruned") -> "Pruned":
    return replace(
        one,
        runs=one.runs + other.runs,
        events=one.events + other.events,
        steps=one.steps + other.steps,
        invocations=one.invocations + other.invocations,
        run_ids=one.run_ids + other.run_ids,
    )


def _remove_lists(session: "Session", before_ms: int) -> int:
    from stovepipe_cli.commands.run_findings import findings_directory, lists_before

    directory = findings_directory(session)
    removed = 0
    for path in lists_before(directory, before_ms) if directory else ():
        with suppress(FileNotFoundError):
            path.unlink()
            removed += 1
    return removed


def _report(session: "Session", pruned: "Pruned", before_ms: int) -> "LedgerPruneReport":
    from stovepipe_cli.commands.run_findings import findings_directory, lists_before
    from stovepipe_cli.instants import format_instant
    from stovepipe_cli.reports import LedgerPruneReport
    from stovepipe_cli.reports.ledger import PrunedRun

    directory = findings_directory(session)
    return LedgerPruneReport(
        dry_run=True,
        finished_before_ms=before_ms,
        finished_before=format_instant(before_ms),
        runs=pruned.runs,
        events=pruned.events,
        steps=pruned.steps,
        invocations=pruned.invocations,
        files=sum(1 for _ in lists_before(directory, before_ms)) if directory else 0,
        pruned=tuple(PrunedRun(queue, run_id) for queue, run_id in pruned.run_ids),
    )
