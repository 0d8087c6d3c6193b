"""Candidates beyond memory: sorted, whole and exact."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import spill_of
from stovepipe_cli.audit.findings_file import FindingsFile
from stovepipe_cli.audit.spill import MERGED_AT_ONCE, Spill
from stovepipe_cli.errors import InvalidInput
from tests.support.audits import check, queue_of
from tests.support.lifecycles import QUEUE, accepted, succeeded


def numbers(run: int) -> Spill[int]:
    return Spill(lambda number: number, int, lambda number: number, run=run)


@pytest.mark.parametrize("run", [1, 3, 100, 10_000])
def test_records_come_back_in_order_whatever_the_size_of_a_run(run: int) -> None:
    wanted = [(number * 337) % 500 for number in range(1_000)]
    with numbers(run) as spill:
        for number in wanted:
            spill.add(number)
        assert len(spill) == 1_000
        assert list(spill.ordered()) == sorted(wanted)
        assert list(spill.ordered()) == sorted(wanted)


def test_more_runs_than_are_merged_at_once() -> None:
    count = 3 * MERGED_AT_ONCE + 1
    with numbers(1) as spill:
        for number in reversed(range(count)):
            spill.add(number)
        assert list(spill.ordered()) == list(range(count))


def test_an_empty_spill_has_no_records() -> None:
    with numbers(5) as spill:
        assert (len(spill), list(spill.ordered())) == (0, [])


def test_candidates_come_back_as_they_were_by_request_number() -> None:
    key = ("request/monorepo/main/10", "state/2")
    one = Candidate(
        "H104", key[0], "request_log", key, {"a": [1, None]}, 1.5, "m", (2,), ("state/2",), (("build", ("b",)),), True
    )
    other = Candidate("H104", "request/monorepo/main/9", "request_log", ("request/monorepo/main/9", "s"), 1, 2, "m")
    odd = Candidate("H104", "caf\udce9", "request_log", ("caf\udce9", "s"), 1, 2, "m")
    with spill_of(QUEUE) as spill:
        spill._run = 1  # noqa: SLF001  # every record goes through the file
        for candidate in (odd, one, other):
            spill.add(candidate)
        assert list(spill.ordered()) == [other, one, odd]


def test_a_pipe_takes_the_findings_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "findings"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        lines = reader.submit(lambda: pipe.read_text().splitlines())
        report = check(queue_of(accepted(1), succeeded(2).lose("state/2")), findings_file=pipe)
        assert len(lines.result()) == report.findings_total == 1
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_list_that_does_not_fit_is_told() -> None:
    with pytest.raises(InvalidInput, match="No space left on device"):
        check(queue_of(accepted(1), succeeded(2).lose("state/2")), findings_file=Path("/dev/full"))
    assert Path("/dev/full").is_char_device()


def test_a_link_goes_on_leading_to_the_list(tmp_path: Path) -> None:
    link = tmp_path / "latest"
    link.symlink_to(tmp_path / "findings")
    check(queue_of(accepted(1), succeeded(2).lose("state/2")), findings_file=link)
    assert link.is_symlink()
    assert len(link.read_text().splitlines()) == 1


def test_the_findings_file_holds_every_finding_as_the_report_has_it(tmp_path: Path) -> None:
    file = tmp_path / "all.ndjson"
    report = check(queue_of(accepted(1), *(succeeded(n).lose("state/2") for n in range(2, 9))), findings_file=file)
    listed = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [each["id"] for each in listed] == [finding.id for finding in report.findings]
    assert set(listed[0]) == {
        "id",
        "code",
        "name",
        "severity",
        "request_id",
        "subject",
        "expected",
        "found",
        "reads",
        "message",
        "repair",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["all.ndjson"]


def test_a_list_that_was_not_finished_leaves_the_earlier_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "all.ndjson"
    file.write_text("earlier\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), FindingsFile(file):
        raise KeyboardInterrupt
    assert file.read_text(encoding="utf-8") == "earlier\n"
    assert [path.name for path in tmp_path.iterdir()] == ["all.ndjson"]


def test_a_findings_file_in_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"), FindingsFile(tmp_path / "none" / "all.ndjson"):
        pass
