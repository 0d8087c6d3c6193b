"""A history of any length: read in pages, judged whole, shown in part."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.entities import Build, Request, RequestLog
from stovepipe_cli.history.entries import accepted_entry, build_finished_entry, build_triggered_entry, processing_entry
from stovepipe_cli.history.pages import PAGE
from stovepipe_cli.history.viewer import Arrangement, view_history
from stovepipe_cli.reports import Fold, HistoryReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import build_row, log_row, request_row
from stovepipe_cli.storage.contract.rows import RequestLogRow
from stovepipe_cli.storage.open import open_storage
from tests.support.history_samples import QUEUE, REQUEST_ID, STARTED_MS, URI

FOLDED = Arrangement(is_folded=True)
BUILDS = PAGE * 11 // 20
REQUEST = Request(QUEUE, REQUEST_ID, URI, "processing", 2, "full")


def build(number: int) -> Build:
    return Build(QUEUE, f"bk-{number}", REQUEST_ID, "cancelled", 2)


def entries() -> Iterator[RequestLog]:
    """Build after build, started and ended: two entries each, and two states before them."""
    yield accepted_entry(REQUEST, timestamp_ms=STARTED_MS)
    yield processing_entry(REQUEST, timestamp_ms=STARTED_MS + 1)
    for number in range(BUILDS):
        yield build_triggered_entry(build(number), timestamp_ms=STARTED_MS + 10 + 2 * number)
        yield build_finished_entry(build(number), timestamp_ms=STARTED_MS + 11 + 2 * number)


@pytest.fixture(scope="module", params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    directory = tmp_path_factory.mktemp("long")
    with open_storage("memory://" if request.param == "memory" else f"sqlite:///{directory}/long.db") as factory:
        if request.param == "sqlite":
            factory.admin.create_tables()
        storage = factory.for_queue(QUEUE)
        rows = [log_row(entry) for entry in entries()]
        lost = log_row(build_finished_entry(build(7))).log_id
        storage.bulk.insert([request_row(REQUEST), *(row for row in rows if row.log_id != lost)])
        storage.bulk.insert([build_row(build(number)) for number in range(BUILDS)])
        yield storage


@pytest.fixture(scope="module")
def whole(storage: Storage) -> HistoryReport:
    return view_history(storage, REQUEST_ID)


@pytest.fixture(scope="module")
def folded(storage: Storage) -> HistoryReport:
    return view_history(storage, REQUEST_ID, arrangement=FOLDED)


def test_every_entry_of_every_page_is_there(whole: HistoryReport) -> None:
    assert (len(whole.entries), whole.total, whole.earlier) == (2 * BUILDS + 1, 2 * BUILDS + 1, 0)
    assert [entry.timestamp_ms for entry in whole.entries] == sorted(entry.timestamp_ms for entry in whole.entries)


def test_folds_leave_a_screenful_and_count_the_rest(whole: HistoryReport, folded: HistoryReport) -> None:
    assert len(folded.entries) < 30
    assert (folded.total, folded.earlier) == (whole.total, 0)
    assert folded.folded + len(folded.entries) == whole.total
    assert {each.period for each in folded.folds} == {2}


def test_what_is_missing_in_a_fold_is_missing_all_the_same(whole: HistoryReport, folded: HistoryReport) -> None:
    missing = ("E202", "event/build_finished/bk-7")
    assert missing in [(gap.code, gap.log_id) for gap in whole.gaps]
    assert folded.gaps == whole.gaps
    at = dict(zip([gap.log_id for gap in whole.gaps], whole.gap_positions, strict=True))[missing[1]]
    shown = dict(zip([gap.log_id for gap in folded.gaps], folded.gap_positions, strict=True))[missing[1]]
    assert whole.entries[at - 1].log_id == "event/build_triggered/bk-7"
    assert whole.entries[at - 1 : at + 1] == folded.entries[shown - 1 : shown + 1]


def test_the_last_entries_are_shown_with_every_gap(storage: Storage, whole: HistoryReport) -> None:
    tail = view_history(storage, REQUEST_ID, arrangement=Arrangement(tail=3))
    assert tail.entries == whole.entries[-3:]
    assert (tail.total, tail.earlier) == (whole.total, whole.total - 3)
    assert tail.gaps == whole.gaps
    # One belongs long before them, the others at the end.
    assert set(tail.gap_positions) == {0, 3}


def test_a_tail_longer_than_the_history_is_the_history(storage: Storage, whole: HistoryReport) -> None:
    tail = view_history(storage, REQUEST_ID, arrangement=Arrangement(tail=10**6))
    assert tail == whole


def test_the_newest_come_first_with_the_gaps_between_the_same_entries(storage: Storage, whole: HistoryReport) -> None:
    reverse = view_history(storage, REQUEST_ID, arrangement=Arrangement(is_reversed=True))
    assert reverse.entries == whole.entries[::-1]
    size = len(whole.entries)
    places = {gap.log_id: size - place for gap, place in zip(whole.gaps, whole.gap_positions, strict=True)}
    assert {gap.log_id: at for gap, at in zip(reverse.gaps, reverse.gap_positions, strict=True)} == places


def test_folds_are_reversed_with_their_entries(storage: Storage, folded: HistoryReport) -> None:
    reverse = view_history(storage, REQUEST_ID, arrangement=replace(FOLDED, is_reversed=True))
    assert reverse.entries == folded.entries[::-1]
    expected = [Fold(len(folded.entries) - each.end, each.period, each.count) for each in reversed(folded.folds)]
    assert list(reverse.folds) == expected


def test_an_entry_with_a_mark_of_its_own_stands_outside_of_folds() -> None:
    odd = replace(build_triggered_entry(build(1)), id="event/build_triggered/other", timestamp_ms=STARTED_MS + 1000)
    with open_storage("memory://") as factory:
        copy = factory.for_queue(QUEUE)
        copy.bulk.insert([request_row(REQUEST), *(log_row(entry) for entry in entries())])
        copy.bulk.insert([build_row(build(number)) for number in range(BUILDS)])
        copy.bulk.insert([log_row(odd)])
        report = view_history(copy, REQUEST_ID, arrangement=FOLDED)
    assert odd.id in [entry.log_id for entry in report.entries]
    assert ("H110", odd.id) in [(mark.code, mark.log_id) for mark in report.marks]


def peak_bytes(directory: Path, count: int) -> int:
    """How much memory a folded look at a request of so many like events takes at most."""
    with open_storage(f"sqlite:///{directory / str(count)}.db") as factory:
        factory.admin.create_tables()
        storage = factory.for_queue(QUEUE)
        storage.bulk.insert([request_row(REQUEST)])
        for start in range(0, count, PAGE):
            storage.bulk.insert(
                [
                    RequestLogRow(REQUEST_ID, f"event/sung/{number:06}", STARTED_MS + number, "", "sung", 0, "", "{}")
                    for number in range(start, min(start + PAGE, count))
                ]
            )
        view_history(storage, REQUEST_ID, arrangement=FOLDED)
        tracemalloc.start()
        report = view_history(storage, REQUEST_ID, arrangement=FOLDED)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert report.folds == (Fold(0, 1, count),)
    return peak


def test_memory_does_not_grow_with_what_is_folded(tmp_path: Path) -> None:
    assert peak_bytes(tmp_path, 4 * PAGE) < 1.2 * peak_bytes(tmp_path, 2 * PAGE)


def test_the_last_entries_come_with_their_own_marks_and_the_count_of_all() -> None:
    unknown = RequestLog(QUEUE, "9", "event/sung/1", STARTED_MS, event="sung")
    with open_storage("memory://") as factory:
        copy = factory.for_queue(QUEUE)
        later = [replace(unknown, id=f"event/sung/{number}", timestamp_ms=STARTED_MS + number) for number in range(9)]
        copy.bulk.insert([log_row(entry) for entry in later])
        report = view_history(copy, "9", arrangement=Arrangement(tail=2))
    assert [(mark.code, mark.log_id) for mark in report.marks] == [
        ("H109", "event/sung/7"),
        ("H112", "event/sung/7"),
        ("H109", "event/sung/8"),
        ("H112", "event/sung/8"),
    ]
    assert report.remarks == 18


def test_contradictions_of_states_are_told_also_where_the_states_are_not_shown() -> None:
    ahead = replace(accepted_entry(REQUEST, timestamp_ms=STARTED_MS), id="state/3", request_version=3)
    with open_storage("memory://") as factory:
        copy = factory.for_queue(QUEUE)
        copy.bulk.insert([request_row(REQUEST), log_row(ahead), *(log_row(entry) for entry in entries())])
        report = view_history(copy, REQUEST_ID, arrangement=Arrangement(tail=1))
    assert ("H106", "state/3") in [(mark.code, mark.log_id) for mark in report.marks]


def test_progress_is_told_page_by_page(storage: Storage, whole: HistoryReport) -> None:
    told: list[int] = []
    view_history(storage, REQUEST_ID, progress=told.append)
    assert told == [PAGE, whole.total]
