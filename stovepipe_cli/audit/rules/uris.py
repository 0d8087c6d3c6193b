"""Whether the look-up from a commit to its request is there and right: U501 to U503."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.storage.contract.rows import RequestURIRow

URI = "request_uri"


def uri_is_mapped(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """U501."""
    request = dossier.request
    if request is None or not request.uri or any(row.uri == request.uri for row in dossier.uris):
        return NOTHING
    return [
        about(
            dossier,
            "U501",
            (URI, (request.uri,)),
            (f"a row for request '{dossier.request_id}'", "none"),
            f"commit '{request.uri}' of request '{dossier.request_id}' leads to no request",
        )
    ]


def mapped_request_exists(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """U502."""
    if dossier.request is not None:
        return NOTHING
    return [
        _about_row(
            dossier,
            "U502",
            row,
            ("a request", "none"),
            f"commit '{row.uri}' leads to request '{dossier.request_id}', which does not exist",
        )
        for row in dossier.uris
        if row.request_id == dossier.request_id
    ]


def mapping_is_mutual(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """U503; the row of the request's commit, and rows of other commits that name the request."""
    request = dossier.request
    if request is None:
        return NOTHING
    found: list[Candidate] = []
    for row in dossier.uris:
        if row.uri == request.uri and row.request_id != dossier.request_id:
            message = f"commit '{row.uri}' of request '{dossier.request_id}' leads to request '{row.request_id}'"
            found.append(_about_row(dossier, "U503", row, (dossier.request_id, row.request_id), message))
        elif row.request_id == dossier.request_id and row.uri != request.uri and request.uri:
            message = f"commit '{row.uri}' leads to request '{dossier.request_id}', whose commit is '{request.uri}'"
            found.append(_about_row(dossier, "U503", row, (request.uri, row.uri), message))
    return found or NOTHING


def _about_row(dossier: Dossier, code: str, row: RequestURIRow, difference: tuple[str, str], message: str) -> Candidate:
    key = (row.uri,)
    return about(dossier, code, (URI, key), difference, message, evidence=((URI, key),))


_TABLES = ("request", URI)

URI_RULES = (
    Rule(
        "U501",
        "uri-mapping-missing",
        "error",
        "The request's commit has no look-up row, so the service would accept the same commit a second time, and "
        "history by commit does not find the request. The row is written before the request, so it was deleted. "
        "Repair inserts it from the request.",
        "repair",
        ("requests",),
        _TABLES,
        uri_is_mapped,
    ),
    Rule(
        "U502",
        "uri-mapping-dangling",
        "warning",
        "A look-up row names a request that does not exist. The service was interrupted between the two inserts and "
        "the head moved on: such a row stays for ever and does no harm, except that the commit is never validated.",
        None,
        ("uris",),
        _TABLES,
        mapped_request_exists,
    ),
    Rule(
        "U503",
        "uri-mapping-mismatch",
        "error",
        "The look-up row of a commit and the request disagree: it names another request, or its request has another "
        "commit. Rows were edited or merged from another database.",
        None,
        ("requests", "uris"),
        _TABLES,
        mapping_is_mutual,
    ),
)
