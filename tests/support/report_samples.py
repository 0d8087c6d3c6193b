"""Reports for tests of what is shown: small, whole, and with text that a careless terminal would act on."""

from collections.abc import Mapping

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.output import render_report
from stovepipe_cli.reports import Finding, HistoryEntry, Report, RequestView, Severity, Subject

REQUEST_ID = "request/monorepo/main/107"
FACT_ID = "event/validation_fact_recorded/f57b5dc59f9b52a2a9e498546cd07f1afa315db390a39a3a3ce22d22a4978ada"
START_MS = 1_787_212_800_000
HOSTILE = (
    "[/x]",
    "[red]",
    "src/[id].tsx",
    ":smile:",
    "[link=http://e]x[/link]",
    "\\[",
    "\\[bold]",
    "req/1 ",
    "u" * 300,
)

TERMINAL = RenderContext("show", queue="monorepo/main", output="table", is_terminal=True, width=80)
PIPE = RenderContext("show", queue="monorepo/main", output="table", width=20)


def shown(report: Report, context: RenderContext) -> str:
    """The whole answer."""
    return "".join(render_report(report, context))


def entry(
    log_id: str,
    after_ms: int = 0,
    *,
    reason: str = "",
    metadata: Mapping[str, str] | str | None = None,
    state: str = "",
) -> HistoryEntry:
    """An entry `after_ms` milliseconds after 2026-08-20T08:00Z; an event where no state is given."""
    return HistoryEntry(
        log_id=log_id,
        timestamp_ms=START_MS + after_ms,
        time="2026-08-20T08:00:00.000Z",
        state=state,
        event="" if state else log_id.split("/")[1],
        request_version=int(log_id.removeprefix("state/")) if state and log_id[6:].isdigit() else 0,
        outcome_reason=reason,
        metadata={} if metadata is None else metadata,
    )


def request_view(*, base_uri: str = "", request_id: str = REQUEST_ID) -> RequestView:
    """A failed request."""
    return RequestView(request_id, "git://monorepo/9f8e", "failed", 3, "incremental_since_green", base_uri, "bk-1")


def finding(
    code: str,
    number: int | str = 1,
    *,
    severity: Severity = "error",
    repair: str | None = "stovepipe repair plan -q monorepo/main",
    message: str | None = None,
) -> Finding:
    """A finding about request `number`."""
    request_id = f"request/monorepo/main/{number}"
    return Finding(
        id=f"{code}:0123456789abcdef",
        code=code,
        name="some-rule",
        severity=severity,
        request_id=request_id,
        subject=Subject("request_log", {"request_id": request_id, "log_id": "state/2"}),
        expected="an entry",
        found="none",
        reads=(),
        message=message or f"request '{request_id}' lacks something",
        repair=repair,
    )
