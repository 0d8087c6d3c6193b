"""From options to a filter of requests."""

from typing import TYPE_CHECKING

from stovepipe_cli.errors import UsageError
from stovepipe_cli.instants import parse_duration, parse_instant

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.look.request_filter import RequestFilter


def request_filter(
    session: "Session", *, state: str, older_than: str | None, since: str | None, until: str | None
) -> "RequestFilter":
    """The filter; `UsageError` for an unknown state or an empty window."""
    from stovepipe_cli.entities.limits import MAX_INT64
    from stovepipe_cli.entities.request import REQUEST_STATES
    from stovepipe_cli.look.request_filter import RequestFilter

    if state and state not in REQUEST_STATES:
        raise UsageError(f"there is no state '{state}'", hint=f"use one of {', '.join(REQUEST_STATES)}")
    now_ms = session.clock.now_ms()
    since_ms = 0 if since is None else parse_instant(since, now_ms)
    until_ms = MAX_INT64 if until is None else parse_instant(until, now_ms)
    if older_than is not None:
        until_ms = min(until_ms, max(now_ms - parse_duration(older_than), 0))
    if since_ms >= until_ms:
        raise UsageError("no time lies in the window that was asked for", hint="give --since an earlier time")
    asked = f"since={since};until={until};older-than={older_than}"
    return RequestFilter(state=state, since_ms=since_ms, until_ms=until_ms, asked=asked)
