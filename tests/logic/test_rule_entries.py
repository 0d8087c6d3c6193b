"""H110, H111, H112, H114, H115 and H117: each entry on its own."""

import json

import pytest

from tests.support.audits import check, found, queue_of
from tests.support.lifecycles import Life, accepted, succeeded, superseded

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLXBhcnQ"


def with_metadata(text: str) -> Life:
    return superseded(2).change_entry("state/2", metadata=text)


@pytest.mark.parametrize(
    ("entry", "log_id"),
    [
        ("event/build_finished/build-2", "event/build_finished/other"),
        ("event/project_facts_recorded/all", "event/project_facts_recorded/some"),
    ],
)
def test_h110_an_id_that_does_not_follow_from_the_content(entry: str, log_id: str) -> None:
    life = succeeded(2).change_entry(entry, log_id=log_id)
    (finding,) = check(queue_of(accepted(1), life), select=("H110",)).findings
    assert (finding.code, finding.severity, finding.subject.key["log_id"]) == ("H110", "warning", log_id)


def test_h110_a_state_under_another_version() -> None:
    life = superseded(2).change_entry("state/2", log_id="state/7")
    assert found(accepted(1), life, select=("H110",)) == [("H110", life.id)]


@pytest.mark.parametrize(
    ("entry", "changes"),
    [
        ("state/2", {"timestamp_ms": 0}),
        ("state/2", {"outcome_reason": ""}),
        ("state/2", {"outcome_reason": "build_failed"}),
        ("state/2", {"event": "build_finished"}),
        ("state/1", {"outcome_reason": "build_failed"}),
    ],
)
def test_h111_a_state_entry_that_contradicts_itself(entry: str, changes: dict[str, str | int]) -> None:
    life = superseded(2).change_entry(entry, **changes)
    assert ("H111", life.id) in found(accepted(1), life)


@pytest.mark.parametrize(
    ("entry", "changes"),
    [
        ("event/build_finished/build-2", {"metadata": "{}"}),
        ("event/build_finished/build-2", {"metadata": "null"}),
        ("event/build_finished/build-2", {"request_version": 2}),
        ("event/build_finished/build-2", {"outcome_reason": "build_failed"}),
        ("event/project_facts_recorded/all", {"metadata": '{"project_fact_count":"two"}'}),
    ],
)
def test_h111_an_event_that_lacks_what_it_must_carry(entry: str, changes: dict[str, str | int]) -> None:
    life = succeeded(2).change_entry(entry, **changes)
    assert ("H111", life.id) in found(accepted(1), life)


def test_h111_a_degree_beyond_one() -> None:
    life = succeeded(2)
    life.change_entry(life.fact_log_id, metadata='{"fact_degree":"1.5"}')
    assert found(accepted(1), life) == [("H111", life.id)]


def test_h112_a_word_of_a_newer_service() -> None:
    life = succeeded(2).event("commit_landed", "all")
    report = check(queue_of(accepted(1), life))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.found) == ("H112", "info", "event 'commit_landed'")
    assert (report.verdict, report.exit_code) == ("clean", 0)


def test_h112_counts_where_asked_for() -> None:
    report = check(queue_of(accepted(1), succeeded(2).event("commit_landed", "all")), fail_on="info")
    assert (report.verdict, report.exit_code) == ("findings", 3)


@pytest.mark.parametrize(
    "text",
    ["[]", '"text"', "7", '{"base_uri": 7}', '{"base_uri": null}', '{"a": {"b": "c"}}', '{"a": "\\ud800"}'],
)
def test_h115_metadata_that_is_no_object_of_strings(text: str) -> None:
    life = with_metadata(text)
    assert found(accepted(1), life) == [("H115", life.id)]


@pytest.mark.parametrize("text", ["{}", "null", ' { "superseded_by_request_id" : "9" } ', '{"a": ""}'])
def test_h115_accepts_objects_of_strings_and_nothing(text: str) -> None:
    assert found(accepted(1), with_metadata(text)) == []


def test_h115_a_value_beyond_its_limit() -> None:
    assert found(accepted(1), with_metadata(json.dumps({"a": "x" * 4096}))) == []
    life = with_metadata(json.dumps({"a": "x" * 4097}))
    assert found(accepted(1), life) == [("H115", life.id)]


def test_h115_more_keys_than_the_limit() -> None:
    life = with_metadata(json.dumps({f"k{number}": "v" for number in range(65)}))
    assert found(accepted(1), life) == [("H115", life.id)]


@pytest.mark.parametrize(
    "value",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        "https://robot:hunter2@code.example/x",
        "ghp_" + "a" * 36,
        "AKIA" + "ABCDEFGH" * 2,
        "glpat-" + "x" * 20,
        JWT,
        "Traceback (most recent call last):",
        "failed\\n\\tat com.example.Runner.run(Runner.java:12)",
        "goroutine 12 [running]:",
    ],
)
def test_h117_a_secret_or_a_stack_trace_is_named_and_never_shown(value: str) -> None:
    life = with_metadata(f'{{"note": "{value}"}}')
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.severity) == ("H117", "warning")
    assert value not in f"{finding}"


@pytest.mark.parametrize(
    "value",
    [
        "git://code.example/monorepo/main/27246c5637b4a07f47e382f1a8e81a965d9057de",
        "f57b5dc59f9b52a2a9e498546cd07f1afa315db390a39a3a3ce22d22a4978ada",
        "https://code.example:8443/user@host/x",
        "someone@example.org",
        "eyJ",
        "0190b7f0-5b7c-7d4e-8c11-9f7f3d3b2a10",
    ],
)
def test_h117_is_silent_for_hashes_ids_and_addresses(value: str) -> None:
    assert found(accepted(1), with_metadata(f'{{"base_uri": "{value}"}}'), ignore=("P",)) == []


def test_an_entry_of_an_unknown_request_is_only_an_orphan() -> None:
    storage = queue_of(accepted(1))
    row = accepted(2).log["state/1"]
    storage.bulk.insert([row._replace(metadata="[]", timestamp_ms=0)])
    assert [each.code for each in check(storage).findings] == ["H109"]
