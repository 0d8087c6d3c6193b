"""Whether acceptance mappings and summaries fit each other: A401 to A404."""

from collections.abc import Iterable, Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.instants import format_instant
from stovepipe_cli.storage.contract.rows import RequestAcceptanceRow

ACCEPTANCE = "request_acceptance"


def mapping_exists(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """A401; a mapping at another time is A403."""
    summary = dossier.summary
    if summary is None or not summary.accepted_at_ms or dossier.acceptances:
        return NOTHING
    return [
        about(
            dossier,
            "A401",
            (ACCEPTANCE, (summary.accepted_at_ms, dossier.request_id)),
            ("a mapping", "none"),
            f"request '{dossier.request_id}' has a known accepted time and no acceptance mapping, so no listing shows "
            "it",
            is_latest=dossier.newest_version <= 1,
        )
    ]


def mappings_agree(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """A402, A403 and A404."""
    mappings, summary = dossier.acceptances, dossier.summary
    if not mappings:
        return NOTHING
    if summary is None:
        return [
            _about_mapping(
                dossier,
                "A402",
                mapping,
                ("a summary", "none"),
                f"the acceptance mapping of request '{dossier.request_id}' at {format_instant(mapping.accepted_at_ms)} "
                "has no summary, which fails every page of a listing that holds it",
            )
            for mapping in mappings
        ]
    known = summary.accepted_at_ms
    wrong = [mapping for mapping in mappings if mapping.accepted_at_ms != known]
    if not wrong:
        return NOTHING
    if len(mappings) == 1:
        (mapping,) = mappings
        return [
            _about_mapping(
                dossier,
                "A403",
                mapping,
                (known or None, mapping.accepted_at_ms),
                f"the only acceptance mapping of request '{dossier.request_id}' has another time than its summary",
            )
        ]
    return [_duplicate(dossier.request_id, mapping, dossier) for mapping in wrong]


def _duplicate(request_id: str, mapping: RequestAcceptanceRow, dossier: Dossier) -> Candidate:
    return _about_mapping(
        dossier,
        "A404",
        mapping,
        ("one mapping", "several"),
        f"request '{request_id}' has several acceptance mappings; the one at "
        f"{format_instant(mapping.accepted_at_ms)} is not its summary's",
    )


def _about_mapping(
    dossier: Dossier,
    code: str,
    mapping: RequestAcceptanceRow,
    difference: tuple[str | int | None, str | int],
    message: str,
) -> Candidate:
    key = (mapping.accepted_at_ms, mapping.request_id)
    return about(dossier, code, (ACCEPTANCE, key), difference, message, evidence=((ACCEPTANCE, key),))


def together(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates of one request, where mappings that were met one at a time are judged side by side."""
    found = list(candidates)
    wrong = {each.identity for each in found if each.code in ("A403", "A404")}
    if len(wrong) <= 1:
        # A mapping that stands alone can only disagree with a time that the summary knows.
        return [each for each in found if each.code != "A403" or each.expected is not None]
    return [
        each._replace(
            code="A404",
            expected="one mapping",
            found="several",
            message=f"request '{each.request_id}' has several acceptance mappings; the one at {each.key[0]} ms is not "
            "its summary's",
        )
        if each.code == "A403"
        else each
        for each in found
    ]


_TABLES = ("request_summary", ACCEPTANCE)

ACCEPTANCE_RULES = (
    Rule(
        "A401",
        "acceptance-missing",
        "error",
        "The summary knows when the request was accepted, and the mapping that listings walk over does not exist. The "
        "insert after the projection failed, or the request is older than the mappings. Repair and backfill insert "
        "the mapping from the summary.",
        "repair, backfill",
        ("requests", "acceptances"),
        _TABLES,
        mapping_exists,
    ),
    Rule(
        "A402",
        "acceptance-dangling",
        "error",
        "A mapping has no summary. The service's listing fails on every page that holds such a row. The summary was "
        "deleted; where history is retained, repair makes the summary again.",
        None,
        ("acceptances",),
        _TABLES,
        mappings_agree,
    ),
    Rule(
        "A403",
        "acceptance-mismatch",
        "error",
        "The request's only mapping has another time than its summary, and the service's listing fails on every page "
        "that holds it. One of the rows was changed by hand.",
        None,
        ("acceptances",),
        _TABLES,
        mappings_agree,
    ),
    Rule(
        "A404",
        "acceptance-duplicated",
        "error",
        "A request has several mappings. The time is part of the key, so the database allows it, but only one can be "
        "right and the others fail the service's listing. Nothing is deleted by this tool.",
        None,
        ("acceptances",),
        _TABLES,
        mappings_agree,
    ),
)
