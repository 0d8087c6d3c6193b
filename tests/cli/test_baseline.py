"""Known findings: counted as before, but they do not decide the verdict, for as long as they are what they were."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract.rows import RequestAcceptanceRow, RequestURIRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.documents import FIRST_URI
from tests.cli.every_command import database_file
from tests.cli.running import Program

DAY_MS = 86_400_000

Verify = Callable[..., dict[str, object]]


@pytest.fixture
def baseline(uris: Program, home: Path) -> Path:
    """Both findings of the queue, known for 90 days."""
    file = home / "known.ndjson"
    argv = ("--write-baseline", file, "--baseline-reason", "imported without commits")
    assert uris("verify", "--settle", "0", *argv).code == 3, "writing a baseline does not make a verdict better"
    return file


def test_known_findings_are_counted_and_do_not_decide_the_verdict(uris: Program, baseline: Path) -> None:
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["verdict"]) == (0, "clean")
    assert (data["counts"], data["findings_total"], data["known"]) == ({"U501": 2}, 2, {"U501": 2})
    assert list(data["known_findings"].values()) == ["imported without commits"] * 2
    assert set(data["known_findings"]) == {finding["id"] for finding in data["findings"]}


def test_a_new_finding_decides_the_verdict_beside_known_ones(uris: Program, baseline: Path) -> None:
    with open_storage(f"sqlite:///{database_file(uris)}") as factory:
        factory.for_queue("demo/main").bulk.insert([RequestAcceptanceRow(1, "request/demo/main/9999")])
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "json")
    data = result.document["data"]
    assert (result.code, data["counts"], data["known"]) == (3, {"A402": 1, "U501": 2}, {"U501": 2})


def test_what_is_found_to_be_something_else_by_now_is_not_known(uris: Program, baseline: Path) -> None:
    header, *lines = baseline.read_text().splitlines()
    changed = json.loads(lines[0]) | {"found": "something else"}
    baseline.write_text("\n".join([header, json.dumps(changed), *lines[1:]]) + "\n")
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "json")
    assert (result.code, result.document["data"]["known"]) == (3, {"U501": 1})
    assert "1 entry of the baseline is void" in result.document["data"]["notes"][0]


def test_an_entry_counts_until_it_expires(uris: Program, baseline: Path) -> None:
    uris.clock.at_ms += 89 * DAY_MS
    assert uris("verify", "--settle", "0", "--baseline", baseline).code == 0
    uris.clock.at_ms += 2 * DAY_MS
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "json")
    assert result.code == 3
    assert result.document["data"]["notes"] == [
        "2 entries of the baseline are expired, so what they expect counts again"
    ]


def test_entries_for_which_nothing_is_found_are_told_of(uris: Program, baseline: Path) -> None:
    with open_storage(f"sqlite:///{database_file(uris)}") as factory:
        storage = factory.for_queue("demo/main")
        owner = json.loads(baseline.read_text().splitlines()[1])["request_id"]
        storage.bulk.insert([RequestURIRow(FIRST_URI, owner, 1)])
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "json")
    assert result.document["data"]["notes"] == [
        "1 entry of the baseline is no longer needed: nothing was found for them"
    ]


def test_a_baseline_written_anew_keeps_the_reasons_of_the_old_one(uris: Program, baseline: Path) -> None:
    before = baseline.read_text()
    uris.clock.at_ms += DAY_MS
    uris("verify", "--settle", "0", "--baseline", baseline, "--write-baseline", baseline)
    assert baseline.read_text() == before


@pytest.mark.parametrize(("given", "expected"), [("never", None), ("2026-06-01T00:00:00Z", "2026-06-01T00:00:00.000Z")])
def test_an_expiry_can_be_a_day_or_never(given: str, expected: str | None, uris: Program, home: Path) -> None:
    file = home / "known.ndjson"
    uris("verify", "--settle", "0", "--write-baseline", file, "--baseline-expires", given)
    entries = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert [each["expires"] for each in entries] == [expected] * 2


def test_a_file_that_is_no_baseline_is_not_written_over(uris: Program, home: Path) -> None:
    file = home / "notes.txt"
    file.write_text("mine\n")
    result = uris("verify", "--settle", "0", "--write-baseline", file)
    assert (result.code, file.read_text()) == (7, "mine\n")


ENTRY = {"queue": "q", "id": "A401:1", "code": "A401", "found": 1, "expires": None, "reason": "why"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "is empty"),
        (["{}"], ":1: the file does not begin as a baseline of format 1"),
        ([{"stovepipe_baseline": 2}], ":1: the file does not begin"),
        ([{"stovepipe_baseline": 1}, "nonsense"], ":2: the line is no JSON object"),
        ([{"stovepipe_baseline": 1}, ENTRY | {"resaon": "x"}], ":2: unknown key 'resaon'"),
        ([{"stovepipe_baseline": 1}, {**ENTRY, "reason": " "}], ":2: 'reason' is no text, or empty"),
        ([{"stovepipe_baseline": 1}, {**ENTRY, "expires": "7d"}], ":2: "),
        (
            [{"stovepipe_baseline": 1}, {**ENTRY, "expires": "2026-01-01"}],
            ":2: '2026-01-01' does not say its time zone",
        ),
        ([{"stovepipe_baseline": 1}, ENTRY, ENTRY], ":3: finding 'A401:1' comes a second time"),
        ([{"stovepipe_baseline": 1}, {k: v for k, v in ENTRY.items() if k != "found"}], ":2: key 'found' is missing"),
    ],
)
def test_a_baseline_that_cannot_be_understood_is_refused_with_its_line(
    lines: list[object], problem: str, uris: Program, home: Path
) -> None:
    file = home / "known.ndjson"
    file.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines))
    result = uris("verify", "--baseline", file)
    assert result.code == 2
    assert problem in result.stderr


def test_a_reason_without_a_new_baseline_is_refused(uris: Program) -> None:
    assert uris("verify", "--baseline-reason", "x").code == 2


def test_the_text_says_that_findings_are_known(uris: Program, baseline: Path) -> None:
    result = uris("verify", "--settle", "0", "--baseline", baseline, "-o", "table")
    assert "U501 (2) of the findings are expected by the baseline" in result.stdout
    assert result.stdout.splitlines()[-1] == "clean with 2 errors, all of them known"
