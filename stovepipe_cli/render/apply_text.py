"""What an apply or a backfill did, for people; the verdict is the last line."""

from collections.abc import Iterator, Sequence

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow, sentence
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted
from stovepipe_cli.render.symbols import symbols
from stovepipe_cli.render.verify_text import findings_by_code
from stovepipe_cli.render.writes import change_chunks, table_of, writes_table
from stovepipe_cli.reports import ApplyReport, BackfillReport, Verdict, Written

_SHOWN_ROWS = 20


def apply_text(report: ApplyReport, context: RenderContext) -> Iterator[str]:
    """Rows written, problems, findings that remain, the receipt, and what became of the ready entries."""
    written = report.receipt.written
    shown = written if context.detail or not context.is_terminal else written[:_SHOWN_ROWS]
    yield from (_written(row, context) for row in shown)
    if len(shown) < len(written):
        rest = f"{symbols(context).ellipsis} and {len(written) - len(shown):,} more: the receipt lists every row"
        yield sentence(prose(rest, "faint"), context)
    if written:
        yield "\n"
        yield writes_table(written, context)
        yield "\n"
    remaining = sorted(report.remaining_findings, key=lambda finding: finding.code)
    for text in findings_by_code(remaining, context, label="remaining "):
        yield text
        yield "\n"
    yield fields_block(
        [
            ("run", [Ink(report.run_id)] if report.run_id else []),
            ("receipt", [Ink(report.receipt.path)] if report.receipt.path else []),
            *[("problem", [prose(problem, "warn")]) for problem in report.problems],
            ("stopped", [prose(report.stopped_because, "warn")] if report.stopped_because else []),
        ],
        context,
    )
    verb = "would be applied" if report.dry_run else "applied"
    counts = [
        f"{counted(report.applied, 'entry', 'entries')} {verb}",
        *([f"{report.identical:,} there already"] if report.identical else []),
        *([f"{report.drifted:,} drifted"] if report.drifted else []),
        *([counted(report.conflicts, "conflict")] if report.conflicts else []),
        *([f"{report.failed:,} failed"] if report.failed else []),
    ]
    yield _closing(report.verdict, ", ".join(counts), is_dry_run=report.dry_run, context=context)


def apply_hints(report: ApplyReport) -> tuple[str, ...]:
    """What remains to be done."""
    if report.dry_run:
        return ("next: the same command without --dry-run",) if report.applied else ()
    if not report.remaining_findings:
        return ()
    left = counted(len(report.remaining_findings), "finding remains", "findings remain")
    return (f"{left} in the requests of the plan: 'stovepipe verify' shows what each one needs",)


def backfill_text(report: BackfillReport, context: RenderContext) -> Iterator[str]:
    """Counts of requests, problems, and the outcome."""
    figures = (
        ("scanned", report.scanned),
        ("mapped now" if not report.dry_run else "would be mapped", report.mapped),
        ("mapped before", report.already_mapped),
        ("acceptance time unknown", report.unknown_acceptance),
        ("in conflict", report.conflicts),
        ("set aside", report.quarantined),
        ("summaries updated" if not report.dry_run else "summaries to update", report.summaries_updated),
    )
    width = max(len(f"{number:,}") for _, number in figures)
    fields: list[tuple[str, Sequence[Chunk]]] = [(name, [Ink(f"{number:,}".rjust(width))]) for name, number in figures]
    fields += [("problem", [prose(problem, "warn")]) for problem in report.problems]
    if report.stopped_because:
        fields.append(("stopped", [prose(report.stopped_because, "warn")]))
    if report.run_id:
        fields.append(("run", [Ink(report.run_id)]))
    yield fields_block(fields, context)
    verb = "would be mapped" if report.dry_run else "mapped"
    text = f"{counted(report.mapped, 'request')} {verb}"
    yield _closing(report.verdict, text, is_dry_run=report.dry_run, context=context)


def backfill_hints(report: BackfillReport) -> tuple[str, ...]:
    """How to write what a dry run counted."""
    return ("next: the same command with --apply",) if report.dry_run and report.mapped else ()


def _closing(verdict: Verdict, text: str, *, is_dry_run: bool, context: RenderContext) -> str:
    tones: dict[Verdict, Tone] = {"clean": "good", "findings": "bad", "incomplete": "warn", "error": "bad"}
    note = "dry run, nothing was written: " if is_dry_run else ""
    return "\n" + flow([(Ink(f"{verdict}:", tones[verdict]), prose(note + text))], context)


def _written(row: Written, context: RenderContext) -> str:
    key = " ".join(str(part) for part in row.key.values())
    verb = "updated" if row.is_update else "inserted"
    chunks: list[Chunk] = [(Ink(verb), Ink(table_of(row.action))), Ink(key)]
    if row.before is not None:
        chunks += change_chunks(row.before, row.after, context)
    return flow(chunks, context, hang=2)
