"""A verify as a JUnit report: findings fail, what could not be judged is an error, and each pass is a case."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.instants import format_instant
from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.sanitise import visible
from stovepipe_cli.reports import Finding, Severity, VerifyReport

_ORDER: tuple[Severity, ...] = ("error", "warning", "info")

# Characters that XML 1.0 has no way to hold and that the sanitiser leaves alone.
_NOT_IN_XML = re.compile("[\ufffe\uffff]")

Outcome = Literal["failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; `outcome` None: it passed."""

    group: str
    name: str
    outcome: Outcome | None = None
    kind: str = ""
    message: str = ""
    text: str = ""


def junit_text(runs: Sequence[AuditRun]) -> str:
    """The document: one suite a queue."""
    root = ET.Element("testsuites", name="stovepipe verify")
    total: Counter[str] = Counter()
    for run in runs:
        cases = list(_cases(run))
        counts = _counts(cases)
        total.update(counts)
        root.append(_suite(run, cases, counts))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(total[name]))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(cases: Sequence[Case]) -> Counter[str]:
    names = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    return Counter({"tests": len(cases)}) + Counter(names[case.outcome] for case in cases if case.outcome)


def _suite(run: AuditRun, cases: Sequence[Case], counts: Counter[str]) -> ET.Element:
    numbers = {name: str(counts[name]) for name in ("tests", "failures", "errors", "skipped")}
    suite = ET.Element(
        "testsuite", {"name": _xml(run.queue), "timestamp": format_instant(run.at_ms).removesuffix("Z"), **numbers}
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("verdict", run.verdict), ("exit_code", str(run.exit_code)), ("scope", run.scope)):
        ET.SubElement(properties, "property", name=name, value=_xml(value))
    for case in cases:
        element = ET.SubElement(
            suite, "testcase", classname=_xml(f"{run.queue}.{case.group}"), name=_xml(case.name), time="0"
        )
        if case.outcome is not None:
            detail = ET.SubElement(element, case.outcome, message=_xml(case.message))
            if case.kind:
                detail.set("type", case.kind)
            if case.text:
                detail.text = "\n".join(_xml(line) for line in case.text.split("\n"))
    return suite


def _cases(run: AuditRun) -> Iterator[Case]:
    if run.report is None:
        error = run.error
        message, hint = (error.message, error.hint or "") if error else ("it did not finish", "")
        yield Case("verify", "verify", "error", error.code if error else "error", message, hint)
        return
    yield from _passes(run.report)
    for finding in run.report.findings:
        yield _finding(run.report, finding)
    yield from _not_listed(run.report)


def _passes(report: VerifyReport) -> Iterator[Case]:
    for name, part in report.coverage.items():
        if part.absent:
            yield Case("coverage", name, "skipped", message="the table does not exist")
        elif part.skipped:
            message = (
                f"not everything could be read: {part.checked:,} rows were checked, {part.skipped:,} parts were not"
            )
            yield Case("coverage", name, "error", "incomplete", message)
        else:
            yield Case("coverage", name)
    for number, reason in enumerate(report.blocking, start=1):
        yield Case("coverage", f"incomplete {number}", "error", "incomplete", reason)


def _finding(report: VerifyReport, finding: Finding) -> Case:
    reads = "".join(f"\nread at {format_instant(each.at_ms)}: {cell(each.found)}" for each in finding.reads)
    # A value is one line here, whatever it holds.
    parts = [
        f"expected: {visible(cell(finding.expected))}",
        f"found: {visible(cell(finding.found))}" + reads,
        f"subject: {finding.subject.table} {visible(cell({**finding.subject.key}))}",
    ]
    if finding.repair:
        parts.append(f"repair: {visible(finding.repair)}")
    outcome: Outcome = "failure"
    message = finding.message
    if finding.id in report.known_findings:
        outcome, message = "skipped", f"known ({report.known_findings[finding.id]}): {message}"
    elif not _decides(report, finding.severity):
        outcome, message = "skipped", f"{finding.severity}: {message}"
    return Case(finding.code, f"{finding.name} {finding.id}", outcome, finding.code, message, "\n".join(parts))


def _not_listed(report: VerifyReport) -> Iterator[Case]:
    listed = Counter(finding.code for finding in report.findings)
    known = Counter(finding.code for finding in report.findings if finding.id in report.known_findings)
    for code, count in report.counts.items():
        more = count - listed[code]
        if more > 0:
            is_known = more <= report.known.get(code, 0) - known[code]
            is_failure = not is_known and _decides(report, RULES[code].severity)
            message = f"{more:,} more of {code} are not listed: see --max-findings and --findings-file"
            yield Case(code, f"{more} not listed", "failure" if is_failure else "skipped", code, message)


def _decides(report: VerifyReport, severity: Severity) -> bool:
    return _ORDER.index(severity) <= _ORDER.index(report.fail_on)


def _xml(text: str) -> str:
    """The text with what XML cannot hold, or a reader cannot see, spelled out."""
    return _NOT_IN_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", visible(text))
