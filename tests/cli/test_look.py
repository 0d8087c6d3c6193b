"""Commands that look: requests, the queue, an issue, a build's observations, facts and grants."""

import pytest

from stovepipe_cli.entities import BuildIssue, IssueLog, OpenIssue, ProjectFactByDegree
from stovepipe_cli.storage import open_storage
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestRow, ValidationFactRow
from tests.cli.documents import QUEUE
from tests.cli.every_command import database_file
from tests.cli.running import Program

AT_MS = 1_764_145_000_000
URI = "git://origin/demo/main/0a1b2c"


def changed(program: Program) -> Storage:
    return open_storage(f"sqlite:///{database_file(program)}").for_queue(QUEUE)


def numbers(program: Program, *argv: str) -> list[str]:
    items = program("requests", "list", "-o", "json", *argv).document["data"]["items"]
    return [item["request_id"] for item in items]


def test_requests_list_runs_from_the_newest_acceptance(demo: Program) -> None:
    result = demo("requests", "list", "-o", "json")
    times = [item["accepted_at_ms"] for item in result.document["data"]["items"]]
    assert len(times) > 5
    assert times == sorted(times, reverse=True)


def test_requests_that_cannot_appear_are_counted(demo: Program) -> None:
    result = demo("requests", "list")
    assert "4 requests have no acceptance mapping and cannot appear" in result.stderr


def test_the_order_by_number_shows_every_request(demo: Program) -> None:
    assert numbers(demo, "--order", "number") == [str(number) for number in range(213, 200, -1) if number != 211]


@pytest.mark.parametrize("order", ["accepted", "number"])
@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_pages_of_requests_add_up(demo: Program, order: str, limit: int) -> None:
    whole = numbers(demo, "--order", order)
    listed: list[str] = []
    cursor: list[str] = []
    while True:
        argv = ["requests", "list", "-o", "json", "--order", order, "--limit", str(limit), *cursor]
        data = demo(*argv).document["data"]
        listed += [item["request_id"] for item in data["items"]]
        if data["next_cursor"] is None:
            break
        cursor = ["--cursor", data["next_cursor"]]
    assert listed == whole


def test_numbers_sort_as_numbers_in_both_forms(demo: Program) -> None:
    storage = changed(demo)
    storage.bulk.insert(
        [RequestRow(each, "", "accepted", "", "", 1, "") for each in ("9", "400", f"request/{QUEUE}/99")]
    )
    found = numbers(demo, "--order", "number")
    assert (found[0], found[-2:]) == ("400", [f"request/{QUEUE}/99", "9"])


def test_a_state_narrows_the_list(demo: Program) -> None:
    assert numbers(demo, "--order", "number", "--state", "failed") == ["209", "205", "203"]
    assert numbers(demo, "--state", "failed") == ["205", "203"]


def test_a_window_of_acceptance_narrows_the_list(demo: Program) -> None:
    window = ("--since", "2025-11-26T08:20:00Z", "--until", "2025-11-26T09:00:00Z")
    assert numbers(demo, *window) == ["208", "205"]


@pytest.mark.parametrize(
    "argv",
    [
        ("--state", "stuck"),
        ("--order", "age"),
        ("--limit", "0"),
        ("--limit", "1001"),
        ("--since", "1h", "--until", "2h"),
    ],
    ids=" ".join,
)
def test_a_list_of_requests_that_cannot_be_is_a_usage_error(demo: Program, argv: tuple[str, ...]) -> None:
    assert demo("requests", "list", *argv).code == 2


def test_a_cursor_of_another_order_is_refused(demo: Program) -> None:
    cursor = demo("requests", "list", "-o", "json", "--limit", "1").document["data"]["next_cursor"]
    assert demo("requests", "list", "--order", "number", "--cursor", cursor).code == 7


def test_requests_show_joins_what_stands_beside_a_request(demo: Program) -> None:
    data = demo("requests", "show", "204", "-o", "json").document["data"]
    assert (data["verdict_of_commit"], data["uri_request_id"], data["entries"]) == ("green", "204", 3)
    assert data["builds"] == [{"id": "b-204", "status": "succeeded", "request_id": "204"}]
    assert (data["fact"]["degree"], data["fact"]["request_id"]) == (0.0, "204")
    assert data["summary"]["outcome_reason"] == "build_succeeded"


def test_a_commit_without_a_fact_is_not_green(demo: Program) -> None:
    assert demo("requests", "show", "207", "-o", "json").document["data"]["verdict_of_commit"] == "unknown"


def test_an_unknown_request_is_not_found(demo: Program) -> None:
    assert demo("requests", "show", "999").code == 5


def test_queue_show_says_why(demo: Program) -> None:
    data = demo("queue", "show", "-o", "json").document["data"]
    assert data["why"].startswith("green at request '210'")
    assert [item["request_id"] for item in data["unfinished"]] == ["212", "213"]
    assert data["disagreements"] == []


def test_queue_show_names_what_disagrees(demo: Program) -> None:
    storage = changed(demo)
    row = storage.queues.get()
    storage.queues.update(row, old_version=row.version, new_version=row.version)
    storage.bulk.insert([RequestRow("300", "git://x", "processing", "full", "", 2, "")])
    found = demo("queue", "show", "-o", "json").document["data"]["disagreements"]
    assert [each["code"] for each in found] == ["Q602", "Q604"]


def test_an_unknown_queue_is_not_found(demo: Program) -> None:
    result = demo("queue", "show", "-q", "demo/mian")
    assert result.code == 5
    assert "did you mean 'demo/main'" in result.stderr


def test_issues_show_tells_the_transitions_by_time(demo: Program) -> None:
    storage = changed(demo)
    storage.open_issues.create(OpenIssue(QUEUE, "//app:test", "case", "b9"))
    for build_id, event, at_ms in (("b9", "opened", AT_MS + 2), ("b1", "opened", AT_MS), ("b5", "resolved", AT_MS + 1)):
        storage.issue_log.create(IssueLog(QUEUE, "//app:test", "case", build_id, event, at_ms))
    data = demo("issues", "show", "//app:test", "case", "-o", "json").document["data"]
    assert data["first_seen_build_id"] == "b9"
    assert [(item["event"], item["build_id"]) for item in data["transitions"]] == [
        ("opened", "b1"),
        ("resolved", "b5"),
        ("opened", "b9"),
    ]


def test_an_issue_that_never_was_is_not_found(demo: Program) -> None:
    assert demo("issues", "show", "//app:test").code == 5


def test_observations_of_a_build_page(demo: Program) -> None:
    storage = changed(demo)
    for unit_id in ("a", "b", "c"):
        storage.build_issues.create(BuildIssue(QUEUE, "b9", "//app:test", unit_id))
    first = demo("issues", "observations", "b9", "--limit", "2", "-o", "json").document["data"]
    assert [item["unit_id"] for item in first["items"]] == ["a", "b"]
    argv = ("issues", "observations", "b9", "--cursor", first["next_cursor"], "-o", "json")
    assert [item["unit_id"] for item in demo(*argv).document["data"]["items"]] == ["c"]
    assert len(demo("issues", "observations", "b9", "--limit", "1", "--all", "--no-headers").stdout.splitlines()) == 3


def test_nothing_observed_is_no_success(demo: Program) -> None:
    result = demo("issues", "observations", "b-210")
    assert result.code == 0
    assert "says neither that it succeeded nor that it was analysed" in result.stderr


def test_facts_run_worst_first_and_are_compared_with_their_mapping(demo: Program) -> None:
    storage = changed(demo)
    storage.bulk.insert(
        [ValidationFactRow(URI, name, degree, "204", AT_MS) for name, degree in (("a", 0.5), ("b", 1.0))]
    )
    for degree, project in ((0.5, "a"), (0.75, "b"), (0.25, "gone")):
        storage.facts_by_degree.create(ProjectFactByDegree(QUEUE, URI, degree, project))
    items = demo("facts", "list", "--uri", URI, "-o", "json").document["data"]["items"]
    assert [(item["project"], item["problem"][:4]) for item in items] == [("b", "D803"), ("a", ""), ("gone", "D802")]


def test_facts_page_with_exact_degrees(demo: Program) -> None:
    storage = changed(demo)
    degrees = (1.0, 0.1 + 0.2, 0.3, 1e-05)
    for degree in degrees:
        storage.facts_by_degree.create(ProjectFactByDegree(QUEUE, URI, degree, "p"))
    listed: list[float] = []
    cursor: list[str] = []
    while True:
        data = demo("facts", "list", "--uri", URI, "--limit", "1", "-o", "json", *cursor).document["data"]
        listed += [item["degree"] for item in data["items"]]
        if data["next_cursor"] is None:
            break
        cursor = ["--cursor", data["next_cursor"]]
    assert tuple(listed) == degrees


def test_a_commit_whose_facts_are_older_than_the_mapping_says_so(demo: Program) -> None:
    changed(demo).bulk.insert([ValidationFactRow(URI, "a", 0.5, "204", AT_MS)])
    assert "they are older than the mapping" in demo("facts", "list", "--uri", URI).stderr


def test_grants_of_an_unknown_role_are_a_usage_error(demo: Program) -> None:
    assert demo("db", "grants", "--role", "admin").code == 2
