"""The entrance to rendering: every format, hints and failures."""

import csv
import io
import json
from dataclasses import dataclass, replace

import pytest

from stovepipe_cli.errors import UsageError
from stovepipe_cli.render.context import OUTPUT_FORMATS, ErrorView, OutputFormat, RenderContext, TargetView
from stovepipe_cli.render.output import hints, render_error, render_report
from stovepipe_cli.reports import (
    DatabaseCheckReport,
    DriftItem,
    HistoryReport,
    ListReport,
    Mark,
    OpenIssueItem,
    QueueItem,
    Report,
)
from tests.support.report_samples import HOSTILE, PIPE, REQUEST_ID, START_MS, TERMINAL, entry, shown

ISSUES = ListReport((OpenIssueItem("task", "unit", "bk-1"), OpenIssueItem("task", "", "bk-2")), "c1.xyz", OpenIssueItem)
NO_ISSUES = ListReport((), None, OpenIssueItem, notes=("queue 'monorepo/main' has no open issue",))
ERROR = ErrorView("not-found", "queue 'mian' has no rows", "did you mean 'main'?", retryable=False)
TARGET = TargetView("production", "profile", "db1:3306", "stovepipe", "8.4")


def in_format(output: OutputFormat) -> RenderContext:
    return replace(PIPE, output=output)


def test_json_is_one_document_with_the_envelope() -> None:
    context = RenderContext("issues list", queue="q", target=TARGET, output="json")

    assert json.loads(shown(ISSUES, context)) == {
        "schema": "stovepipe/v1",
        "command": "issues list",
        "queue": "q",
        "target": {
            "profile": "production",
            "origin": "profile",
            "host": "db1:3306",
            "database": "stovepipe",
            "server_version": "8.4",
        },
        "verdict": "clean",
        "exit_code": 0,
        "data": {
            "items": [
                {"task_id": "task", "unit_id": "unit", "first_seen_build_id": "bk-1"},
                {"task_id": "task", "unit_id": "", "first_seen_build_id": "bk-2"},
            ],
            "next_cursor": "c1.xyz",
        },
        "errors": [],
    }


def test_an_empty_list_is_a_document_with_no_items() -> None:
    assert json.loads(shown(NO_ISSUES, in_format("json")))["data"] == {"items": [], "next_cursor": None}


def test_ndjson_has_a_line_an_item_and_ends_with_the_envelope_without_them() -> None:
    *items, summary = [json.loads(line) for line in shown(ISSUES, in_format("ndjson")).splitlines()]

    assert items[0] == {"kind": "item", "task_id": "task", "unit_id": "unit", "first_seen_build_id": "bk-1"}
    assert len(items) == 2
    assert summary["kind"] == "summary"
    assert summary["data"] == {"next_cursor": "c1.xyz"}
    assert summary["verdict"] == "clean"


def test_ndjson_of_a_history_tells_entries_gaps_and_marks_apart() -> None:
    report = HistoryReport(
        REQUEST_ID,
        None,
        None,
        (entry("state/1", state="accepted"),),
        (Mark("H102", "state/2", "gone"),),
        (Mark("H109", "state/1", "no request"),),
        (1,),
    )
    kinds = [json.loads(line)["kind"] for line in shown(report, in_format("ndjson")).splitlines()]

    assert kinds == ["entry", "gap", "mark", "summary"]


def test_an_items_own_kind_does_not_hide_the_kind_of_the_line() -> None:
    item = DriftItem("absent-table", "queue_summary", "", "", "", harmless=True)
    first = shown(DatabaseCheckReport("sqlite", "3", "f", (item,)), in_format("ndjson")).splitlines()[0]

    assert json.loads(first)["kind"] == "item"
    assert json.loads(first)["item_kind"] == "absent-table"


def test_json_holds_the_exact_text_and_nothing_that_acts_on_a_terminal() -> None:
    text = "\x1b[31m\u202e\u2028\x9b [red]\n"
    answer = shown(ListReport((OpenIssueItem(text, text, text),), None, OpenIssueItem), in_format("json"))

    assert json.loads(answer)["data"]["items"][0]["task_id"] == text
    assert answer.replace("\n", "").isprintable()


def test_bytes_that_are_not_utf_8_are_base64_in_json() -> None:
    answer = shown(ListReport((OpenIssueItem("\udcff", "", ""),), None, OpenIssueItem), in_format("json"))

    assert json.loads(answer)["data"]["items"][0]["task_id"] == {"base64": "/w=="}


def test_tsv_has_a_header_and_a_line_a_row() -> None:
    assert shown(ISSUES, in_format("tsv")) == (
        "task_id\tunit_id\tfirst_seen_build_id\ntask\tunit\tbk-1\ntask\t\tbk-2\n"
    )


def test_tabs_and_newlines_in_tsv_values_are_escaped() -> None:
    answer = shown(ListReport((OpenIssueItem("a\tb\nc", "", ""),), None, OpenIssueItem), in_format("tsv"))

    assert answer.splitlines()[1] == "a\\tb\\nc\t\t"


def test_csv_quotes_what_needs_it() -> None:
    answer = shown(ListReport((OpenIssueItem('a,"b"', "", "x"),), None, OpenIssueItem), in_format("csv"))

    assert list(csv.reader(io.StringIO(answer))) == [["task_id", "unit_id", "first_seen_build_id"], ['a,"b"', "", "x"]]


@pytest.mark.parametrize("output", ["tsv", "csv", "table"])
def test_columns_choose_and_order_what_rows_hold(output: OutputFormat) -> None:
    context = replace(in_format(output), columns=("first_seen_build_id", "task_id"), headers=False)

    assert shown(ISSUES, context).replace("\t", ",").replace("  ", ",") == "bk-1,task\nbk-2,task\n"


@pytest.mark.parametrize("output", ["tsv", "csv", "table"])
def test_an_unknown_column_is_refused_before_anything_is_written(output: OutputFormat) -> None:
    with pytest.raises(UsageError) as refused:
        render_report(ISSUES, replace(in_format(output), columns=("nope",)))

    assert refused.value.message == "there is no column 'nope' in this output"
    assert refused.value.hint == "columns: task_id, unit_id, first_seen_build_id"


def test_an_empty_list_is_nothing_as_a_table_a_header_as_tsv_and_a_sentence_beside_both() -> None:
    assert shown(NO_ISSUES, TERMINAL) == ""
    assert shown(NO_ISSUES, in_format("tsv")) == "task_id\tunit_id\tfirst_seen_build_id\n"
    assert hints(NO_ISSUES, TERMINAL) == ("queue 'monorepo/main' has no open issue",)


def test_a_list_with_more_to_come_says_how_to_get_it() -> None:
    assert hints(ISSUES, TERMINAL) == ("next page: the same command with --cursor c1.xyz",)


def test_hints_are_made_visible() -> None:
    assert hints(replace(NO_ISSUES, notes=("queue '\x1b[2J'",)), TERMINAL) == ("queue '\\x1b[2J'",)


def test_a_table_shows_a_time_once_in_the_zone_that_its_header_names() -> None:
    report = ListReport(
        (QueueItem("main", START_MS, "2026-08-20T08:00:00.000Z", "clean"), QueueItem("b", None, None, None)),
        None,
        QueueItem,
    )
    assert shown(report, TERMINAL) == (
        "queue  last_verified_at (UTC)    last_verdict\n"
        "main   2026-08-20T08:00:00.000Z  clean\n"
        "b      -                         -\n"
    )
    header, *_ = shown(report, in_format("tsv")).splitlines()
    assert header.split("\t") == ["queue", "last_verified_at_ms", "last_verified_at", "last_verdict"]


def test_a_report_without_a_text_of_its_own_is_its_fields_one_under_the_other() -> None:
    @dataclass(frozen=True, slots=True)
    class Unheard(Report):
        name: str
        count: int

    assert shown(Unheard("a", 3), TERMINAL) == "name   a\ncount  3\n"


@pytest.mark.parametrize("output", OUTPUT_FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_pipes_get_every_value_whole_whatever_the_environment_says(
    text: str, output: OutputFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    answer = shown(ListReport((OpenIssueItem("task", text, text),), None, OpenIssueItem), in_format(output))

    assert answer.count(text.replace("\\", "\\\\") if output in {"json", "ndjson"} else text) == 2
    assert "\x1b" not in answer
    assert "…" not in answer


@pytest.mark.parametrize("output", OUTPUT_FORMATS)
def test_output_that_cannot_hold_unicode_gets_ascii(output: OutputFormat) -> None:
    report = ListReport((OpenIssueItem("漢字", "é", "🙂"),), None, OpenIssueItem)

    assert shown(report, replace(in_format(output), ascii_only=True)).isascii()


def test_a_failure_is_a_sentence_and_what_to_do_next_on_stderr() -> None:
    assert render_error(ERROR, 5, TERMINAL) == ("", "stovepipe: queue 'mian' has no rows\n  did you mean 'main'?\n")


def test_a_failure_without_a_hint_is_one_line() -> None:
    assert render_error(replace(ERROR, hint=None), 5, PIPE) == ("", "stovepipe: queue 'mian' has no rows\n")


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_a_failure_in_json_is_one_document_and_one_line_on_stderr(output: OutputFormat) -> None:
    answer, line = render_error(ERROR, 5, in_format(output))

    document = json.loads(answer)
    assert document["verdict"] == "error"
    assert document["exit_code"] == 5
    assert document["data"] is None
    assert document["errors"] == [
        {
            "code": "not-found",
            "message": "queue 'mian' has no rows",
            "hint": "did you mean 'main'?",
            "retryable": False,
        }
    ]
    assert line == "stovepipe: queue 'mian' has no rows\n"


def test_a_failure_that_names_hostile_data_is_made_visible() -> None:
    error = replace(ERROR, message="queue '\x1b[2J\n[red]'", hint="try '\udcff'")

    assert render_error(error, 5, TERMINAL)[1] == "stovepipe: queue '\\x1b[2J\\n[red]'\n  try '\\xff'\n"


def test_the_message_of_a_failure_stays_text_in_json() -> None:
    answer, _ = render_error(replace(ERROR, message="queue '\udcff'"), 5, in_format("json"))

    assert json.loads(answer)["errors"][0]["message"] == "queue '\\xff'"
