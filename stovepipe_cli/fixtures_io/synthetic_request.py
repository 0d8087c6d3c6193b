"""One synthetic request as bare rows: built by the hundred thousand, so no entity is made and nothing is validated."""

import hashlib
import json
from typing import NamedTuple

from stovepipe_cli.history.metadata_keys import BASE_URI, BUILD_ID, FACT_DEGREE
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

PROCESS_AFTER_MS = 20_140
TRIGGER_AFTER_MS = 24_500
FINISH_AFTER_MS = 411_250
OUTCOME_AFTER_MS = 412_460
FACT_AFTER_MS = 414_940


class SyntheticRequest(NamedTuple):
    """A request that went all the way: built once, decided by its build, recorded. An empty base is a full build."""

    id: str
    number: int
    uri: str
    base_uri: str
    accepted_at_ms: int
    is_green: bool


class SyntheticRows(NamedTuple):
    """Every row of a synthetic request, in the order in which the service writes their tables."""

    request: RequestRow
    request_uri: RequestURIRow
    build: BuildRow
    fact: ValidationFactRow
    accepted: RequestLogRow
    processing: RequestLogRow
    triggered: RequestLogRow
    finished: RequestLogRow
    outcome: RequestLogRow
    recorded: RequestLogRow
    summary: RequestSummaryRow
    acceptance: RequestAcceptanceRow


def synthetic_rows(request: SyntheticRequest) -> SyntheticRows:
    """The undamaged rows."""
    request_id, number, uri, base_uri, at, is_green = request
    build_id = f"b-{number}"
    state, reason = ("succeeded", "build_succeeded") if is_green else ("failed", "build_failed")
    degree = 0.0 if is_green else 1.0
    # Keys in sorted order, as stored metadata has them.
    base = json.dumps(base_uri, ensure_ascii=False)
    based = f'{{"{BASE_URI}":{base}}}'
    decided = f'{{"{BASE_URI}":{base},"{BUILD_ID}":"{build_id}"}}'
    built = f'{{"{BUILD_ID}":"{build_id}"}}'
    occurrence = hashlib.sha256(key_bytes(uri) + b"\0").hexdigest()
    return SyntheticRows(
        RequestRow(request_id, uri, state, "incremental_since_green" if base_uri else "full", base_uri, 3, build_id),
        RequestURIRow(uri, request_id, 1),
        BuildRow(build_id, request_id, state, 3),
        ValidationFactRow(uri, "", degree, request_id, at + FACT_AFTER_MS),
        RequestLogRow(request_id, "state/1", at, "accepted", "", 1, "", "{}"),
        RequestLogRow(request_id, "state/2", at + PROCESS_AFTER_MS, "processing", "", 2, "", based),
        RequestLogRow(
            request_id,
            f"event/build_triggered/{build_id}",
            at + TRIGGER_AFTER_MS,
            "",
            "build_triggered",
            0,
            "",
            built,
        ),
        RequestLogRow(
            request_id,
            f"event/build_finished/{build_id}",
            at + FINISH_AFTER_MS,
            "",
            "build_finished",
            0,
            "",
            built,
        ),
        RequestLogRow(request_id, "state/3", at + OUTCOME_AFTER_MS, state, "", 3, reason, decided),
        RequestLogRow(
            request_id,
            f"event/validation_fact_recorded/{occurrence}",
            at + FACT_AFTER_MS,
            "",
            "validation_fact_recorded",
            0,
            "",
            f'{{"{FACT_DEGREE}":"{degree:.0f}"}}',
        ),
        RequestSummaryRow(request_id, uri, base_uri, state, 3, at + OUTCOME_AFTER_MS, 3, at, reason, 0, 0, 0),
        RequestAcceptanceRow(at, request_id),
    )


def rows_without(rows: SyntheticRows, *names: str) -> list[Row]:
    """The rows but for those of the named fields."""
    whole: list[Row] = [*rows]
    return [row for name, row in zip(rows._fields, whole, strict=True) if name not in names]
