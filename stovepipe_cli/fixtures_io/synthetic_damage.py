"""Damage that the generator can plant: each kind leaves one finding, that of its code."""

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stovepipe_cli.fixtures_io.synthetic_beside import ISSUES
from stovepipe_cli.fixtures_io.synthetic_contradictions import CONTRADICTIONS, gone
from stovepipe_cli.fixtures_io.synthetic_request import SyntheticRows, rows_without
from stovepipe_cli.storage.contract.rows import Row

Planter = Callable[[SyntheticRows], list[Row]]

HISTORY = ("accepted", "processing", "triggered", "finished", "outcome", "recorded")


def without(*names: str) -> Planter:
    """Damage by removing rows, by their names in `SyntheticRows`."""
    return lambda rows: rows_without(rows, *names)


def mismatched(rows: SyntheticRows) -> list[Row]:
    """The entry of the outcome names another one."""
    state, reason = (
        ("failed", "build_failed") if rows.request.state == "succeeded" else ("succeeded", "build_succeeded")
    )
    return [*rows._replace(outcome=rows.outcome._replace(state=state, outcome_reason=reason))]


def ahead(rows: SyntheticRows) -> list[Row]:
    """The request's row is back where it was before the outcome, which was not recorded yet."""
    request = rows.request._replace(state="processing", version=2, terminal_build_id="")
    return rows_without(rows._replace(request=request), "fact", "recorded")


def duplicated(rows: SyntheticRows) -> list[Row]:
    """A second entry of the same version, under the id of an early recorder."""
    digest = hashlib.sha256(rows.request.id.encode("utf-8", "surrogateescape")).hexdigest()
    return [*rows, rows.processing._replace(log_id=f"log/{digest}")]


def illegal(rows: SyntheticRows) -> list[Row]:
    """Superseded, and decided all the same."""
    entry = rows.processing._replace(state="superseded", outcome_reason="superseded_by_newer_head")
    return [*rows._replace(processing=entry)]


def behind(rows: SyntheticRows) -> list[Row]:
    """The summary as it was before the outcome."""
    summary = rows.summary._replace(
        state="processing",
        request_version=2,
        state_timestamp_ms=rows.processing.timestamp_ms,
        version=2,
        outcome_reason="",
    )
    return [*rows._replace(summary=summary)]


def disagreeing(rows: SyntheticRows) -> list[Row]:
    """The summary has another time than the entry it was made from."""
    return [*rows._replace(summary=rows.summary._replace(state_timestamp_ms=rows.summary.state_timestamp_ms + 1))]


def spelled_otherwise(rows: SyntheticRows) -> list[Row]:
    """Nothing more: the generator has given the request an id of the other form."""
    return [*rows]


def _nobody(_request_id: str) -> None:
    """For findings that concern no request."""


MIXED_FORMS = "Q606"

# Whom a finding names where that is not the damaged request.
NAMED: Mapping[str, Callable[[str], str | None]] = MappingProxyType(
    {"A402": gone, "U502": gone, "D802": _nobody, MIXED_FORMS: _nobody} | dict.fromkeys(ISSUES, _nobody)
)

PLANTERS: Mapping[str, Planter] = MappingProxyType(
    {
        "H101": without(*HISTORY),
        "H102": without("outcome"),
        "H103": without("accepted"),
        "H104": without("processing"),
        "H105": mismatched,
        "H106": ahead,
        "H107": duplicated,
        "H108": illegal,
        "H109": without("request"),
        "E201": without("triggered"),
        "E202": without("finished"),
        "E206": without("recorded"),
        "E209": without("fact"),
        "E210": without("fact", "recorded"),
        "P301": without("summary", "acceptance"),
        "P302": behind,
        "P304": disagreeing,
        "A401": without("acceptance"),
        "U501": without("request_uri"),
        MIXED_FORMS: spelled_otherwise,
        **CONTRADICTIONS,
        **ISSUES,
    }
)
