"""What the commands that look print: whole documents, rows for pipes, and screens of several widths."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities import IssueLog, OpenIssue
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.documents import QUEUE, document
from tests.cli.every_command import database_file
from tests.cli.running import NOW_MS, Program

AT_MS = 1_764_145_000_000
COMMANDS = (
    "queue show",
    "requests list",
    "requests list --order number",
    "requests show 204",
    "requests show 211",
    "issues show //app:test",
)


@pytest.fixture
def issue(demo: Program) -> Program:
    """The damaged queue with an issue that was opened, resolved and opened again."""
    with open_storage(f"sqlite:///{database_file(demo)}") as factory:
        storage = factory.for_queue(QUEUE)
        storage.open_issues.create(OpenIssue(QUEUE, "//app:test", "", "b-9"))
        for build_id, event, later_ms in (("b-9", "opened", 2000), ("b-1", "opened", 0), ("b-5", "resolved", 1000)):
            storage.issue_log.create(IssueLog(QUEUE, "//app:test", "", build_id, event, AT_MS + later_ms))
    return demo


def test_queue_show_is_one_document(healthy: Program) -> None:
    data = healthy("queue", "show", "-o", "json").document["data"]
    assert tuple(data) == (
        "why",
        "as_of_ms",
        "as_of",
        "last_green",
        "newest",
        "newest_verdict",
        "unfinished",
        "looked_back",
        "is_whole",
        "coordination",
        "enablement",
        "summary",
        "disagreements",
    )
    assert (data["as_of_ms"], data["as_of"]) == (NOW_MS, "2026-01-01T12:00:00.000Z")
    assert tuple(data["last_green"]) == ("request_id", "uri", "at_ms", "at", "age_ms")
    assert tuple(data["newest"]) == ("request_id", "uri", "state", "accepted_at_ms", "accepted_at", "age_ms")
    assert tuple(data["newest_verdict"]) == ("verdict", "request_id", "uri", "at_ms", "at", "age_ms")
    assert data["last_green"]["age_ms"] == NOW_MS - data["last_green"]["at_ms"]
    assert all(tuple(item) == ("request_id", "state", "since_ms", "since", "age_ms") for item in data["unfinished"])


def test_issues_show_is_one_document(issue: Program) -> None:
    result = issue("issue", "show", "//app:test", "-o", "json")
    transitions = [
        {
            "event": event,
            "build_id": build_id,
            "timestamp_ms": AT_MS + later_ms,
            "time": f"2025-11-26T08:16:{second}.000Z",
        }
        for event, build_id, later_ms, second in (
            ("opened", "b-1", 0, 40),
            ("resolved", "b-5", 1000, 41),
            ("opened", "b-9", 2000, 42),
        )
    ]
    data = {
        "task_id": "//app:test",
        "unit_id": "",
        "first_seen_build_id": "b-9",
        "transitions": transitions,
        "is_whole": True,
    }
    assert result.document == document(issue, command="issue show", data=data)


def test_issues_show_is_a_row_a_transition_for_a_pipe(issue: Program) -> None:
    rows = issue("issues", "show", "//app:test").rows
    assert rows[0][:5] == ["task_id", "unit_id", "first_seen_build_id", "event", "build_id"]
    assert [row[3:5] for row in rows[1:]] == [["opened", "b-1"], ["resolved", "b-5"], ["opened", "b-9"]]


def test_ndjson_has_a_line_a_thing(issue: Program) -> None:
    for words, kind, count in (
        ("issues show //app:test", "transition", 3),
        ("queue show", "request", 2),
        ("requests show 204", "build", 1),
    ):
        *items, summary = issue(*words.split(" "), "-o", "ndjson").lines
        assert [item["kind"] for item in items] == [kind] * count
        assert summary["kind"] == "summary"


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("words", COMMANDS)
def test_a_screen_is_never_wider_than_the_terminal(words: str, width: int, issue: Program) -> None:
    result = issue(*words.split(" "), "--color", "never", terminal=True, width=width)
    assert result.code == 0
    assert result.stdout.strip()
    assert max(map(len, result.stdout.splitlines())) <= width


@pytest.mark.parametrize("words", COMMANDS)
def test_times_stand_in_the_zone_that_was_asked_for(words: str, issue: Program) -> None:
    result = issue(*words.split(" "), "-o", "table", "--tz", "Europe/Berlin")
    assert "+01:00" in result.stdout
    assert "Z\n" not in result.stdout


def test_a_long_backlog_is_folded_on_a_terminal_and_whole_in_a_pipe(demo: Program) -> None:
    with open_storage(f"sqlite:///{database_file(demo)}") as factory:
        rows = [RequestRow(str(number), f"git://{number}", "accepted", "", "", 1, "") for number in range(214, 300)]
        factory.for_queue(QUEUE).bulk.insert(rows)
    screen = demo("queue", "show", "--color", "never", terminal=True, width=200).stdout
    assert "1 processing, 87 accepted; the 20 oldest are shown" in screen
    assert "\n250 " not in screen
    assert "\n250 " in demo("queue", "show", "-o", "table").stdout


def test_a_broken_branch_names_the_next_command(demo: Program) -> None:
    with open_storage(f"sqlite:///{database_file(demo)}") as factory:
        storage = factory.for_queue(QUEUE)
        with storage.audit.snapshot() as snapshot:
            request = snapshot.multi_get(RequestRow, [("205",)])[0]
        storage.bulk.insert([request._replace(id="299", uri="git://new")])
        fact = storage.facts.get(request.uri)
        storage.facts.create(replace(fact, uri="git://new", request_id="299"))
    result = demo("queue", "show", "-o", "table")
    assert result.stdout.startswith("broken at request '299'")
    assert "next: stovepipe facts list --uri git://new" in result.stderr


def test_a_relative_window_pages_on_while_time_passes(demo: Program) -> None:
    argv = ("requests", "list", "--older-than", "2h", "--limit", "2", "-o", "json")
    first = demo(*argv).document["data"]
    demo.clock.at_ms += 5000
    second = demo(*argv, "--cursor", first["next_cursor"])
    assert second.code == 0
    ids = [item["request_id"] for item in (*first["items"], *second.document["data"]["items"])]
    assert ids == ["213", "212", "211", "210"]


@pytest.mark.parametrize(
    "words",
    ["requests list", "issues list", "issues observations b", "facts list --uri git://x", "issues list --task //"],
)
def test_a_list_of_a_queue_without_rows_is_empty_and_names_near_queues(words: str, demo: Program) -> None:
    result = demo(*words.split(" "), "-q", "demo/mian", "-o", "json")
    assert (result.code, result.document["data"]) == (0, {"items": [], "next_cursor": None})
    assert "queue 'demo/mian' has no row in any table; did you mean 'demo/main'?" in result.stderr


@pytest.mark.parametrize("words", ["requests show 1", "issues show //x", "queue show"])
def test_what_is_not_there_names_near_queues(words: str, demo: Program) -> None:
    result = demo(*words.split(" "), "-q", "demo/mian")
    assert (result.code, result.stdout) == (5, "")
    assert "did you mean 'demo/main'" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        "requests list --limit 0",
        "issues observations b --limit 1001",
        "facts list --uri x --limit 0",
        "queue show --look-back 0",
        "db grants --role admin",
        "db grants --account @",
        "issues show " + "t" * 256,
    ],
)
def test_a_value_out_of_range_is_a_usage_error_with_a_hint(words: str, demo: Program) -> None:
    result = demo(*words.split(" "))
    assert (result.code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 2
