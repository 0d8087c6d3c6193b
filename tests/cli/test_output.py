"""Formats for pipes and files: tsv, csv, columns, output files, and data that looks like markup."""

import csv
import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestRow, RequestSummaryRow, Row
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program

QUEUE = "demo/main"
MARKUP = (
    "[/x]",
    "[red]",
    "[bold]b[/bold]",
    "src/[id].tsx",
    ":smile:",
    "[link=http://e]x[/link]",
    "\\[red]",
    "{braces} %s",
)
HOSTILE = "a\x1b[31mred\x07\u202ereversed\u200b\u2028\x9bline\ttab\nend"
LONG_URI = "git://origin/" + "x" * 234 + "/0123456"
PRETENDING = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "dumb", "COLUMNS": "20"}


@pytest.fixture
def stored(healthy: Program) -> Callable[[Callable[[Storage], None]], None]:
    """Writes to the healthy queue."""

    def write(work: Callable[[Storage], None]) -> None:
        with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
            work(factory.for_queue(QUEUE))

    return write


@pytest.fixture
def issues(healthy: Program, stored: Callable[[Callable[[Storage], None]], None]) -> Program:
    """A queue with an open issue for each text that looks like markup."""

    def work(storage: Storage) -> None:
        for text in MARKUP:
            storage.open_issues.create(OpenIssue(QUEUE, f"//task:{text}", text, f"b-{text}"))

    stored(work)
    return healthy


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("output", ["table", "tsv", "csv", "json", "ndjson"])
def test_text_that_looks_like_markup_is_shown_as_it_is(output: str, width: int, issues: Program) -> None:
    result = issues("issues", "list", "-o", output, width=width, environ=PRETENDING)
    # In JSON a backslash inside a string is two.
    shown = result.stdout.replace("\\\\", "\\") if "json" in output else result.stdout
    assert [text for text in MARKUP if f"//task:{text}" not in shown] == []


@pytest.mark.parametrize("width", [80, 200])
def test_markup_on_a_terminal_is_shown_as_it_is(width: int, issues: Program) -> None:
    result = issues("issues", "list", terminal=True, width=width, environ={"NO_COLOR": "1"})
    assert [text for text in MARKUP if text not in result.stdout] == []


def test_json_holds_the_exact_text(issues: Program) -> None:
    items = issues("issues", "list", "-o", "json").document["data"]["items"]
    assert sorted(item["unit_id"] for item in items) == sorted(MARKUP)


def test_hostile_text_cannot_act_on_a_terminal_and_is_exact_in_json(
    healthy: Program, stored: Callable[[Callable[[Storage], None]], None]
) -> None:
    stored(lambda storage: storage.open_issues.create(OpenIssue(QUEUE, HOSTILE, "", "b-1")))
    for output in ("table", "tsv", "csv"):
        for is_terminal in (False, True):
            text = healthy("issues", "list", "-o", output, "--color", "never", terminal=is_terminal, width=200).stdout
            assert not set(text) & {"\x1b", "\x07", "\u202e", "\u200b", "\u2028", "\x9b", "\t"} - {"\t"}
            assert "\\x1b[31mred\\x07\\u202ereversed\\u200b\\u2028\\x9bline\\ttab\\nend" in text
    raw = healthy("issues", "list", "-o", "json").stdout
    assert not set(raw) & {"\x1b", "\x07", "\u202e", "\u200b", "\u2028", "\x9b"}
    assert json.loads(raw)["data"]["items"][0]["task_id"] == HOSTILE


def test_hostile_text_in_an_argument_cannot_act_on_a_terminal(healthy: Program) -> None:
    result = healthy("history", "show", HOSTILE)
    assert (result.code, result.stdout) == (5, "")
    assert "\\x1b[31mred" in result.stderr
    assert not set(result.stderr) & {"\x1b", "\x07", "\u202e", "\u200b", "\u2028", "\x9b"}


def test_an_id_that_is_not_utf_8_is_base64_in_json_and_in_rows(
    healthy: Program, stored: Callable[[Callable[[Storage], None]], None]
) -> None:
    stored(lambda storage: storage.open_issues.create(OpenIssue(QUEUE, "t\udcff", "", "b-1")))
    (item,) = healthy("issues", "list", "-o", "json").document["data"]["items"]
    assert item["task_id"] == {"base64": "dP8="}
    assert healthy("issues", "list", "--no-headers").rows == [["base64:dP8=", "", "b-1"]]


@pytest.fixture
def long_uri(healthy: Program, stored: Callable[[Callable[[Storage], None]], None]) -> Program:
    """A queue with a request whose URI is as long as the table allows."""
    assert len(LONG_URI) == 255
    rows: list[Row] = [
        RequestRow("400", LONG_URI, "accepted", "", "", 1, ""),
        RequestLogRow("400", "state/1", 1_762_000_000_000, "accepted", "", 1, "", '{"note":"' + "n" * 300 + '"}'),
        RequestSummaryRow("400", LONG_URI, "", "accepted", 1, 1_762_000_000_000, 1, 1_762_000_000_000, "", 0, 0, 0),
    ]
    stored(lambda storage: storage.bulk.insert(rows))
    return healthy


@pytest.mark.parametrize("output", ["table", "tsv", "csv", "json", "ndjson"])
def test_long_text_reaches_a_pipe_whole_and_on_one_line(output: str, long_uri: Program) -> None:
    history = long_uri("history", "show", "400", "-o", output, width=20, environ=PRETENDING).stdout
    assert any("n" * 300 in line for line in history.splitlines())
    findings = long_uri(
        "verify", "--request", "400", "--settle", "0", "-o", output, width=20, environ=PRETENDING
    ).stdout
    assert any(LONG_URI in line for line in findings.splitlines())


def test_tsv_is_a_header_and_a_line_an_item(issues: Program) -> None:
    rows = issues("issues", "list").rows
    assert rows[0] == ["task_id", "unit_id", "first_seen_build_id"]
    assert sorted(row[1] for row in rows[1:]) == sorted(MARKUP)
    assert {len(row) for row in rows} == {3}


def test_no_headers_leaves_the_header_out(issues: Program) -> None:
    whole, bare = issues("issues", "list"), issues("issues", "list", "--no-headers")
    assert bare.rows == whole.rows[1:]


def test_columns_choose_and_order(issues: Program) -> None:
    rows = issues("issues", "list", "--columns", "unit_id,task_id").rows
    assert rows[0] == ["unit_id", "task_id"]
    assert all(task == f"//task:{unit}" for unit, task in rows[1:])


def test_an_unknown_column_is_refused_with_the_known_ones(issues: Program) -> None:
    result = issues("issues", "list", "--columns", "task_id,colour")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "stovepipe: there is no column 'colour' in this output\n  columns: task_id, unit_id, first_seen_build_id\n"
    )


def test_an_unknown_column_does_not_hide_what_was_written(demo: Program) -> None:
    result = demo("backfill", "acceptances", "--apply", "--yes", "--columns", "colour")
    assert (result.code, result.rows[1][3]) == (0, "1")
    assert "there is no column 'colour'" in result.stderr


def test_csv_is_read_back_exactly(issues: Program) -> None:
    header, *rows = csv.reader(io.StringIO(issues("issues", "list", "-o", "csv").stdout))
    assert header == ["task_id", "unit_id", "first_seen_build_id"]
    assert sorted(row[1] for row in rows) == sorted(MARKUP)


def test_an_unknown_format_is_refused(issues: Program) -> None:
    result = issues("issues", "list", "-o", "yaml")
    assert result.code == 2
    assert "'yaml' is not among the choices" in result.stderr


@pytest.mark.parametrize(("name", "start"), [("a.json", "{\n"), ("a.ndjson", '{"kind"'), ("a.csv", "task_id,")])
def test_an_output_file_without_a_format_takes_that_of_its_name(name: str, start: str, issues: Program) -> None:
    assert issues("issues", "list", "--output-file", issues.home / name).stdout == ""
    assert (issues.home / name).read_text().startswith(start)


def test_an_output_file_is_replaced_and_keeps_its_mode(issues: Program) -> None:
    file = issues.home / "out.tsv"
    file.write_text("of yesterday")
    file.chmod(0o640)
    reader = file.open()
    issues("issues", "list", "--output-file", file)
    assert reader.read() == "of yesterday", "the old file was written to instead of replaced"
    reader.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.read_text().startswith("task_id\t")
    assert [each.name for each in issues.home.iterdir()] == ["out.tsv"], "something was left beside it"


def test_a_new_output_file_has_the_mode_that_the_umask_leaves(issues: Program) -> None:
    old = os.umask(0o027)
    try:
        issues("issues", "list", "--output-file", issues.home / "out.tsv")
    finally:
        os.umask(old)
    assert stat.S_IMODE((issues.home / "out.tsv").stat().st_mode) == 0o640


def test_an_output_file_behind_a_symbolic_link_is_replaced_where_it_is(issues: Program) -> None:
    (issues.home / "real.tsv").write_text("old")
    (issues.home / "link.tsv").symlink_to("real.tsv")
    issues("issues", "list", "--output-file", issues.home / "link.tsv")
    assert (issues.home / "link.tsv").is_symlink()
    assert (issues.home / "real.tsv").read_text().startswith("task_id\t")


def test_an_output_file_that_is_a_device_is_written_to(issues: Program) -> None:
    assert issues("issues", "list", "--output-file", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_an_output_file_that_is_an_open_pipe_is_written_to(issues: Program) -> None:
    reading, writing = os.pipe()
    try:
        assert issues("issues", "list", "--output-file", f"/dev/fd/{writing}").code == 0
        assert os.read(reading, 7) == b"task_id"
    finally:
        os.close(writing)
        os.close(reading)


def test_a_place_that_takes_no_file_is_told_before_any_work(demo: Program) -> None:
    place = demo.home / "absent" / "out.tsv"
    result = demo("backfill", "acceptances", "--apply", "--yes", "--output-file", place)
    assert (result.code, result.stdout) == (2, "")
    assert f"there is no directory '{place.parent}'" in result.stderr
    assert demo("backfill", "acceptances", "-o", "json").document["data"]["mapped"] == 1, "it was written all the same"


def test_a_failure_replaces_the_json_of_an_earlier_success(healthy: Program) -> None:
    file = healthy.home / "verify.json"
    assert healthy("verify", "--quiet", "--output-file", file).code == 0
    result = healthy("verify", "--quiet", "--output-file", file, "--database-url", "mysql://u@127.0.0.1:1/x")
    assert (result.code, result.stdout) == (6, "")
    assert len(result.stderr.splitlines()) == 1
    document = json.loads(file.read_text())
    assert (document["verdict"], document["exit_code"]) == ("error", 6)


def test_a_scheduled_job_is_silent_when_clean(healthy: Program) -> None:
    result = healthy("verify", "--quiet", "--settle", "0", "--output-file", healthy.home / "verify.json")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")


def test_a_scheduled_job_says_one_line_when_something_is_wrong(demo: Program) -> None:
    result = demo("verify", "--quiet", "--settle", "0", "--output-file", demo.home / "verify.json")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr == "stovepipe: verify ended with 'findings', exit code 3\n"


def test_times_are_shown_in_the_zone_asked_for_and_named(healthy: Program) -> None:
    here = healthy("history", "show", "117", "-o", "table", "--tz", "Asia/Kolkata").stdout
    assert "+05:30" in here
    assert "Asia/Kolkata" in here
    data = healthy("history", "show", "117", "-o", "json", "--tz", "Asia/Kolkata").document["data"]
    assert data["entries"][0]["time"].endswith("Z"), "JSON does not depend on the zone of the reader"


@pytest.mark.parametrize(
    ("flags", "environ", "coloured"),
    [
        ((), {}, {"terminal"}),
        ((), {"NO_COLOR": "1"}, set()),
        ((), {"TERM": "dumb"}, set()),
        ((), {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, {"terminal"}),
        (("--color", "never"), {}, set()),
        (("--color", "always"), {}, {"terminal", "pipe"}),
        (("--color", "always"), {"NO_COLOR": "1"}, {"terminal", "pipe"}),
    ],
)
def test_colour_is_for_terminals_or_on_request(
    flags: tuple[str, ...], environ: dict[str, str], coloured: set[str], demo: Program
) -> None:
    argv = ("verify", "--settle", "0", "-o", "table", *flags)
    shown = {
        "terminal": demo(*argv, terminal=True, environ=environ).stdout,
        "pipe": demo(*argv, environ=environ).stdout,
    }
    assert {where for where, text in shown.items() if "\x1b[" in text} == coloured


def test_an_empty_list_on_a_terminal_is_one_sentence_on_stderr(healthy: Program) -> None:
    result = healthy("issues", "list", terminal=True, environ={"PAGER": "less"})
    assert (result.code, result.stdout, result.stderr) == (0, "", "queue 'demo/main' has no open issue\n")


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_options_without_a_command_are_one_document_too(output: str, program: Program) -> None:
    result = program("-o", output)
    document = json.loads(result.stdout)
    assert (result.code, document["command"], document["errors"][0]["message"]) == (2, "", "missing command")


def test_bare_stovepipe_prints_ten_lines(program: Program) -> None:
    result = program()
    assert (result.code, len(result.stdout.splitlines()), result.stderr) == (0, 10, "")
    assert "stovepipe demo" in result.stdout


def test_version_and_its_short_form(program: Program) -> None:
    assert program("--version").stdout == program("-V").stdout
    assert program("-V").stdout.startswith("stovepipe ")


def test_everything_after_two_dashes_is_an_argument(healthy: Program) -> None:
    result = healthy("history", "show", "--", "--quiet")
    assert result.code == 5
    assert result.stderr.startswith("stovepipe: queue 'demo/main' has no request '--quiet'")
