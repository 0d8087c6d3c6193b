"""Scenario files: what they may say, what follows by itself, and how a mistake is pointed at."""

from typing import TypeVar

import pytest

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names
from stovepipe_cli.fixtures_io.scenario import ExpectedFinding, ExpectedRemainder, Scenario
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    OpenIssueRow,
    QueueRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

HEAD = "format: 1\nqueue: demo/main\n"
ONE = "{number: 7, outcome: succeeded, accepted_at: 2025-11-03T08:00:00Z, uri: git://repo/head}"
HISTORY_RULES = ("h101", "h102", "h103", "h104", "h105", "h106", "h107", "h108", "h109")
REQUIRED = (*HISTORY_RULES, "e201", "e202", "e206", "p301", "p302", "p304", "a401", "u501")

R = TypeVar("R", bound=Row)


def scenario(text: str) -> Scenario:
    return read_scenario((HEAD + text).encode(), "s.yaml")


def lifecycles(*texts: str) -> Scenario:
    return scenario("lifecycles:\n" + "".join(f"  - {text}\n" for text in texts))


def rows_of(read: Scenario, row_type: type[R]) -> list[R]:
    return [row for row in read.rows if isinstance(row, row_type)]


def refusal(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        scenario(text)
    return caught.value


def test_a_succeeded_request_has_every_row_that_the_service_writes() -> None:
    uri, at = "git://repo/head", 1_762_156_800_000
    digest = "32e75a6a7f84ec1f327529dbe6eb78cc2a4898cf3ff17654f8287089bb6041db"
    built = '{"build_id":"b-7"}'
    assert lifecycles(ONE).rows == (
        RequestRow("7", uri, "succeeded", "full", "", 3, "b-7"),
        RequestURIRow(uri, "7", 1),
        BuildRow("b-7", "7", "succeeded", 3),
        ValidationFactRow(uri, "", 0.0, "7", at + 414_940),
        RequestLogRow("7", "state/1", at, "accepted", "", 1, "", "{}"),
        RequestLogRow("7", "state/2", at + 20_140, "processing", "", 2, "", '{"base_uri":""}'),
        RequestLogRow("7", "event/build_triggered/b-7", at + 24_500, "", "build_triggered", 0, "", built),
        RequestLogRow("7", "event/build_finished/b-7", at + 411_250, "", "build_finished", 0, "", built),
        RequestLogRow(
            "7", "state/3", at + 412_460, "succeeded", "", 3, "build_succeeded", '{"base_uri":"","build_id":"b-7"}'
        ),
        RequestLogRow(
            "7",
            f"event/validation_fact_recorded/{digest}",
            at + 414_940,
            "",
            "validation_fact_recorded",
            0,
            "",
            '{"fact_degree":"0"}',
        ),
        RequestSummaryRow("7", uri, "", "succeeded", 3, at + 412_460, 3, at, "build_succeeded", 0, 0, 0),
        RequestAcceptanceRow(at, "7"),
        QueueRow(uri, 0, "7", 3, "7", 0, "", 0),
    )


@pytest.mark.parametrize(
    ("outcome", "chain"),
    [
        ("outcome: accepted", [("accepted", 1, "")]),
        ("outcome: processing", [("accepted", 1, ""), ("processing", 2, "")]),
        ("outcome: superseded", [("accepted", 1, ""), ("superseded", 2, "superseded_by_newer_head")]),
        (
            "outcome: failed, reason: processing_failed, strategy: ''",
            [("accepted", 1, ""), ("failed", 2, "processing_failed")],
        ),
        (
            "outcome: failed, reason: build_polling_exhausted",
            [("accepted", 1, ""), ("processing", 2, ""), ("failed", 3, "build_polling_exhausted")],
        ),
        ("outcome: cancelled", [("accepted", 1, ""), ("processing", 2, ""), ("cancelled", 3, "build_cancelled")]),
    ],
)
def test_states_follow_from_the_outcome(outcome: str, chain: list[tuple[str, int, str]]) -> None:
    read = lifecycles(f"{{number: 1, accepted_at: 2025-11-03T08:00:00Z, {outcome}}}")
    states = [row for row in rows_of(read, RequestLogRow) if row.state]
    assert [(row.state, row.request_version, row.outcome_reason) for row in states] == chain
    (request,), (summary,) = rows_of(read, RequestRow), rows_of(read, RequestSummaryRow)
    assert (request.state, request.version) == (summary.state, summary.request_version) == chain[-1][:2]


def test_a_request_builds_upon_the_newest_green_one_above_it() -> None:
    read = lifecycles(ONE, "{number: 8, outcome: failed}", "{number: 9, outcome: processing}")
    assert [row.base_uri for row in rows_of(read, RequestRow)] == ["", "git://repo/head", "git://repo/head"]
    assert [row.build_strategy for row in rows_of(read, RequestRow)][1:] == ["incremental_since_green"] * 2


def test_a_request_without_a_time_comes_eleven_minutes_after_the_one_above() -> None:
    read = lifecycles(ONE, "{number: 8, outcome: accepted}")
    first, second = rows_of(read, RequestAcceptanceRow)
    assert second.accepted_at_ms - first.accepted_at_ms == 660_000


def test_ids_of_the_older_form_name_the_queue() -> None:
    read = scenario(f"ids: path\nlifecycles: [{ONE}]\n")
    assert [row.id for row in rows_of(read, RequestRow)] == ["request/demo/main/7"]


def test_an_exact_id_is_taken_as_it_is() -> None:
    read = lifecycles("{id: 'seven ', outcome: accepted, accepted_at: 1762156800000}")
    assert [row.id for row in rows_of(read, RequestRow)] == ["seven "]


def test_a_removed_row_leaves_all_others_as_they_were() -> None:
    whole = set(lifecycles(ONE).rows)
    damaged = set(lifecycles(ONE[:-1] + ", without: [state/1, acceptance]}").rows)
    gone = whole - damaged
    assert damaged < whole
    assert {row[1] for row in gone} == {"state/1", "7"}


def test_a_lost_write_takes_with_it_what_would_have_been_projected() -> None:
    read = lifecycles(ONE[:-1] + ", lost: [state/1, state/3]}")
    (summary,) = rows_of(read, RequestSummaryRow)
    assert (summary.state, summary.request_version, summary.accepted_at_ms) == ("processing", 2, 0)
    assert rows_of(read, RequestAcceptanceRow) == []


def test_a_request_from_before_histories_has_its_rows_and_no_projection() -> None:
    read = lifecycles(ONE[:-1] + ", lost: [history]}")
    assert {type(row) for row in read.rows} == {RequestRow, RequestURIRow, BuildRow, ValidationFactRow, QueueRow}


def test_replaced_columns_leave_the_other_columns_as_they_were() -> None:
    read = lifecycles(ONE[:-1] + ", replace: {state/3: {timestamp_ms: 2025-11-03T08:30:00Z, metadata: {a: 1}}}}")
    row = next(row for row in rows_of(read, RequestLogRow) if row.log_id == "state/3")
    assert (row.timestamp_ms, row.metadata, row.state) == (1_762_158_600_000, '{"a":"1"}', "succeeded")


def test_project_facts_are_counted_in_entry_and_summary() -> None:
    read = lifecycles(ONE[:-1] + ", projects: {checkout: 0.25, search: 0}}")
    facts = {row.project: row.degree for row in rows_of(read, ValidationFactRow)}
    assert facts == {"": 0.0, "checkout": 0.25, "search": 0.0}
    (summary,) = rows_of(read, RequestSummaryRow)
    assert (summary.project_fact_count, summary.broken_project_fact_count) == (2, 1)
    assert summary.project_results_completed_at_ms > summary.state_timestamp_ms


def test_the_queue_row_is_derived_from_rows_that_are_there() -> None:
    read = lifecycles(ONE, "{number: 10, outcome: processing}", "{number: 11, outcome: accepted, without: [request]}")
    (queue,) = rows_of(read, QueueRow)
    assert (queue.latest_request_id, queue.in_flight_count, queue.last_green_request_id) == ("10", 1, "7")


def test_a_queue_row_that_is_given_is_taken_as_it_is() -> None:
    read = scenario(f"lifecycles: [{ONE}]\nrows:\n  queue: [{{version: 9, in_flight_count: -1}}]\n")
    assert rows_of(read, QueueRow) == [QueueRow("", -1, "", 9, "", 0, "", 0)]


def test_an_empty_list_of_queue_rows_means_none() -> None:
    assert rows_of(scenario(f"lifecycles: [{ONE}]\nrows: {{queue: []}}\n"), QueueRow) == []


@pytest.mark.parametrize("text", ["007", "1e3", "0x10", "no", "12:30:45", "2024-01-01", "~"])
def test_text_columns_hold_exactly_what_was_written(text: str) -> None:
    read = scenario(f"rows:\n  open_issue:\n    - {{task_id: {text}, first_seen_build_id: {text}}}\n")
    assert rows_of(read, OpenIssueRow) == [OpenIssueRow(text, "", text)]


@pytest.mark.parametrize("text", ["007", "1e3", "0x10", "no", "12:30:45", "2024-01-01", "~", "", "'3 '", "+3", "3.0"])
def test_number_columns_take_plain_decimals_alone(text: str) -> None:
    error = refusal(f"rows:\n  build:\n    - id: b\n      request_id: r\n      status: x\n      version: {text}\n")
    assert error.message.startswith("s.yaml:8: build.version is ")


@pytest.mark.parametrize("text", ["2025-11-03", "2025-11-03T08:00:00", "08:00", "yesterday", "2h", "1.5", "~", "007"])
def test_a_time_is_rfc_3339_with_a_zone_or_milliseconds(text: str) -> None:
    error = refusal(f"lifecycles:\n  - number: 1\n    outcome: accepted\n    accepted_at: {text}\n")
    assert error.message.startswith("s.yaml:6: accepted_at")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("quque: x\n", "s.yaml:3: a scenario has no 'quque'", "did you mean 'queue'?"),
        (
            "lifecycles:\n  - {number: 1, outcome: accepted, acepted_at: 1}\n",
            "s.yaml:4: a lifecycle has no 'acepted_at'",
            "did you mean 'accepted_at'?",
        ),
        (
            "rows:\n  request:\n    - id: '1'\n      statuss: x\n",
            "s.yaml:6: table 'request' has no 'statuss'",
            "did you mean 'state'?",
        ),
        ("rows: {requests: []}\n", "s.yaml:3: there is no table 'requests'", "did you mean 'request'?"),
        (
            "rows: {build: [{id: b, request_id: r, status: x, queue: q, version: 1}]}\n",
            "s.yaml:3: table 'build' has no 'queue'",
            "use one of id, request_id, status, version",
        ),
        (
            "rows: {build: [{id: b, status: x}]}\n",
            "s.yaml:3: the row of build has no 'request_id'",
            "add 'request_id:'",
        ),
        (
            "lifecycles: [{number: 1, outcome: succeded, accepted_at: 1}]\n",
            "s.yaml:3: outcome is 'succeded'",
            "did you mean 'succeeded'?",
        ),
        (
            f"lifecycles: [{ONE[:-1]}, without: [state/4]}}]\n",
            "s.yaml:3: this request has no 'state/4'",
            "did you mean 'state/3'?",
        ),
        (
            f"lifecycles: [{ONE[:-1]}, lost: [summary]}}]\n",
            "s.yaml:3: this request has no 'summary'",
            None,
        ),
        (
            f"lifecycles: [{ONE[:-1]}, without: [event]}}]\n",
            "s.yaml:3: 'event' begins several entries of this request",
            None,
        ),
        (
            f"lifecycles:\n  - {ONE}\n  - {ONE}\n",
            "s.yaml:5: row ('7') of table 'request' already stands at line 4",
            "keep one of the two",
        ),
        ("format: 1\n", "s.yaml:3: key 'format' already stands on line 1", "keep one of the two"),
        (
            "lifecycles: [{number: 1, outcome: accepted}]\n",
            "s.yaml:3: the first lifecycle has no 'accepted_at'",
            "say when its request came",
        ),
        ("expect: {findings: [{number: 1}]}\n", "s.yaml:3: 'code' is missing", "add 'code:'"),
        ("expect: {after_repair: [{code: H101}]}\n", "s.yaml:3: 'why' is missing", "add 'why:'"),
        (
            "rows: {request_log: [{request_id: r, log_id: l, timestamp_ms: 1, metadata: 'no json'}]}\n",
            "s.yaml:3: request_log.metadata is no JSON",
            "write a mapping of texts, or JSON in quotes",
        ),
        (
            f"rows: {{build: [{{id: {'b' * 256}, request_id: r, status: x}}]}}\n",
            "s.yaml:3: build.id has 256 characters, the limit is 255",
            None,
        ),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_was_meant(text: str, message: str, hint: str | None) -> None:
    error = refusal(text)
    assert error.message == message
    assert error.exit_code == 2
    if hint is not None:
        assert error.hint == hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("queue: q\n", "s.yaml:1: 'format' is missing"),
        ("format: 2\nqueue: q\n", "s.yaml:1: format is 2, allowed is 1 to 1"),
        ("format: 1\n", "s.yaml:1: 'queue' is missing"),
        ("format: 1\nqueue: ''\n", "s.yaml:2: queue is empty"),
        (f"format: 1\nqueue: {'ä' * 200}\n", "s.yaml:2: queue has 400 bytes, the limit is 255"),
        ("- format: 1\n", "s.yaml:1: a scenario is not a mapping"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_scenario(text.encode(), "s.yaml")
    assert caught.value.message == message


def test_damaged_metadata_can_be_written_as_json() -> None:
    read = scenario("rows: {request_log: [{request_id: r, log_id: l, timestamp_ms: 1, metadata: '[1]'}]}\n")
    assert [row.metadata for row in rows_of(read, RequestLogRow)] == ["[1]"]


def test_what_is_expected_is_read_in_the_scenario_s_form_of_ids() -> None:
    read = scenario(
        "ids: path\nexpect:\n  show: {number: 2}\n  findings: [{code: H101, number: 2}, {code: Q601}]\n"
        "  after_repair: [{code: H101, id: odd, why: because }]\n"
    )
    assert read.expectation.findings == (ExpectedFinding("H101", "request/demo/main/2"), ExpectedFinding("Q601", None))
    assert read.expectation.after_repair == (ExpectedRemainder("H101", "odd", "because"),)
    assert read.expectation.show == "request/demo/main/2"


def test_the_digest_changes_with_any_byte_of_the_file() -> None:
    assert scenario("").digest != scenario("# a comment\n").digest
    assert scenario("").digest == scenario("").digest


def test_every_required_rule_has_a_bundled_scenario() -> None:
    assert {"healthy", "demo", *REQUIRED} <= set(bundled_names())


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_scenario_says_what_it_is_about(name: str) -> None:
    read = bundled(name)
    assert read.description.endswith(".")
    assert "/" in read.queue


@pytest.mark.parametrize("name", REQUIRED)
def test_a_rule_s_scenario_expects_that_rule_alone(name: str) -> None:
    assert {finding.code for finding in bundled(name).expectation.findings} == {name.upper()}


@pytest.mark.parametrize("name", bundled_names())
def test_what_a_repair_leaves_was_found_before(name: str) -> None:
    expectation = bundled(name).expectation
    found = {(finding.code, finding.request_id) for finding in expectation.findings}
    assert {(left.code, left.request_id) for left in expectation.after_repair} <= found


def test_an_unknown_bundled_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput) as caught:
        bundled("helthy")
    assert caught.value.hint == "did you mean 'healthy'?"


def test_bytes_that_are_no_text_are_written_in_base64() -> None:
    read = scenario("rows: {open_issue: [{task_id: {base64: 'dP9hc2s='}, first_seen_build_id: b}]}\n")
    assert [row.task_id for row in rows_of(read, OpenIssueRow)] == ["t\udcffask"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{base64: 'dP9hc2s'}", "open_issue.task_id is no base64"),
        ("{base64: '%%%%'}", "open_issue.task_id is no base64"),
        ("{base64: ''}", None),
        ("{base46: 'dP9hc2s='}", "open_issue.task_id has no 'base46'"),
        ("{base64: [x]}", "open_issue.task_id is not a single value"),
        (f"{{base64: '{'AAAA' * 86}'}}", "open_issue.task_id has 258 bytes, the limit is 255"),
    ],
)
def test_base64_is_read_strictly(value: str, message: str | None) -> None:
    text = f"rows: {{open_issue: [{{task_id: {value}, first_seen_build_id: b}}]}}\n"
    if message is None:
        assert [row.task_id for row in rows_of(scenario(text), OpenIssueRow)] == [""]
        return
    with pytest.raises(InvalidInput) as caught:
        scenario(text)
    assert message in caught.value.message


def test_a_column_of_text_takes_no_base64() -> None:
    with pytest.raises(InvalidInput, match=r"build\.status is not a single value"):
        scenario("rows: {build: [{id: b, request_id: r, status: {base64: 'eA=='}, version: 1}]}\n")
