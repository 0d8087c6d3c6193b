"""`save` owns the header of a run, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.entities.run import RunStatus
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import ForeignQueue, VersionMismatch
from stovepipe_cli.storage.ledger.contract import Ledger, QueueLedger, RunConflict, RunEnded
from tests.contract.ledger.samples import NOON_MS, a_header, a_run, an_attempt, an_end

TERMINAL = ("COMPLETED", "FAILED", "CANCELLED")


def test_a_new_run_is_read_back_whole_at_version_1(book: QueueLedger) -> None:
    run = a_run(book.queue, parent_run_id="r0", root_run_id="r0")
    assert book.runs.save(run) == replace(run, version=1)
    assert book.runs.find("r1") == replace(run, version=1)


def test_a_run_starts_running(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    found = book.runs.find("r1")
    assert found is not None
    assert (found.status, found.finished_at_ms) == ("RUNNING", None)


@pytest.mark.parametrize("status", TERMINAL)
def test_save_rejects_a_run_that_is_not_running(book: QueueLedger, status: RunStatus) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.save(a_run(book.queue, status=status, finished_at_ms=NOON_MS))
    assert book.runs.find("r1") is None


def test_save_rejects_a_running_run_with_a_finish_time(book: QueueLedger) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.save(a_run(book.queue, finished_at_ms=NOON_MS))


def test_a_terminal_status_does_not_enter_through_an_update_either(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    with pytest.raises(InvalidEntity):
        book.runs.save(a_run(book.queue, status="COMPLETED", finished_at_ms=NOON_MS, version=1))
    assert book.runs.find("r1") == a_run(book.queue, version=1)


def test_an_update_at_the_version_on_record_replaces_the_header_whole(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    update = a_run(book.queue, header=a_header(counts={"seen": 2}, options={}, reason=""), version=1)
    assert book.runs.save(update) == replace(update, version=2)
    assert book.runs.find("r1") == replace(update, version=2)


@pytest.mark.parametrize("version", [0, 2, 7])
def test_an_update_at_another_version_changes_nothing(book: QueueLedger, version: int) -> None:
    book.runs.save(a_run(book.queue))
    with pytest.raises(VersionMismatch):
        book.runs.save(a_run(book.queue, header=a_header(reason="other"), version=version))
    assert book.runs.find("r1") == a_run(book.queue, version=1)


def test_a_new_run_that_names_a_version_is_not_stored(book: QueueLedger) -> None:
    with pytest.raises(VersionMismatch):
        book.runs.save(a_run(book.queue, version=1))
    assert book.runs.find("r1") is None


@pytest.mark.parametrize("version", [0, 1, 2, 9])
def test_equal_content_replays_whatever_version_it_names(book: QueueLedger, version: int) -> None:
    book.runs.save(a_run(book.queue, header=a_header(reason="first")))
    stored = book.runs.save(a_run(book.queue, version=1))
    assert book.runs.save(a_run(book.queue, version=version)) == stored
    assert book.runs.find("r1") == stored == a_run(book.queue, version=2)


def test_content_whose_objects_are_in_another_order_is_equal(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue, header=a_header(options={"a": 1, "b": 2})))
    assert book.runs.save(a_run(book.queue, header=a_header(options={"b": 2, "a": 1}))).version == 1


@pytest.mark.parametrize("value", [True, 1.0])
def test_a_number_is_another_content_than_what_only_compares_equal_to_it(book: QueueLedger, value: object) -> None:
    book.runs.save(a_run(book.queue, header=a_header(options={"a": 1})))
    assert book.runs.save(a_run(book.queue, header=a_header(options={"a": value}), version=1)).version == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"started_at_ms": NOON_MS + 1},
        {"kind": "verify"},
        {"parent_run_id": "r8", "root_run_id": "r0"},
        {"parent_run_id": "r0", "root_run_id": "r8"},
        {"parent_run_id": None, "root_run_id": None},
    ],
)
def test_kind_lineage_and_start_time_are_fixed_at_insert(book: QueueLedger, fields: dict[str, Any]) -> None:
    first = a_run(book.queue, parent_run_id="r0", root_run_id="r0")
    stored = book.runs.save(first)
    with pytest.raises(RunConflict):
        book.runs.save(replace(first, version=1, header=a_header(reason="other"), **fields))
    assert book.runs.find("r1") == stored


@pytest.mark.parametrize("status", TERMINAL)
def test_a_terminal_run_takes_no_header(book: QueueLedger, status: RunStatus) -> None:
    book.runs.save(a_run(book.queue))
    book.runs.transition("r1", an_end(status))
    ended = book.runs.find("r1")
    for header in (a_header(), a_header(reason="late")):
        with pytest.raises(RunEnded):
            book.runs.save(a_run(book.queue, header=header, version=1))
    assert book.runs.find("r1") == ended


def test_a_header_save_touches_no_attempt(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    attempts = (an_attempt(book.queue, "i1"), an_attempt(book.queue, "i2", status="FAILED", finished_at_ms=NOON_MS))
    for attempt in attempts:
        book.runs.record_invocation(attempt)
    book.runs.save(a_run(book.queue, header=a_header(counts={"seen": 9}), version=1))
    assert book.runs.invocations_of("r1", limit=9) == attempts


def test_a_foreign_run_is_refused(book: QueueLedger) -> None:
    with pytest.raises(ForeignQueue):
        book.runs.save(a_run(book.queue.upper()))


@pytest.mark.parametrize("value", [float("nan"), {1: "a"}, b"bytes", object(), {"a", "b"}])
def test_a_header_that_is_no_json_is_refused(book: QueueLedger, value: object) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.save(a_run(book.queue, header=a_header(document={"deep": [{"value": value}]})))
    assert book.runs.find("r1") is None


@pytest.mark.parametrize("text", ['é ∅ 🦊 \x00\n"\\', "\udcff not UTF-8", "x" * 40_000, ""])
def test_any_text_in_a_header_comes_back_as_it_was(book: QueueLedger, text: str) -> None:
    header = a_header(document={text: [text]}, reason=text, failures=(text,), options={"text": text})
    book.runs.save(a_run(book.queue, header=header))
    assert book.runs.find("r1") == a_run(book.queue, header=header, version=1)


def test_what_was_returned_shares_nothing_with_the_ledger(book: QueueLedger) -> None:
    rows: list[object] = [1]
    book.runs.save(a_run(book.queue, header=a_header(document={"rows": rows})))
    rows.append(2)
    found = book.runs.find("r1")
    assert found is not None
    document: Any = found.header.document
    assert document == {"rows": [1]}
    document["rows"].append(3)
    again = book.runs.find("r1")
    assert again is not None
    assert again.header.document == {"rows": [1]}


def test_a_run_outlives_the_process_that_saved_it(sql_ledgers: tuple[Ledger, Ledger], ledger_queue: str) -> None:
    first, second = sql_ledgers
    first.for_queue(ledger_queue).runs.save(a_run(ledger_queue))
    first.close()
    assert second.for_queue(ledger_queue).runs.find("r1") == a_run(ledger_queue, version=1)


@pytest.mark.parametrize("run_id", ["", "x" * 65, "bad\udcff"])
def test_an_id_that_no_run_can_have_is_refused_and_never_cut(book: QueueLedger, run_id: str) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.save(a_run(book.queue, run_id))
    assert book.runs.find(run_id) is None
