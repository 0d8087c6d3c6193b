"""Whether a repair could write what is missing, as far as the rows beside one request tell.

Planning reads more, and can still meet a contradiction that does not show here.
"""

from collections.abc import Sequence

from stovepipe_cli.entities import Request, RequestLog, RequestSummary
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES, TERMINAL_STATES
from stovepipe_cli.history.gaps import Surroundings
from stovepipe_cli.history.metadata_keys import BASE_URI

ALWAYS = frozenset({"E201", "E202", "E206", "P302", "P303", "P306", "A401", "U501"})

_OF_STATES = ("H102", "H103", "H104")
_NEVER_BUILT = ("accepted", "superseded")
# An outcome of this version came straight from accepted, and so has no baseline.
_FROM_ACCEPTED = 2


def is_mendable(code: str, request: Request, entries: Sequence[RequestLog], surroundings: Surroundings) -> bool:
    """Whether stored rows prove some of what the gap misses; False for codes that nothing repairs."""
    if code in ALWAYS:
        return True
    summary = next((each for each in surroundings.summaries or () if each.request_id == request.id), None)
    states = [entry for entry in entries if entry.is_state]
    if code == "P301":
        return bool(states) or any(is_mendable(each, request, entries, surroundings) for each in _OF_STATES)
    is_accepted_known = bool(surroundings.acceptances) or _knows_acceptance(summary)
    is_processed = bool(request.build_strategy) and request.state in {"processing", *BUILD_OUTCOME_STATES}
    is_current_known = _is_current_known(
        request, states, summary, is_accepted_known=is_accepted_known, is_processed=is_processed
    )
    return {
        "H101": request.state not in _NEVER_BUILT or is_accepted_known or is_current_known,
        "H102": is_current_known,
        "H103": is_accepted_known,
        "H104": is_processed,
    }.get(code, False)


def _is_current_known(
    request: Request,
    states: Sequence[RequestLog],
    summary: RequestSummary | None,
    *,
    is_accepted_known: bool,
    is_processed: bool,
) -> bool:
    if request.state == "accepted":
        return request.version == 1 and is_accepted_known
    if request.state == "processing":
        return is_processed
    if request.state == "superseded":
        return not request.build_strategy
    has_baseline = summary is not None and summary.request_version >= _FROM_ACCEPTED
    has_baseline = has_baseline or any(BASE_URI in entry.metadata for entry in states)
    is_baseline_known = bool(request.build_strategy) or request.version <= _FROM_ACCEPTED or has_baseline
    return request.state in TERMINAL_STATES and is_baseline_known


def _knows_acceptance(summary: RequestSummary | None) -> bool:
    if summary is None:
        return False
    return bool(summary.accepted_at_ms) or (summary.request_version == 1 and summary.state == "accepted")
