"""Why a request failed: proved, likely, or ruled out."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities import Build, Request, RequestSummary
from stovepipe_cli.history.entries import build_finished_entry, build_triggered_entry
from stovepipe_cli.repair.failed_reason import contradiction, failed_reason
from stovepipe_cli.repair.request_rows import RequestRows

QUEUE, ID, URI = "monorepo/main", "request/monorepo/main/41", "git://a/41"
AT = 1_790_000_000_000
FAILED = Request(QUEUE, ID, URI, "failed", 3, "full")
FAILED_EARLY = Request(QUEUE, ID, URI, "failed", 2)
BROKEN = Build(QUEUE, "bk-41", ID, "failed", 2)
RUNNING = replace(BROKEN, status="running")
SUMMARY = RequestSummary(QUEUE, ID, URI, "", "failed", 3, AT, 3, outcome_reason="build_polling_exhausted")
FINISHED = build_finished_entry(BROKEN, timestamp_ms=AT)
TRIGGERED = build_triggered_entry(BROKEN, timestamp_ms=AT)


def test_the_summary_s_reason_at_the_same_version_is_proof() -> None:
    found = failed_reason(RequestRows(FAILED, summary=SUMMARY), "")
    assert (found.status, found.word, found.taken_from) == (
        "ready",
        "build_polling_exhausted",
        "request_summary.outcome_reason",
    )


def test_the_reason_of_an_older_summary_is_of_another_state() -> None:
    assert (
        failed_reason(RequestRows(FAILED, summary=replace(SUMMARY, request_version=2)), "").status == "needs-operator"
    )


def test_a_deciding_build_that_failed_is_proof() -> None:
    rows = RequestRows(replace(FAILED, terminal_build_id="bk-41"), builds=(BROKEN,))
    found = failed_reason(rows, "")
    assert (found.status, found.word, found.build) == ("ready", "build_failed", BROKEN)


def test_a_failed_build_alone_only_makes_it_likely() -> None:
    found = failed_reason(RequestRows(FAILED, builds=(BROKEN,)), "")
    assert (found.status, found.word) == ("needs-operator", "")
    assert "probably build_failed" in found.sentence
    assert f"--failed-reason {ID}=" in found.sentence


@pytest.mark.parametrize(
    ("rows", "likely"),
    [
        (RequestRows(FAILED_EARLY), "likely processing_failed: no build strategy"),
        (RequestRows(FAILED), "likely processing_failed: no build is stored"),
        (RequestRows(FAILED, builds=(RUNNING,)), "processing_failed or build_polling_exhausted"),
    ],
)
def test_the_likely_reason_is_shown_with_its_ground(rows: RequestRows, likely: str) -> None:
    assert likely in failed_reason(rows, "").sentence


@pytest.mark.parametrize(
    "rows",
    [
        RequestRows(FAILED_EARLY, (TRIGGERED,)),
        RequestRows(FAILED, (TRIGGERED,)),
        RequestRows(FAILED, (FINISHED,), builds=(RUNNING,)),
    ],
)
def test_no_reason_is_called_likely_against_a_retained_build_entry(rows: RequestRows) -> None:
    sentence = failed_reason(rows, "").sentence
    assert "likely" not in sentence
    assert "probably" not in sentence


def test_the_operator_s_word_is_taken_where_nothing_speaks_against_it() -> None:
    found = failed_reason(RequestRows(FAILED, builds=(BROKEN,)), "build_failed")
    assert (found.status, found.word, found.taken_from) == ("ready", "build_failed", "operator")


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        (RequestRows(FAILED_EARLY), "build_failed"),
        (RequestRows(FAILED_EARLY), "build_polling_exhausted"),
        (RequestRows(FAILED_EARLY, (TRIGGERED,)), "processing_failed"),
        (RequestRows(FAILED, builds=(replace(BROKEN, status="succeeded"),)), "build_failed"),
        (RequestRows(replace(FAILED, terminal_build_id="bk-41"), builds=()), "processing_failed"),
        (RequestRows(FAILED, (FINISHED,)), "processing_failed"),
        (RequestRows(FAILED, (FINISHED,)), "build_polling_exhausted"),
        (RequestRows(FAILED), "build_succeeded"),
    ],
)
def test_a_word_that_rows_rule_out_is_not_taken(rows: RequestRows, word: str) -> None:
    assert contradiction(rows, word)
    assert failed_reason(rows, word).status == "not-derivable"


def test_a_word_against_the_stored_reason_is_not_taken() -> None:
    found = failed_reason(RequestRows(FAILED, summary=SUMMARY), "processing_failed")
    assert found.status == "not-derivable"
    assert "build_polling_exhausted" in found.sentence
