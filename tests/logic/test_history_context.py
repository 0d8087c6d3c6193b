from dataclasses import replace

import pytest

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.history.context import (
    context_problems,
    identity_problems,
    metadata_problems,
    parse_count,
    unknown_words,
)
from tests.support.history_samples import whole_history

ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = whole_history()


@pytest.mark.parametrize("entry", whole_history(), ids=lambda entry: entry.id[:30])
def test_what_the_service_writes_lacks_nothing(entry: RequestLog) -> None:
    assert context_problems(entry) == ()


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (replace(ACCEPTED, timestamp_ms=0), "timestamp_ms 0 is no time"),
        (replace(ACCEPTED, event="build_finished"), "both a state and an event"),
        (replace(ACCEPTED, state=""), "neither a state nor an event"),
        (replace(ACCEPTED, request_version=2), "state 'accepted' with request_version 2, which is always 1"),
        (replace(PROCESSING, request_version=0), "state 'processing' with request_version 0"),
        (
            replace(PROCESSING, outcome_reason="build_failed"),
            "state 'processing' with outcome_reason 'build_failed', which has none",
        ),
        (replace(SUCCEEDED, outcome_reason=""), "state 'succeeded' without an outcome_reason"),
        (
            replace(SUCCEEDED, outcome_reason="build_failed"),
            "state 'succeeded' with outcome_reason 'build_failed' of another state",
        ),
        (
            replace(TRIGGERED, request_version=2),
            "event 'build_triggered' with request_version 2, which is for states",
        ),
        (
            replace(TRIGGERED, outcome_reason="build_failed"),
            "event 'build_triggered' with outcome_reason 'build_failed', which is for states",
        ),
        (replace(TRIGGERED, metadata={}), "event 'build_triggered' without metadata 'build_id'"),
        (replace(FINISHED, metadata={"build_id": ""}), "event 'build_finished' without metadata 'build_id'"),
        (replace(FACT, metadata={}), "event 'validation_fact_recorded' without metadata 'fact_degree'"),
        (
            replace(FACT, metadata={"fact_degree": "1.5"}),
            "metadata 'fact_degree' is '1.5', which is no number of 0 to 1",
        ),
        (
            replace(PROJECTS, metadata={"project_fact_count": "+7"}),
            "metadata 'project_fact_count' is '+7', which is no plain count",
        ),
        (
            replace(PROJECTS, metadata={"project_fact_count": "1", "broken_project_fact_count": "2"}),
            "2 broken project facts of 1",
        ),
    ],
)
def test_a_lack_is_named(entry: RequestLog, problem: str) -> None:
    assert context_problems(entry) == (problem,)


@pytest.mark.parametrize(
    "entry",
    [
        replace(SUCCEEDED, metadata={}),
        replace(PROJECTS, metadata={}),
        replace(PROJECTS, metadata={"project_fact_count": "7"}),
        replace(PROJECTS, metadata={"project_fact_count": "7", "broken_project_fact_count": "7"}),
        replace(SUCCEEDED, state="of_tomorrow", outcome_reason=""),
        replace(SUCCEEDED, outcome_reason="of_tomorrow"),
        replace(TRIGGERED, event="of_tomorrow", request_version=2),
        replace(TRIGGERED, metadata={}, malformed_metadata="[]"),
    ],
    ids=[
        "no base_uri",
        "no counts",
        "one count",
        "all broken",
        "new state",
        "new reason",
        "new event",
        "unreadable metadata",
    ],
)
def test_what_older_and_newer_services_write_lacks_nothing(entry: RequestLog) -> None:
    assert context_problems(entry) == ()


def test_a_long_value_is_not_repeated_whole() -> None:
    (problem,) = context_problems(replace(FACT, metadata={"fact_degree": "9" * 4000}))
    assert len(problem) < 120


def test_an_id_of_other_content_is_named() -> None:
    assert identity_problems(replace(PROCESSING, id="state/3")) == (
        "id 'state/3' is not the identity of its content, 'state/2'",
    )


def test_words_of_another_version_are_named() -> None:
    entry = replace(SUCCEEDED, state="merged", event="sung", outcome_reason="bored")
    assert unknown_words(entry) == ("state 'merged'", "event 'sung'", "outcome_reason 'bored'")


def test_an_obsolete_event_is_known() -> None:
    assert unknown_words(replace(TRIGGERED, event="promotion_failed")) == ()


def test_metadata_has_limits_in_keys_and_bytes() -> None:
    metadata = {"long": "é" * 2049, **{str(number): "" for number in range(64)}}
    assert metadata_problems(metadata) == (
        "65 metadata keys, the limit is 64",
        "metadata 'long' of 4098 bytes, the limit is 4096",
    )


def test_metadata_at_its_limits_is_fine() -> None:
    assert metadata_problems({str(number): "x" * 4096 for number in range(64)}) == ()


@pytest.mark.parametrize(("text", "count"), [("0", 0), ("12", 12), ("2147483647", 2147483647)])
def test_a_plain_decimal_counts(text: str, count: int) -> None:
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["2147483648", "01", "", "-1", "1.0", "1\n", None])
def test_nothing_else_counts(text: str | None) -> None:
    assert parse_count(text) is None
