"""One sentence on whether a branch is green at its newest commit, and what it waits for."""

from collections.abc import Sequence

from stovepipe_cli.instants import format_age
from stovepipe_cli.reports.look import LastGreen, NewestRequest, NewestVerdict, UnfinishedItem


def why(
    newest: NewestRequest | None,
    verdict: NewestVerdict | None,
    green: LastGreen | None,
    unfinished: Sequence[UnfinishedItem],
    looked_back: int | None,
) -> str:
    """The sentence; `looked_back` numbers were looked at, None for all there are."""
    if newest is None:
        return "no request is on record, so nothing was validated"
    if verdict is None:
        where = "no request" if looked_back is None else f"none of the newest {looked_back} numbers"
        parts = [f"{where} has a verdict", *_last_green(green)]
    elif verdict.verdict == "green":
        at = "its newest request" if verdict.request_id == newest.request_id else "request"
        parts = [f"green at {at} '{verdict.request_id}', judged {format_age(verdict.age_ms)} ago"]
    else:
        parts = [f"broken at request '{verdict.request_id}', judged {format_age(verdict.age_ms)} ago"]
        parts += _last_green(green)
    if verdict is None or verdict.request_id != newest.request_id:
        parts.append(_waits_for(newest, unfinished))
    return "; ".join(parts)


def _last_green(green: LastGreen | None) -> list[str]:
    if green is None:
        return ["nothing was ever green"]
    age = "" if green.age_ms is None else f", {format_age(green.age_ms)} ago"
    return [f"last green at '{green.request_id or green.uri}'{age}"]


def _waits_for(newest: NewestRequest, unfinished: Sequence[UnfinishedItem]) -> str:
    if not unfinished:
        return f"the newest request '{newest.request_id}' is '{newest.state}' and has no verdict"
    oldest = unfinished[0]
    age = "" if oldest.age_ms is None else f" for {format_age(oldest.age_ms)}"
    if len(unfinished) == 1:
        return f"'{oldest.request_id}' is unfinished: {oldest.state}{age}"
    return f"{len(unfinished)} requests are unfinished, the oldest is '{oldest.request_id}': {oldest.state}{age}"
