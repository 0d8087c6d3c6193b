"""A verify for people: findings by code, worst first, then what was read, and the verdict as the last line."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow, sentence
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.symbols import symbols
from stovepipe_cli.reports import Coverage, Finding, Severity, VerifyReport

_SHOWN_A_CODE = 10
_SHOWN_COMMANDS = 5
_TONES: dict[Severity, Tone] = {"error": "bad", "warning": "warn", "info": "faint"}
_PLURALS: dict[Severity, str] = {"error": "errors", "warning": "warnings", "info": "infos"}


def verify_text(report: VerifyReport, context: RenderContext) -> Iterator[str]:
    """Findings, those without a repair, coverage and notes, verdict."""
    for text in findings_by_code(report.findings, context, totals=report.counts):
        yield text
        yield "\n"
    for text in findings_by_code(report.pending_findings, context, label="pending "):
        yield text
        yield "\n"
    unrepaired = _without_repair(report.findings)
    if unrepaired:
        yield sentence(prose(unrepaired), context)
        yield "\n"
    yield fields_block(_account(report), context)
    yield "\n"
    yield flow([_verdict(report)], context)


def verify_hints(report: VerifyReport) -> tuple[str, ...]:
    """What to run next: the repairs of the findings, and how to see what was left out."""
    is_cut = report.findings_total > len(report.findings)
    commands = _merged([finding.repair for finding in report.findings if finding.repair], is_cut=is_cut)
    hints = [f"next: {command}" for command in commands[:_SHOWN_COMMANDS]]
    if len(commands) > _SHOWN_COMMANDS:
        hints.append(f"and {counted(len(commands) - _SHOWN_COMMANDS, 'more command')}: see repair in -o ndjson")
    if is_cut:
        hints.append(
            f"{report.findings_total:,} findings, of which {len(report.findings):,} are listed: "
            "raise --max-findings or write all of them with --findings-file"
        )
    return tuple(hints)


def _merged(commands: Sequence[str], *, is_cut: bool) -> list[str]:
    """The commands, each once; those that differ only in their request become the one for all requests.

    Where `is_cut`, more findings are there than are listed, and one request is not known to be the only one.
    """
    wholes: dict[str, set[str]] = {}
    for command in commands:
        wholes.setdefault(command.split(" --request ")[0], set()).add(command)
    return [next(iter(same)) if len(same) == 1 and not is_cut else whole for whole, same in wholes.items()]


def findings_by_code(
    findings: Sequence[Finding], context: RenderContext, *, totals: Mapping[str, int] | None = None, label: str = ""
) -> Iterator[str]:
    """A block a code, in the order given; `totals` counts also what is not listed."""
    for code, group in groupby(findings, key=lambda finding: finding.code):
        members = list(group)
        first = members[0]
        total = max((totals or {}).get(code, 0), len(members))
        head = (Ink(code, _TONES[first.severity]), Ink(first.name, "strong"))
        text = flow([head, Ink(label + first.severity, _TONES[first.severity]), Ink(f"{total:,}")], context)
        shown = members if context.detail or not context.is_terminal else members[:_SHOWN_A_CODE]
        text += "".join(_finding(finding, context) for finding in shown)
        if total > len(shown):
            rest = f"{symbols(context).ellipsis} and {total - len(shown):,} more: -o ndjson lists them"
            text += sentence(prose(rest, "faint"), context, hang=2)
        yield text


def severity_counts(findings: Mapping[Severity, int]) -> str:
    """`3 errors, 1 warning`, worst first; empty where there is none."""
    order: tuple[Severity, ...] = ("error", "warning", "info")
    return ", ".join(
        counted(findings[severity], severity, _PLURALS[severity]) for severity in order if findings.get(severity)
    )


def _finding(finding: Finding, context: RenderContext) -> str:
    chunks: list[Chunk] = [prose(finding.message)]
    if finding.request_id is None or f"'{finding.request_id}'" not in finding.message:
        chunks.insert(0, Ink(finding.request_id or _row(finding)))
    if context.detail:
        chunks += [
            (Ink("expected", "faint"), Ink(cell(finding.expected))),
            (Ink("found", "faint"), Ink(cell(finding.found))),
        ]
        chunks.append(Ink(finding.id, "faint"))
    return flow(chunks, context, head=[Ink("  ")], hang=4)


def _row(finding: Finding) -> str:
    return " ".join([finding.subject.table, *(str(part) for part in finding.subject.key.values())])


def _without_repair(findings: Sequence[Finding]) -> str:
    codes = [finding.code for finding in findings if finding.repair is None and finding.severity != "info"]
    if not codes:
        return ""
    counts = ", ".join(f"{code} ({codes.count(code):,})" for code in dict.fromkeys(codes))
    return (
        f"Without a repair: {counts}. A repair would have to change or delete rows, or nothing stored proves what to "
        "write. 'stovepipe rules explain CODE' says what to do."
    )


def _account(report: VerifyReport) -> list[tuple[str, Sequence[Chunk]]]:
    parts = report.coverage.items()
    read = [_pass(name, part) for name, part in parts if not part.absent]
    absent = [Ink(name) for name, part in parts if part.absent]
    skipped = [(Ink(name, "warn"), Ink(f"{part.skipped:,}", "warn")) for name, part in parts if part.skipped]
    legacy = counted(report.legacy_requests, "request")
    since = f"; it starts with '{report.history_since}'" if report.history_since else ""
    pending = counted(report.pending, "finding")
    return [
        ("run", [Ink(report.run_id)] if report.run_id else []),
        ("checked", read),
        ("no table", absent),
        ("skipped", skipped),
        ("legacy", [prose(f"{legacy} from before history was kept{since}")] if report.legacy_requests else []),
        ("known", [prose(_known(report))] if report.known else []),
        ("pending", [prose(f"{pending} about steps too young to judge")] if report.pending else []),
        *[("note", [prose(note)]) for note in report.notes if note not in report.blocking],
        *[("incomplete", [prose(reason, "warn")]) for reason in report.blocking],
    ]


def _known(report: VerifyReport) -> str:
    counts = ", ".join(f"{code} ({count:,})" for code, count in report.known.items())
    return f"{counts} of the findings are expected by the baseline and do not decide the verdict"


def _pass(name: str, part: Coverage) -> Chunk:
    return (Ink(name), Ink(f"{part.checked:,}"))


def _verdict(report: VerifyReport) -> tuple[Ink, ...]:
    counts = severity_counts(report.severities)
    scope = f" (scope: {report.scope})" if report.scope else ""
    if report.verdict == "findings":
        also = "; incomplete as well: not everything could be judged" if report.is_incomplete else ""
        return (Ink("findings:", "bad"), prose(counts + scope + also))
    if counts and report.known_severities == report.severities:
        counts += ", all of them known"
    tail = f"with {counts}{scope}" if counts else scope.lstrip()
    if report.verdict == "incomplete":
        return (Ink("incomplete:", "warn"), prose(f"not everything could be judged, {tail}".rstrip(", ")))
    return (Ink("clean", "good"), *([prose(tail)] if tail else []))
