"""The files beside the answer of verify: what they hold, and that a failure is told in them as well."""

import contextlib
import json
import os
import sqlite3
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.every_command import database_file
from tests.cli.running import NOW_MS, Program

DEAD = ("--database-url", "mysql://u@127.0.0.1:1/x")
LAST_RUN = "stovepipe_verify_last_run_timestamp_seconds"
LAST_SUCCESS = "stovepipe_verify_last_success_timestamp_seconds"
HOUR_MS = 3_600_000


def samples(file: Path) -> dict[tuple[str, ...], float]:
    """Values by name and label values, labels in the order of their names."""
    return {
        (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
        for family in text_string_to_metric_families(file.read_text())
        for each in family.samples
    }


def verdict_in(file: Path, queue: str = "demo/main") -> str:
    (verdict,) = [
        key[3]
        for key, value in samples(file).items()
        if key[:3] == ("stovepipe_verify_verdict", queue, "") and value == 1
    ]
    return verdict


@pytest.fixture
def metrics(home: Path) -> Path:
    return home / "stovepipe.prom"


def test_metrics_hold_last_run_last_success_verdict_coverage_and_counts(uris: Program, metrics: Path) -> None:
    assert uris("verify", "--settle", "0", "--metrics-file", metrics).code == 3
    found = samples(metrics)
    assert found[LAST_RUN, "demo/main", ""] == found[LAST_SUCCESS, "demo/main", ""] == NOW_MS / 1000
    assert verdict_in(metrics) == "findings"
    assert found["stovepipe_verify_exit_code", "demo/main", ""] == 3
    assert found["stovepipe_verify_findings", "U501", "false", "demo/main", "", "error"] == 2
    assert found["stovepipe_verify_checked", "requests", "demo/main", ""] == 5
    assert found["stovepipe_verify_skipped", "requests", "demo/main", ""] == 0


def test_metrics_name_no_rule_that_found_nothing(healthy: Program, metrics: Path) -> None:
    assert healthy("verify", "--metrics-file", metrics).code == 0
    assert not [key for key in samples(metrics) if key[0] == "stovepipe_verify_findings"]
    assert verdict_in(metrics) == "clean"


def test_metrics_carry_no_sample_times(healthy: Program, metrics: Path) -> None:
    healthy("verify", "--metrics-file", metrics)
    lines = [line for line in metrics.read_text().splitlines() if not line.startswith("#")]
    assert all(len(line.rpartition("} ")[2].split(" ")) == 1 for line in lines)


def test_a_database_that_is_down_is_told_and_the_last_success_stays(healthy: Program, metrics: Path) -> None:
    healthy("verify", "--metrics-file", metrics)
    healthy.clock.at_ms += HOUR_MS
    assert healthy("verify", "--metrics-file", metrics, *DEAD).code == 6
    found = samples(metrics)
    assert found[LAST_RUN, "demo/main", ""] == (NOW_MS + HOUR_MS) / 1000
    assert found[LAST_SUCCESS, "demo/main", ""] == NOW_MS / 1000
    assert verdict_in(metrics) == "error"
    assert found["stovepipe_verify_exit_code", "demo/main", ""] == 6


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("--profile", "nobody"), 2), (("--tz", "Nowhere/Else"), 2), (("--fail-on", "much"), 2), (("-q", "nowhere"), 5)],
)
def test_a_start_that_fails_is_told_and_the_last_success_stays(
    argv: tuple[str, ...], code: int, healthy: Program, metrics: Path
) -> None:
    queue = argv[1] if argv[0] == "-q" else "demo/main"
    assert healthy("verify", "--metrics-file", metrics).code == 0
    assert healthy("verify", "--metrics-file", metrics, "--metrics-merge", *argv).code == code
    assert verdict_in(metrics, queue) == "error"
    assert samples(metrics)[LAST_SUCCESS, "demo/main", ""] == NOW_MS / 1000


def test_a_first_run_that_fails_has_never_succeeded(program: Program, metrics: Path) -> None:
    assert program("verify", "-q", "some/queue", "--metrics-file", metrics, *DEAD).code == 6
    assert samples(metrics)[LAST_SUCCESS, "some/queue", ""] == 0


def test_an_incomplete_run_is_no_success(healthy: Program, metrics: Path) -> None:
    healthy("verify", "--metrics-file", metrics)
    healthy.clock.at_ms += HOUR_MS
    with contextlib.closing(sqlite3.connect(database_file(healthy))) as connection:
        connection.execute("DROP TABLE request_uri")
    assert healthy("verify", "--metrics-file", metrics).code == 4
    assert verdict_in(metrics) == "incomplete"
    assert samples(metrics)[LAST_SUCCESS, "demo/main", ""] == NOW_MS / 1000


def test_a_narrowed_run_has_a_scope_of_its_own_and_leaves_the_whole_ones_alone(healthy: Program, metrics: Path) -> None:
    healthy("verify", "--metrics-file", metrics)
    healthy.clock.at_ms += HOUR_MS
    assert healthy("verify", "--metrics-file", metrics, "--last", "2").code == 0
    found = samples(metrics)
    assert found[LAST_SUCCESS, "demo/main", ""] == NOW_MS / 1000
    assert found[LAST_SUCCESS, "demo/main", "last 2"] == (NOW_MS + HOUR_MS) / 1000


def test_a_scope_in_relative_time_is_the_same_at_every_run(healthy: Program, metrics: Path) -> None:
    for _ in range(2):
        healthy("verify", "--metrics-file", metrics, "--since", "7d", "--select", "H,E206")
        healthy.clock.at_ms += HOUR_MS
    scopes = [key[2] for key in samples(metrics) if key[0] == LAST_RUN]
    assert scopes == ["since 7d, rules H,E206"]


def test_a_run_without_some_rules_has_a_scope_of_its_own(healthy: Program, metrics: Path) -> None:
    result = healthy("verify", "--metrics-file", metrics, "--ignore", "H,E", "-o", "table")
    assert "clean (scope: without rules H, E)" in " ".join(result.stdout.split())
    scopes = [key[2] for key in samples(metrics) if key[0] == LAST_SUCCESS]
    assert scopes == ["without H,E"]


def test_a_file_that_holds_another_queue_is_not_replaced(healthy: Program, metrics: Path) -> None:
    healthy("verify", "-q", "demo/main", "--metrics-file", metrics)
    before = metrics.read_bytes()
    result = healthy("verify", "-q", "demo/other", "--allow-empty", "--metrics-file", metrics)
    assert result.code == 7
    assert "holds other queues: 'demo/main'" in result.stderr
    assert metrics.read_bytes() == before


def test_a_file_that_holds_another_queue_can_be_merged_into(healthy: Program, metrics: Path) -> None:
    healthy("verify", "-q", "demo/main", "--metrics-file", metrics)
    result = healthy("verify", "-q", "demo/other", "--allow-empty", "--metrics-file", metrics, "--metrics-merge")
    assert result.code == 0
    assert {key[1] for key in samples(metrics) if key[0] == LAST_RUN} == {"demo/main", "demo/other"}


def test_another_programs_metrics_are_not_replaced(healthy: Program, metrics: Path) -> None:
    metrics.write_text("node_load1 1.5\n")
    result = healthy("verify", "--metrics-file", metrics, "--metrics-merge")
    assert (result.code, metrics.read_text()) == (7, "node_load1 1.5\n")


def test_nothing_is_left_beside_the_metrics(healthy: Program, metrics: Path) -> None:
    healthy("verify", "--metrics-file", metrics)
    assert [each.name for each in metrics.parent.iterdir() if each.is_file()] == [metrics.name]


def test_metrics_are_on_the_disk_before_they_take_the_old_ones_place(
    healthy: Program, metrics: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy("verify", "--metrics-file", metrics)
    old = metrics.stat().st_ino
    synced: list[tuple[int, str, int]] = []
    sync = os.fsync

    def watched(descriptor: int) -> None:
        sync(descriptor)
        synced.append((os.fstat(descriptor).st_ino, Path(f"/proc/self/fd/{descriptor}").read_text(), old))
        assert metrics.stat().st_ino == old, "the old file is there until the new one is whole"

    monkeypatch.setattr(os, "fsync", watched)
    healthy("verify", "--metrics-file", metrics)
    assert (metrics.stat().st_ino, metrics.read_text(), old) in synced


def test_a_file_that_cannot_be_written_is_told_before_any_work(uris: Program, home: Path) -> None:
    result = uris("verify", "--settle", "7s", "--junit-file", home / "nowhere" / "report.xml")
    assert (result.code, uris.clock.slept) == (2, 0)


def test_junit_has_a_failure_for_each_finding_and_a_case_for_each_pass(uris: Program, home: Path) -> None:
    file = home / "report.xml"
    assert uris("verify", "--settle", "0", "--junit-file", file).code == 3
    root = ET.fromstring(file.read_text())  # noqa: S314 - written by the program under test
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "10",
        "failures": "2",
        "errors": "0",
    }
    failures = [case.find("failure") for case in root.iter("testcase")]
    assert [each.get("type") for each in failures if each is not None] == ["U501", "U501"]


def test_junit_of_a_clean_queue_has_passing_cases_alone(healthy: Program, home: Path) -> None:
    file = home / "report.xml"
    assert healthy("verify", "--junit-file", file).code == 0
    root = ET.fromstring(file.read_text())  # noqa: S314 - written by the program under test
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "0", "0")


def test_junit_of_a_database_that_is_down_has_an_error(healthy: Program, home: Path) -> None:
    file = home / "report.xml"
    healthy("verify", "--junit-file", file, *DEAD)
    root = ET.fromstring(file.read_text())  # noqa: S314 - written by the program under test
    (error,) = root.iter("error")
    assert (root.get("errors"), error.get("type")) == ("1", "storage-unavailable")


def test_html_tells_of_a_database_that_is_down(healthy: Program, home: Path) -> None:
    file = home / "report.html"
    healthy("verify", "--html-file", file)
    assert ">clean</span>" in file.read_text()
    healthy("verify", "--html-file", file, *DEAD)
    assert ">error</span>" in file.read_text()
    assert "127.0.0.1:1" in file.read_text()


def test_a_crontab_line_is_silent_when_clean(healthy: Program, home: Path) -> None:
    files = ("--output-file", home / "v.json", "--metrics-file", home / "v.prom", "--junit-file", home / "v.xml")
    result = healthy("verify", "--quiet", *files)
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    assert json.loads((home / "v.json").read_text())["verdict"] == "clean"


def test_a_crontab_line_says_one_sentence_when_not_clean(uris: Program, home: Path) -> None:
    files = ("--output-file", home / "v.json", "--metrics-file", home / "v.prom", "--junit-file", home / "v.xml")
    result = uris("verify", "--quiet", "--settle", "0", *files)
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr == "stovepipe: verify ended with 'findings', exit code 3\n"


def test_the_findings_file_has_more_than_is_shown(uris: Program, home: Path) -> None:
    file = home / "findings.ndjson"
    result = uris("verify", "--settle", "0", "--max-findings", "1", "--findings-file", file, "-o", "json")
    data = result.document["data"]
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert (len(data["findings"]), data["findings_total"], len(written)) == (1, 2, 2)
    assert data["findings"][0] in written
