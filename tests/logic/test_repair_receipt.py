"""The receipt of an apply holds every row, also where somebody died in the middle of it or the disk is full."""

import json
from pathlib import Path

from stovepipe_cli.repair.receipt_file import ReceiptFile, rows_in_receipt, with_noted, write_receipt
from stovepipe_cli.reports import RepairPlan, Written
from tests.support.audits import queue_of
from tests.support.lifecycles import succeeded
from tests.support.repairs import RUN, Repairs


def plan() -> RepairPlan:
    return Repairs(queue_of(succeeded(1).without("uri"))).plan()


def row(number: int, request_id: str = "1") -> Written:
    key: dict[str, str | int | float] = {"request_id": request_id, "log_id": f"state/{number}"}
    return Written("create-log", "request_log", key, None, {**key, "state": "accepted", "metadata": {"é": "\u2028"}})


def receipt(path: Path, *rows: Written, is_resumed: bool = False) -> Path:
    with ReceiptFile(path, plan(), RUN, is_resumed=is_resumed) as file:
        for each in rows:
            file.note(each)
    return path


def test_rows_are_read_back_as_they_were_noted(tmp_path: Path) -> None:
    odd = row(2, "request/\udcff")
    assert rows_in_receipt(receipt(tmp_path / "r", row(1), odd)) == (row(1), odd)


def test_whoever_goes_on_behind_a_line_that_was_cut_off_loses_no_row(tmp_path: Path) -> None:
    path = receipt(tmp_path / "r", row(1), row(2))
    path.write_bytes(path.read_bytes()[:-5])
    receipt(path, row(3), is_resumed=True)
    assert rows_in_receipt(path) == (row(1), row(3))


def test_a_receipt_without_its_first_line_is_given_one(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.touch()
    receipt(path, row(1), is_resumed=True)
    assert json.loads(path.read_text().splitlines()[0])["run_id"] == RUN
    assert rows_in_receipt(path) == (row(1),)


def test_rows_that_only_the_receipt_has_come_behind_those_on_record_and_none_twice() -> None:
    assert with_noted((row(2), row(1)), (row(1), row(3), row(3))) == (row(2), row(1), row(3))


def test_what_is_no_receipt_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b'{}\n\xff\n[]\n{"action": 1}\n{"action": "create-log", "table": "request_log", "key": []}\n')
    assert rows_in_receipt(path) == rows_in_receipt(tmp_path / "absent") == rows_in_receipt(Path("/dev/zero")) == ()


def test_a_full_disk_is_told_once_and_ends_no_apply(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.symlink_to("/dev/full")
    told: list[str] = []
    with ReceiptFile(path, plan(), RUN, is_resumed=True, on_loss=told.append) as file:
        file.note(row(1))
        file.note(row(2))
    assert told == [f"receipt '{path}' takes no more: No space left on device"]


def test_the_whole_receipt_takes_the_place_of_what_is_there(tmp_path: Path) -> None:
    path = receipt(tmp_path / "r", row(1))
    write_receipt(path, plan(), RUN, with_noted((row(2),), rows_in_receipt(path)))
    assert rows_in_receipt(path) == (row(2), row(1))
