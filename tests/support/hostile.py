"""Text that acts on whoever shows it carelessly, and a verify that is full of it."""

from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.reports import (
    Coverage,
    Finding,
    HistoryEntry,
    HistoryReport,
    Mark,
    Read,
    Severity,
    Subject,
    VerifyReport,
)

HOSTILE = (
    "<script>document.title = 'run'</script>",
    '"><img src=x onerror="document.title = 1">',
    "</style></title><h1>",
    "]]>&amp;&lt;!--",
    "{{ 7 * 7 }} ${7} %s",
    'a"b\\c\nd',
    "\x00\x01\x1b[2J\x7f\x9b",
    "\ufffe\uffff",
    "\u202eevil\u2066\u200b\u2028",
    "bytes \udcff\udc80",
    "javascript:alert(1)",
    "\U0001f600 \u00e9 \u0e01\u0e33",
)


def hostile_run(text: str) -> AuditRun:
    """A verify in which every text of the database's is this one."""
    severities: tuple[Severity, ...] = ("error", "warning", "info")
    codes = ("H102", "H110", "H112")
    findings = tuple(
        Finding(
            id=f"{code}:0123456789abcdef",
            code=code,
            name="some-rule",
            severity=severity,
            request_id=text,
            subject=Subject("request_log", {"request_id": text, "log_id": text}),
            expected={text: text},
            found=text,
            reads=(Read(1_767_268_800_000, text), Read(1_767_268_805_000, [text])),
            message=f"request '{text}' lacks something",
            repair=f"stovepipe repair plan -q {text}",
        )
        for code, severity in zip(codes, severities, strict=True)
    )
    report = VerifyReport(
        run_id=text,
        scope=None,
        coverage={"requests": Coverage(3, 0, absent=False), "issues": Coverage(0, 1, absent=False)},
        counts=dict.fromkeys(codes, 1),
        findings=findings,
        findings_total=3,
        legacy_requests=1,
        pending=1,
        history_since=text,
        notes=(text,),
        blocking=(text,),
        severities=dict.fromkeys(severities, 1),
        known={"H112": 1},
        known_findings={"H112:0123456789abcdef": text},
        known_severities={"info": 1},
    )
    return AuditRun(text, text, 1_767_268_800_000, 3, report=report, timelines=(hostile_history(text),))


def hostile_history(text: str) -> HistoryReport:
    """A timeline with an entry, a gap and a mark."""
    entry = HistoryEntry(
        log_id=text,
        timestamp_ms=1_767_268_800_000,
        time=text,
        state=text,
        event="",
        request_version=1,
        outcome_reason=text,
        metadata={text: text},
    )
    return HistoryReport(
        request_id=text,
        uri=text,
        request=None,
        entries=(entry,),
        gaps=(Mark("H102", text, text),),
        marks=(Mark("H110", text, text),),
        gap_positions=(1,),
    )
