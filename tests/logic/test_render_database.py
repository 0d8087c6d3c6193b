"""Answers about the database and about fixtures, for people."""

from dataclasses import replace
from textwrap import dedent

from stovepipe_cli.reports import (
    DatabaseCheckReport,
    DatabaseInitReport,
    DatabasePingReport,
    DriftItem,
    FixturesLoadReport,
)
from tests.support.report_samples import START_MS, TERMINAL, shown

CHECK = DatabaseCheckReport("mysql", "10.11.6-MariaDB", "sha256:1", ())
HARMLESS = DriftItem("absent-table", "queue_summary", "", "the table", "", harmless=True)
STOPPING = DriftItem("absent-column", "request", "uri", "varchar(255)", "", harmless=False)


def test_init_lists_what_was_created_and_what_was_kept() -> None:
    assert shown(DatabaseInitReport(("request", "request_log"), ("build",)), TERMINAL) == dedent(
        """\
        created     request  request_log
        kept as is  build

        2 tables created
        """
    )


def test_init_again_says_that_nothing_was_to_do() -> None:
    assert shown(DatabaseInitReport((), ("build",)), TERMINAL).endswith("\nevery table was there already\n")


def test_a_check_without_differences_is_clean() -> None:
    assert shown(CHECK, TERMINAL) == "backend  mysql\nserver   10.11.6-MariaDB\nschema   sha256:1\n\nclean\n"


def test_harmless_differences_are_shown_and_stay_clean() -> None:
    text = shown(replace(CHECK, items=(HARMLESS,)), TERMINAL)

    assert text.startswith("harmless\nkind          table          column  expected   found\n")
    assert text.endswith("\nclean with 1 harmless difference\n")


def test_differences_that_stop_a_command_come_first() -> None:
    text = shown(replace(CHECK, items=(HARMLESS, STOPPING)), TERMINAL)

    assert text.index("stops a command") < text.index("harmless")
    assert text.endswith("\nfindings: 1 difference would stop a command\n")


def test_a_ping_says_who_answered_and_whether_writes_are_possible() -> None:
    report = DatabasePingReport("mysql", "pymysql", "db1:3306", "stovepipe", "8.4", "uuid-1", False, START_MS, "", 1.26)

    assert shown(report, TERMINAL) == dedent(
        """\
        database  db1:3306/stovepipe
        backend   mysql  driver pymysql
        server    8.4
        identity  uuid-1
        writes    possible
        its time  2026-08-20T08:00:00.000Z  UTC
        answered  in 1.3 ms
        """
    )
    assert "writes    refused: the server is read-only\n" in shown(replace(report, read_only=True), TERMINAL)


def test_a_load_counts_new_and_known_rows() -> None:
    text = shown(FixturesLoadReport("demo.yaml", "sha256:1", 12, 3), TERMINAL)

    assert text == "file    demo.yaml\ndigest  sha256:1\n12 rows inserted, 3 there already\n"
