"""Answers about scenario files as people read them."""

from textwrap import dedent

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.texts import text_of
from stovepipe_cli.reports import FixturesCheckReport, FixturesDumpReport, Report

SCREEN = RenderContext("fixtures dump", output="table", is_terminal=True, width=80)


def told(report: Report) -> str:
    return "".join(text_of(report, SCREEN))


def a_dump(**fields: object) -> FixturesDumpReport:
    values = {
        "file": "case.yaml",
        "digest": "sha256:00",
        "queue": "demo/main",
        "rows": {"request": 1, "request_log": 1_200},
        "requests": None,
        "anonymized": False,
        "unloadable": 0,
        **fields,
    }
    return FixturesDumpReport(**values)  # type: ignore[arg-type]  # fields of any type, by name


def test_a_dump_is_told_table_by_table() -> None:
    assert told(a_dump()) == dedent(
        """\
        file    case.yaml
        digest  sha256:00
        queue   demo/main

        table         rows
        request          1
        request_log  1,200

        1,201 rows written
        """
    )


def test_a_dump_says_whom_it_is_of_and_under_which_name() -> None:
    text = told(a_dump(requests=("204", "213"), anonymized=True, queue="queue-1"))
    assert "queue     queue-1  under pseudonyms\nrequests  204  213\n" in text


def test_rows_that_stayed_comments_are_told_and_make_the_dump_incomplete() -> None:
    report = a_dump(unloadable=2)
    assert told(report).endswith("2 rows that no load takes stayed a comment\n")
    assert (report.verdict, report.exit_code) == ("incomplete", 4)
    assert (a_dump().verdict, a_dump().exit_code) == ("clean", 0)


def test_a_dump_of_nothing_has_no_table() -> None:
    assert told(a_dump(rows={})) == "file    case.yaml\ndigest  sha256:00\nqueue   demo/main\n0 rows written\n"


def test_a_check_says_what_is_expected() -> None:
    text = told(FixturesCheckReport("s.yaml", "sha256:00", "demo/main", {"request": 3}, 1))
    assert text.endswith("\ntable    rows\nrequest     3\n\n3 rows, 1 finding expected\n")
