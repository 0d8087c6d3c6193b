"""Answers about the ledger as such, for people."""

from collections.abc import Iterator

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import flow
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.reports import LedgerCheckReport, LedgerInitReport, LedgerPruneReport, LedgerUpgradeReport


def check_text(report: LedgerCheckReport, context: RenderContext) -> Iterator[str]:
    """Where it is and what it is; whether it can be used is the last line."""
    version = f"version {report.schema_version}, this tool makes {report.tool_schema_version}"
    who = "a file of this host, which others cannot share" if report.is_private else "a server, which hosts can share"
    is_there = report.schema_version > 0
    yield fields_block(
        [
            ("ledger", [Ink(report.place)]),
            ("named by", [Ink(report.origin)]),
            ("backend", [Ink(report.backend), prose(who, "faint")]),
            ("identity", [Ink(report.identity)] if report.identity else []),
            ("schema", [prose(version if is_there else "none yet: it is made when it is first written to")]),
            ("missing", [Ink(name, "bad") for name in report.absent_tables] if is_there else []),
        ],
        context,
    )
    yield "\n"
    if report.verdict == "clean":
        yield flow([(Ink("clean:", "good"), prose("it can be read and written"))], context)
        return
    reason = report.refusal or f"{counted(len(report.absent_tables), 'table')} missing: run stovepipe ledger init"
    yield flow([(Ink("findings:", "bad"), prose(reason))], context)


def init_text(report: LedgerInitReport, context: RenderContext) -> Iterator[str]:
    """The tables that were made."""
    done = f"{counted(len(report.created), 'table')} created" if report.created else "every table was there already"
    yield fields_block([("ledger", [Ink(report.place)]), ("created", [Ink(each) for each in report.created])], context)
    yield flow([prose(done)], context)


def upgrade_text(report: LedgerUpgradeReport, context: RenderContext) -> Iterator[str]:
    """From what to what, and where the copy is."""
    same = report.from_version == report.to_version
    done = f"it is of version {report.to_version}" + ("" if same else f", it was of version {report.from_version}")
    yield fields_block([("ledger", [Ink(report.place)]), ("copy", [Ink(report.copy)] if report.copy else [])], context)
    yield flow([prose(done)], context)


def prune_text(report: LedgerPruneReport, context: RenderContext) -> Iterator[str]:
    """What was removed, or would be."""
    figures = (
        ("runs", report.runs),
        ("events", report.events),
        ("steps", report.steps),
        ("attempts", report.invocations),
        ("lists of findings", report.files),
    )
    width = max(len(f"{number:,}") for _, number in figures)
    yield fields_block([(name, [Ink(f"{number:,}".rjust(width))]) for name, number in figures], context)
    yield "\n"
    before = moment(report.finished_before_ms, context)
    word = "dry run, nothing was removed: this is" if report.dry_run else "removed:"
    yield flow([prose(f"{word} what completed verifies and plans left before {before}")], context)


def prune_hints(report: LedgerPruneReport) -> tuple[str, ...]:
    """How to remove what a dry run counted."""
    is_any = report.runs or report.files
    return (*report.notes, *(("next: the same command with --apply",) if report.dry_run and is_any else ()))
