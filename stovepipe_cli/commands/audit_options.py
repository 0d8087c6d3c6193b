"""From a command's options and the configuration to the options of an audit."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from stovepipe_cli.errors import UsageError
from stovepipe_cli.instants import parse_instant

if TYPE_CHECKING:
    from stovepipe_cli.audit.baseline import KnownFinding
    from stovepipe_cli.audit.options import VerifyOptions
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import Severity

SEVERITIES = ("error", "warning", "info")


def verify_options(
    session: "Session",
    *,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    fail_on: str = "error",
    requests: list[str] | None = None,
    last: int | None = None,
    since: str | None = None,
    until: str | None = None,
    show_pending: bool = False,
    require_history_since: bool = False,
    max_findings: int = 1000,
    findings_file: Path | None = None,
    allow_empty: bool = False,
    exit_zero: bool = False,
    known: "tuple[KnownFinding, ...]" = (),
) -> "VerifyOptions":
    """Checked options; `UsageError` or `InvalidInput` for values that make no sense."""
    from stovepipe_cli.audit.options import VerifyOptions
    from stovepipe_cli.history.reference import resolve_request

    config, now_ms = session.config, session.clock.now_ms()
    if fail_on not in SEVERITIES:
        raise UsageError(f"--fail-on '{fail_on}' is no severity", hint=f"use {', '.join(SEVERITIES)}")
    for name, number in (("--last", last), ("--max-findings", max_findings)):
        if number is not None and number < 1:
            raise UsageError(f"{name} {number} is out of range", hint="use 1 or more")
    return VerifyOptions(
        select=codes(select),
        ignore=codes(ignore),
        fail_on=cast("Severity", fail_on),
        request_ids=tuple(resolve_request(session.storage(), each) for each in requests or ()),
        last=last,
        since_ms=None if since is None else parse_instant(since, now_ms),
        until_ms=None if until is None else parse_instant(until, now_ms),
        settle_ms=config.settle_ms.value,
        min_age_ms=config.min_age_ms.value,
        history_since=config.history_since.value,
        require_history_since=require_history_since,
        clock_skew_ms=config.clock_skew_ms.value,
        max_builds=config.max_builds.value,
        max_findings=max_findings,
        expect_tables=config.expect_tables.value,
        allow_empty=allow_empty,
        show_pending=show_pending,
        exit_zero=exit_zero,
        run_time_ms=session.run_time_ms,
        findings_file=findings_file,
        known=known,
    )


def scope_label(
    *,
    select: list[str] | None,
    ignore: list[str] | None,
    requests: list[str] | None,
    last: int | None,
    since: str | None,
    until: str | None,
) -> str:
    """What narrows a verify, as it was typed, so that every run of a schedule has the same; empty: nothing does."""
    parts = (
        ("request", " ".join(requests or ())),
        ("last", "" if last is None else str(last)),
        ("since", since or ""),
        ("until", until or ""),
        ("rules", ",".join(codes(select))),
        ("without", ",".join(codes(ignore))),
    )
    return ", ".join(f"{name} {value}" for name, value in parts if value)


def codes(given: list[str] | None) -> tuple[str, ...]:
    """Codes and prefixes from a repeatable, comma-separated option."""
    return tuple(code.strip() for each in given or () for code in each.split(",") if code.strip())


def pairs(option: str, given: list[str] | None) -> dict[str, str]:
    """REQUEST=VALUE options as a mapping; the last `=` divides, since a request id may hold one."""
    chosen: dict[str, str] = {}
    for each in given or ():
        request, equals, value = each.rpartition("=")
        if not equals or not request or not value:
            raise UsageError(f"{option} '{each}' is not of the form REQUEST=VALUE", hint=f"write {option} 42=VALUE")
        if chosen.setdefault(request, value) != value:
            raise UsageError(f"{option} decides twice about request '{request}'", hint="decide once")
    return chosen


def require_one_of(*, apply: bool, dry_run: bool) -> None:
    """Refuse a command told both to write and not to."""
    if apply and dry_run:
        raise UsageError("--apply and --dry-run exclude each other", hint="leave one of them out")
