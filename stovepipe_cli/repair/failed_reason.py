"""Why a request failed: what rows prove, what they make likely, and what they contradict.

The state alone never tells the reason, so a likely one is shown to the operator and never written without a word
from the operator.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from stovepipe_cli.entities import Build
from stovepipe_cli.entities.request_log import OUTCOME_REASONS
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.reports.repair import Status

FAILED_REASONS = OUTCOME_REASONS["failed"]
BUILD_FAILED = "build_failed"

_FAILED_FROM_ACCEPTED = 2


@dataclass(frozen=True, slots=True)
class FailedReason:
    """`word` is empty unless ready; `taken_from` names the column, or `operator`; `build` is the deciding build."""

    status: Status
    word: str
    taken_from: str
    sentence: str
    build: Build | None = None


def failed_reason(rows: RequestRows, operator_word: str) -> FailedReason:
    """The reason of a failed request, whose summary counts only at the request's own version."""
    proved = _proved(rows)
    if proved is not None:
        problem = contradiction(rows, proved.word)
        if not problem and operator_word and operator_word != proved.word:
            problem = f"the reason '{operator_word}' was given, {proved.taken_from} proves '{proved.word}'"
        return FailedReason("not-derivable", "", proved.taken_from, problem) if problem else proved
    if operator_word:
        problem = contradiction(rows, operator_word)
        if problem:
            return FailedReason("not-derivable", "", "operator", problem)
        return FailedReason("ready", operator_word, "operator", f"reason '{operator_word}' as the operator says")
    return FailedReason("needs-operator", "", "operator", _question(rows))


def contradiction(rows: RequestRows, word: str) -> str:
    """Why stored rows or retained build entries rule this reason out; empty where none does."""
    return next(_contradictions(rows, word), "")


def _contradictions(rows: RequestRows, word: str) -> Iterator[str]:
    request = rows.request
    if word not in FAILED_REASONS:
        yield f"'{word}' is no reason of a failed request"
    if request.version == _FAILED_FROM_ACCEPTED:
        if word in (BUILD_FAILED, "build_polling_exhausted"):
            yield f"'{word}' contradicts version {request.version}: it failed before any build"
        if rows.builds_named:
            yield f"it failed before any build, yet an entry names build '{min(rows.builds_named)}'"
    if word == BUILD_FAILED:
        only = rows.build(request.terminal_build_id) or (rows.builds[0] if len(rows.builds) == 1 else None)
        if only is not None and only.is_terminal and only.status != "failed":
            yield f"'{word}' contradicts build '{only.id}', which is '{only.status}'"
    else:
        if request.terminal_build_id:
            yield f"'{word}' contradicts terminal_build_id '{request.terminal_build_id}': a build decided"
        ended = rows.entries_of("build_finished")
        if ended and word != "validation_timeout":
            yield f"'{word}' contradicts the retained entry '{ended[0].id}': a build came to its end"


def _proved(rows: RequestRows) -> FailedReason | None:
    request, summary = rows.request, rows.summary
    if summary is not None and summary.request_version == request.version and summary.outcome_reason:
        return FailedReason(
            "ready",
            summary.outcome_reason,
            "request_summary.outcome_reason",
            f"reason '{summary.outcome_reason}' from the summary",
        )
    build = rows.build(request.terminal_build_id)
    if build is not None and build.status == "failed":
        return FailedReason(
            "ready", BUILD_FAILED, "request.terminal_build_id", f"its deciding build '{build.id}' failed", build
        )
    return None


def _question(rows: RequestRows) -> str:
    likely = _likely(rows)
    ask = f"no stored row tells why it failed: --failed-reason {rows.request.id}=REASON"
    return f"{ask} ({likely})" if likely else ask


def _likely(rows: RequestRows) -> str:
    """A guess and why, in words; empty where retained entries contradict it or nothing speaks for one."""
    builds = rows.builds
    if rows.request.version == _FAILED_FROM_ACCEPTED or not builds:
        if contradiction(rows, "processing_failed") or rows.builds_named:
            return ""
        why = "no build is stored" if rows.request.build_strategy else "no build strategy was chosen"
        return f"likely processing_failed: {why}"
    failed = next((build for build in builds if build.status == "failed"), None)
    if failed is not None:
        return "" if contradiction(rows, BUILD_FAILED) else f"probably build_failed: build '{failed.id}' failed"
    if any(build.is_terminal for build in builds) or rows.entries_of("build_finished"):
        return ""
    return "processing_failed or build_polling_exhausted: no build came to its end, and nothing tells the two apart"
