import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.identity import (
    LogId,
    degree_text,
    event_log_id,
    expected_log_id,
    fact_occurrence,
    is_digest,
    is_identity_of,
    parse_degree,
    parse_log_id,
    state_log_id,
)
from tests.support.history_samples import QUEUE, REQUEST_ID, whole_history

DIGEST = "0" * 64


def entry(log_id: str, **fields: object) -> RequestLog:
    known: dict[str, object] = {"queue": QUEUE, "request_id": REQUEST_ID, "id": log_id, "timestamp_ms": 1, **fields}
    return RequestLog(**known)  # type: ignore[arg-type]  # the fields are named by the tests, each with its own type


@pytest.mark.parametrize(
    ("uri", "occurrence"),
    [
        ("git://repo/head", "32e75a6a7f84ec1f327529dbe6eb78cc2a4898cf3ff17654f8287089bb6041db"),
        ("git://remote/monorepo/main/deadbeef", "db82366319203a4c585f77265ccfafd75ac3a1c140ff9c2ce45850b73b4ab466"),
    ],
)
def test_the_occurrence_of_a_repository_fact_is_the_services(uri: str, occurrence: str) -> None:
    assert fact_occurrence(uri) == occurrence


def test_a_project_does_not_run_into_its_uri() -> None:
    assert fact_occurrence("git://a", "b") != fact_occurrence("git://ab")


def test_a_uri_that_is_not_utf8_has_an_occurrence() -> None:
    assert len(fact_occurrence("git://\udcff")) == 64


def test_an_occurrence_has_the_form_of_a_digest_or_not() -> None:
    assert is_digest(fact_occurrence("git://repo/head"))
    assert not is_digest("repository")
    assert not is_digest("A" * 64)


def test_a_state_is_identified_by_its_version() -> None:
    assert state_log_id(3) == "state/3"


def test_an_event_is_identified_by_its_occurrence() -> None:
    assert event_log_id("build_triggered", "a/b") == "event/build_triggered/a/b"


@pytest.mark.parametrize(
    ("log_id", "parsed"),
    [
        ("state/1", LogId("state", version=1)),
        ("state/2147483647", LogId("state", version=2147483647)),
        ("event/build_finished/x/y", LogId("event", event="build_finished", occurrence="x/y")),
        ("event/of_tomorrow/x", LogId("event", event="of_tomorrow", occurrence="x")),
        ("event/build_finished/two\nlines", LogId("event", event="build_finished", occurrence="two\nlines")),
        (f"log/{DIGEST}", LogId("obsolete")),
        ("state/0", LogId("unknown")),
        ("state/01", LogId("unknown")),
        ("state/2147483648", LogId("unknown")),
        ("state/1\n", LogId("unknown")),
        ("state/\u0661", LogId("unknown")),
        ("event//x", LogId("unknown")),
        ("event/build_finished/", LogId("unknown")),
        (f"log/{DIGEST}0", LogId("unknown")),
        ("", LogId("unknown")),
    ],
)
def test_an_identity_reads_back(log_id: str, parsed: LogId) -> None:
    assert parse_log_id(log_id) == parsed


@given(st.integers(1, 2**31 - 1))
def test_every_version_reads_back(version: int) -> None:
    assert parse_log_id(state_log_id(version)) == LogId("state", version=version)


@given(st.text(min_size=1))
def test_every_build_id_reads_back(build_id: str) -> None:
    parsed = parse_log_id(event_log_id("build_triggered", build_id))
    assert parsed == LogId("event", event="build_triggered", occurrence=build_id)


@pytest.mark.parametrize("written", whole_history(), ids=lambda written: written.id[:30])
def test_what_the_service_writes_has_its_own_identity(written: RequestLog) -> None:
    assert is_identity_of(written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (entry("x", state="processing", request_version=2), "state/2"),
        (entry("x", event="build_finished", metadata={"build_id": "b"}), "event/build_finished/b"),
        (entry("x", event="issues_reconciled", metadata={"build_id": "b"}), "event/issues_reconciled/b"),
        (entry("x", event="build_finished"), None),
        (entry("x", event="project_facts_recorded"), "event/project_facts_recorded/all"),
        (entry("x", event="record_abandoned"), "event/record_abandoned/repository"),
        (entry("x", event="validation_fact_recorded"), None),
        (entry("x", event="fix_submitted"), None),
        (entry("x", event="of_tomorrow"), None),
    ],
)
def test_an_identity_follows_from_content_where_it_can(written: RequestLog, expected: str | None) -> None:
    assert expected_log_id(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        entry(f"log/{DIGEST}", state="processing", request_version=2),
        entry("event/validation_fact_recorded/fact", event="validation_fact_recorded"),
        entry("event/of_tomorrow/x", event="of_tomorrow"),
        entry("anything"),
    ],
    ids=lambda written: written.id[:30],
)
def test_obsolete_digested_and_future_ids_fit(written: RequestLog) -> None:
    assert is_identity_of(written)


@pytest.mark.parametrize(
    "written",
    [
        entry("state/3", state="processing", request_version=2),
        entry(f"log/{DIGEST}", event="record_abandoned"),
        entry("event/fix_submitted/fact", event="validation_fact_recorded"),
        entry("event/build_finished/c", event="build_finished", metadata={"build_id": "b"}),
    ],
    ids=lambda written: written.id[:30],
)
def test_an_id_of_other_content_does_not_fit(written: RequestLog) -> None:
    assert not is_identity_of(written)


@pytest.mark.parametrize(
    ("degree", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-0.0, "-0"),
        (0.5, "0.5"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.000012, "1.2e-05"),
        (1e-100, "1e-100"),
        (5e-324, "5e-324"),
        (1, "1"),
    ],
)
def test_a_degree_is_spelled_as_the_service_spells_it(degree: float, text: str) -> None:
    assert degree_text(degree) == text


@pytest.mark.parametrize("degree", [-0.1, 1.1, math.nan, math.inf])
def test_no_degree_beyond_its_range_is_spelled(degree: float) -> None:
    with pytest.raises(InvalidEntity):
        degree_text(degree)


@given(st.floats(0, 1))
def test_every_degree_reads_back_as_the_same_number(degree: float) -> None:
    assert parse_degree(degree_text(degree)) == degree


@pytest.mark.parametrize(("text", "degree"), [("1.0", 1.0), ("-0", 0.0), (".5", 0.5), ("1E-2", 0.01)])
def test_other_spellings_of_a_degree_are_read(text: str, degree: float) -> None:
    assert parse_degree(text) == degree


@pytest.mark.parametrize("text", ["", "nan", "inf", "1_0", "2", "-1", " 1", "1\n", "1e400", "\u0661", "0x1"])
def test_what_is_no_plain_number_of_the_range_is_no_degree(text: str) -> None:
    assert parse_degree(text) is None
