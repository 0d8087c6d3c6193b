"""Whether a request's state entries are all there and fit the request: H101 to H109, H113 and H116."""

from collections.abc import Sequence
from types import MappingProxyType

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier, is_repaired
from stovepipe_cli.audit.rules.acceptances import ACCEPTANCE
from stovepipe_cli.audit.rules.mending import PROJECTIONS, is_mendable
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.history.consistency import Deviation, examine, out_of_order
from stovepipe_cli.storage.contract.rows import Key

ENTRIES_BESIDE_BUILDS = 24
ENTRIES_A_BUILD = 2

_MISSING = ("H101", "H102", "H103", "H104")
_AFTER_OUTCOME = ("validation_fact_recorded", "project_facts_recorded", "record_abandoned")
_SENTENCES = MappingProxyType(
    {
        "H101": "request '{id}' is '{state}' at version {version} and has no entry at all",
        "H102": "request '{id}' is '{state}' at version {version} and no state entry has that version",
        "H103": "request '{id}' has history, but no accepted entry",
        "H104": "request '{id}' is '{state}' at version {version} and no state is retained between it and version 1",
        "H105": "request '{id}' is '{state}' at version {version}, but entry '{entry}' says {found}",
        "H106": "request '{id}' is at version {version}, but entry '{entry}' is of version {found}",
        "H107": "request '{id}' has several state entries for version {first}: {found}",
        "H108": "entry '{entry}' of request '{id}' takes an impossible step: {expected} can follow, not {found}",
    }
)


def states_fit(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """H101 to H108 at once."""
    request = dossier.request
    if request is None:
        return NOTHING
    deviations = examine(request.state, request.version, dossier.rows)
    return [_deviation(dossier, each) for each in deviations] if deviations else NOTHING


def _deviation(dossier: Dossier, deviation: Deviation) -> Candidate:
    request = dossier.request
    message = _SENTENCES[deviation.code].format(
        id=dossier.request_id,
        state=request.state if request else "",
        version=request.version if request else 0,
        entry=deviation.log_id,
        first=deviation.versions[0] if deviation.versions else 0,
        expected=deviation.expected,
        found=deviation.found,
    )
    return about(
        dossier,
        deviation.code,
        ("request_log", (dossier.request_id, deviation.log_id)),
        (deviation.expected, deviation.found),
        message,
        versions=deviation.versions,
        evidence=_acceptances(dossier),
        is_latest=_is_latest_step(dossier, deviation.code),
        is_repairable=is_mendable(dossier, deviation.code) if deviation.code in _MISSING else None,
    )


def _acceptances(dossier: Dossier) -> tuple[tuple[str, Key], ...]:
    """Mappings that tell the time of acceptance; a second read finds them only by their keys."""
    return tuple((ACCEPTANCE, (each.accepted_at_ms, each.request_id)) for each in dossier.acceptances)


def _is_latest_step(dossier: Dossier, code: str) -> bool:
    """Whether redelivery may still retain the entry: only that of the current state, and only before a later step."""
    request = dossier.request
    if request is None or code not in ("H101", "H102", "H103"):
        return False
    if code == "H103" and request.version > 1:
        return False
    if request.state in TERMINAL_STATES:
        return not dossier.has_event(*_AFTER_OUTCOME)
    return not dossier.builds and dossier.entry_count == len(dossier.states)


def history_is_owned(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """H109."""
    if dossier.request is not None or not dossier.entry_count:
        return NOTHING
    count = dossier.entry_count
    noun = "entry" if count == 1 else "entries"
    return [
        about(
            dossier,
            "H109",
            ("request", (dossier.request_id,)),
            ("a request", f"none, and {count} {noun}"),
            f"request '{dossier.request_id}' does not exist, but {count} {noun} of it "
            f"{'is' if count == 1 else 'are'} retained",
            is_repairable=False,
        )
    ]


def time_runs_forward(dossier: Dossier, terms: Terms) -> Sequence[Candidate]:
    """H113."""
    if dossier.request is None:
        return NOTHING
    found = out_of_order(dossier.states, terms.clock_skew_ms, is_repaired)
    if not found:
        return NOTHING
    return [
        about(
            dossier,
            "H113",
            ("request_log", (dossier.request_id, each.log_id)),
            (each.expected, each.found),
            f"entry '{each.log_id}' of request '{dossier.request_id}' has an earlier time than a state before it",
            versions=each.versions,
        )
        for each in found
    ]


def history_is_bounded(dossier: Dossier, terms: Terms) -> Sequence[Candidate]:
    """H116."""
    request = dossier.request
    limit = ENTRIES_BESIDE_BUILDS + ENTRIES_A_BUILD * dossier.build_count
    if request is None or (dossier.build_count <= terms.max_builds and dossier.entry_count <= limit):
        return NOTHING
    return [
        about(
            dossier,
            "H116",
            ("request", (dossier.request_id,)),
            (
                f"at most {terms.max_builds} builds and {limit} entries",
                f"{dossier.build_count} builds and {dossier.entry_count} entries",
            ),
            f"request '{dossier.request_id}' has an unusually long history: {dossier.build_count} builds and "
            f"{dossier.entry_count} entries",
        )
    ]


_STATES = ("request", "request_log")

HISTORY_RULES = (
    Rule(
        "H101",
        "history-missing",
        "error",
        "A request that must have history has no entry of any kind. Every write to its log was lost, or the rows were "
        "deleted. Look at the service's log writes around the time of its commit; repair writes back the entries that "
        "the stored rows prove, which is rarely all of them.",
        "repair",
        ("requests", "acceptances"),
        _STATES,
        states_fit,
        also_reads=PROJECTIONS,
    ),
    Rule(
        "H102",
        "current-state-missing",
        "error",
        "No state entry has the request's version, so its history ends before the state it is in. The log write after "
        "the last change of state failed and was not retried, or the change has not been followed up yet. Repair "
        "writes the entry where the stored rows prove its time and reason, and otherwise says what an operator must "
        "decide.",
        "repair",
        ("requests", "acceptances"),
        _STATES,
        states_fit,
        also_reads=PROJECTIONS,
    ),
    Rule(
        "H103",
        "accepted-missing",
        "error",
        "There is history, but not the entry with which it must begin. Once a request has left the accepted state the "
        "service never writes this entry again. It can be repaired only where the time of acceptance is still stored, "
        "in the summary or in the acceptance mapping; a made-up time would enter the service's listing.",
        "repair",
        ("requests", "acceptances"),
        _STATES,
        states_fit,
        also_reads=PROJECTIONS,
    ),
    Rule(
        "H104",
        "earlier-state-missing",
        "error",
        "A request with a build outcome has no state entry between version 1 and it: the processing entry was lost. "
        "Every stage writes entries for the current state only, so this gap never closes by itself. Repair writes the "
        "entry, at the moment of insertion where no time is stored.",
        "repair",
        ("requests",),
        _STATES,
        states_fit,
        also_reads=PROJECTIONS,
    ),
    Rule(
        "H105",
        "state-mismatch",
        "error",
        "The entry at the request's version names another state than the request. One of the two rows was changed by "
        "hand or restored from another time. Nothing repairs this, because either could be right: compare with the "
        "builds and the repository fact, then correct the wrong row deliberately.",
        None,
        ("requests",),
        _STATES,
        states_fit,
    ),
    Rule(
        "H106",
        "history-ahead",
        "error",
        "A state entry is of a later version than the request has reached. The request row was set back, typically by "
        "a restored backup or a manual update, while the log stayed. Find out which of the two is current before "
        "anything else writes to the request.",
        None,
        ("requests",),
        _STATES,
        states_fit,
    ),
    Rule(
        "H107",
        "version-duplicated",
        "error",
        "Two state entries claim the same request version. Identities make this impossible for one writer; it happens "
        "where an entry was written under an obsolete identity and again under the present one, or by hand. Readers "
        "show both. Decide which one is true; nothing is deleted by this tool.",
        None,
        ("requests",),
        _STATES,
        states_fit,
    ),
    Rule(
        "H108",
        "illegal-transition",
        "error",
        "Two consecutive state entries form a step that the service never takes, or a state follows a terminal one. "
        "Events after a terminal state are normal and never counted. Rows were mixed up or written by hand: compare "
        "with the request row and its builds.",
        None,
        ("requests",),
        _STATES,
        states_fit,
    ),
    Rule(
        "H109",
        "orphan-history",
        "error",
        "Entries belong to a request that does not exist. The request row was deleted, or its id was written "
        "differently (case, trailing space), or rows of another queue were copied. Look for the request under a "
        "similar id; nothing is deleted by this tool.",
        None,
        ("requests",),
        _STATES,
        history_is_owned,
    ),
)

TIME_RULES = (
    Rule(
        "H113",
        "time-order",
        "warning",
        "A later version was retained at an earlier time, by more than the clock skew that is allowed for. The clocks "
        "of the machines that write history disagree, or a row was edited. Entries written by repair are left out, "
        "since their time is when they were put back.",
        None,
        ("requests",),
        _STATES,
        time_runs_forward,
    ),
    Rule(
        "H116",
        "history-oversized",
        "warning",
        "A request has more builds than the limit, or more entries than its builds explain. A build message that is "
        "delivered again and again triggers a build each time. Look at the request's build stage and its dead-letter "
        "queue.",
        None,
        ("requests",),
        _STATES,
        history_is_bounded,
    ),
)
