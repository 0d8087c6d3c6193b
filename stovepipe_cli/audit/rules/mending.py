"""Whether a repair could write what is missing, as far as the rows of a verify tell.

Planning reads more, and can still meet a contradiction that does not show here.
"""

from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES, TERMINAL_STATES
from stovepipe_cli.history.metadata_keys import BASE_URI
from stovepipe_cli.storage.contract.rows import RequestRow

# An outcome of this version came straight from accepted, and so has no baseline.
_FROM_ACCEPTED = 2

_NEVER_BUILT = ("accepted", "superseded")

# The tables that tell when a request was accepted, and what became of it.
PROJECTIONS = ("request_summary", "request_acceptance")


def is_mendable(dossier: Dossier, code: str) -> bool:
    """Whether stored rows prove anything of the states that a code of H101 to H104 misses; True for other codes."""
    request = dossier.request
    if request is None:
        return False
    if code == "H101":
        # No key leads from a request without entries to its builds, so those of one that was built may be stored.
        return request.state not in _NEVER_BUILT or is_acceptance_known(dossier) or is_current_known(dossier)
    if code == "H102":
        return is_current_known(dossier)
    if code == "H103":
        return is_acceptance_known(dossier)
    return code != "H104" or is_processing_known(request)


def is_current_known(dossier: Dossier) -> bool:
    """Whether an entry for the request's present state could be made."""
    request = dossier.request
    if request is None:
        return False
    if request.state == "accepted":
        return request.version == 1 and is_acceptance_known(dossier)
    if request.state == "processing":
        return is_processing_known(request)
    if request.state == "superseded":
        return not request.build_strategy
    is_baseline_known = bool(request.build_strategy) or request.version <= _FROM_ACCEPTED or _has_baseline(dossier)
    return request.state in TERMINAL_STATES and is_baseline_known


def is_acceptance_known(dossier: Dossier) -> bool:
    """Whether a row tells when the request was accepted."""
    summary = dossier.summary
    if dossier.acceptances:
        return True
    if summary is None:
        return False
    return bool(summary.accepted_at_ms) or (summary.request_version == 1 and summary.state == "accepted")


def is_processing_known(request: RequestRow) -> bool:
    """Whether the request row proves that it was processed."""
    return bool(request.build_strategy) and request.state in {"processing", *BUILD_OUTCOME_STATES}


def is_event_of_results_lost(dossier: Dossier) -> bool:
    """Whether a summary with project results proves the entry that they came from, and that entry alone is missing."""
    summary, request = dossier.summary, dossier.request
    if summary is None or request is None or dossier.has_event("project_facts_recorded"):
        return False
    completed_ms = summary.project_results_completed_at_ms
    if not completed_ms or not summary.project_fact_count or request.state not in ("succeeded", "failed"):
        return False
    return all(row.timestamp_ms > completed_ms for row in dossier.events_of("record_abandoned"))


def _has_baseline(dossier: Dossier) -> bool:
    if dossier.summary is not None and dossier.summary.request_version >= _FROM_ACCEPTED:
        return True
    return any(BASE_URI in row.metadata for row in dossier.states)
