"""The queue's read model follows its log forward, and only forward."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.entities import QueueLog, QueueSummary
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.history.errors import QueueProjectionConflict
from stovepipe_cli.history.queue_projection import (
    MAX_RELOADS,
    newest_occurrence,
    persist_occurrence,
    project_queue,
    repair_queue_summary,
)
from stovepipe_cli.storage.contract import QueueSummaryStore, Storage, VersionMismatch
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.history_databases import embedded_url, storage_with_request
from tests.support.history_samples import QUEUE


def occurrence(sequence: int, state: str = "enabled") -> QueueLog:
    return QueueLog(QUEUE, queue_log_id(sequence), sequence, state, 1000 + sequence)


def storage() -> Storage:
    return MemoryFactory().for_queue(QUEUE)


def test_the_first_occurrence_makes_the_summary() -> None:
    queue = storage()
    assert persist_occurrence(queue, occurrence(1)) == "created"
    assert queue.queue_summaries.get() == QueueSummary(QUEUE, "enabled", 1, 1001, 1, 1)


def test_a_later_occurrence_moves_each_number_by_its_own_rule() -> None:
    queue = storage()
    queue.queue_summaries.create(QueueSummary(QUEUE, "enabled", 4, 1004, 9, 2))
    assert persist_occurrence(queue, occurrence(7, "disabled")) == "advanced"
    assert queue.queue_summaries.get() == QueueSummary(QUEUE, "disabled", 7, 1007, 10, 3)


def test_an_earlier_occurrence_is_retained_and_moves_nothing() -> None:
    queue = storage()
    persist_occurrence(queue, occurrence(5))
    before = queue.queue_summaries.get()
    assert persist_occurrence(queue, occurrence(2, "disabled")) == "none"
    assert queue.queue_summaries.get() == before
    assert queue.queue_log.get("enablement/2").state == "disabled"


def test_a_repetition_keeps_the_first_time_and_changes_nothing() -> None:
    queue = storage()
    persist_occurrence(queue, occurrence(1))
    assert persist_occurrence(queue, replace(occurrence(1), timestamp_ms=9999)) == "none"
    assert queue.queue_summaries.get().state_timestamp_ms == 1001


def test_another_state_under_a_sequence_that_is_taken_is_a_conflict() -> None:
    queue = storage()
    persist_occurrence(queue, occurrence(1))
    with pytest.raises(QueueProjectionConflict):
        persist_occurrence(queue, occurrence(1, "disabled"))
    assert queue.queue_log.get("enablement/1").state == "enabled"


def test_a_summary_that_shows_the_sequence_otherwise_is_never_overwritten() -> None:
    with pytest.raises(QueueProjectionConflict):
        project_queue(QueueSummary(QUEUE, "disabled", 3, 1003, 1, 1), occurrence(3))


def test_a_repair_brings_the_summary_to_the_newest_occurrence_and_then_does_nothing() -> None:
    queue = storage()
    for sequence in (1, 2, 10, 9):
        queue.queue_log.create(occurrence(sequence, "enabled" if sequence % 2 else "disabled"))
    assert repair_queue_summary(queue) == "created"
    assert queue.queue_summaries.get().enablement_sequence == 10
    assert repair_queue_summary(queue) == "none"


def test_a_queue_without_a_log_has_nothing_to_repair() -> None:
    queue = storage()
    assert newest_occurrence(queue) is None
    assert repair_queue_summary(queue) == "none"


@given(order=st.permutations(range(1, 8)))
def test_whatever_the_order_the_newest_occurrence_is_shown(order: list[int]) -> None:
    queue = storage()
    for sequence in order:
        persist_occurrence(queue, occurrence(sequence))
    shown = queue.queue_summaries.get()
    assert (shown.enablement_sequence, shown.state_timestamp_ms) == (7, 1007)


class OvertakenSummaries(QueueSummaryStore):
    """The queue's summary, which another writer moves to the next of `others` whenever it was read."""

    def __init__(self, inner: Storage, others: list[QueueLog]) -> None:
        self._inner = inner
        self._others = others

    def create(self, summary: QueueSummary) -> None:
        self._inner.queue_summaries.create(summary)

    def get(self) -> QueueSummary:
        try:
            return self._inner.queue_summaries.get()
        finally:
            if self._others:
                persist_occurrence(self._inner, self._others.pop(0))

    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        self._inner.queue_summaries.update(summary, old_version=old_version, new_version=new_version)


def overtaken(queue: Storage, *others: QueueLog) -> Storage:
    return replace(queue, queue_summaries=OvertakenSummaries(queue, list(others)))


def test_who_is_overtaken_by_earlier_occurrences_decides_again_and_goes_on_from_them() -> None:
    queue = storage()
    assert persist_occurrence(overtaken(queue, occurrence(1), occurrence(2)), occurrence(5, "disabled")) == "advanced"
    assert queue.queue_summaries.get() == QueueSummary(QUEUE, "disabled", 5, 1005, 3, 3)


def test_who_is_overtaken_by_a_later_occurrence_leaves_it_standing() -> None:
    queue = storage()
    assert persist_occurrence(overtaken(queue, occurrence(9)), occurrence(5, "disabled")) == "none"
    assert queue.queue_summaries.get() == QueueSummary(QUEUE, "enabled", 9, 1009, 1, 1)


def test_who_is_overtaken_without_end_gives_up_and_keeps_the_occurrence() -> None:
    queue = storage()
    others = [occurrence(sequence) for sequence in range(1, MAX_RELOADS + 1)]
    with pytest.raises(VersionMismatch):
        persist_occurrence(overtaken(queue, *others), occurrence(90, "disabled"))
    assert queue.queue_log.get("enablement/90").state == "disabled"
    assert repair_queue_summary(queue) == "advanced"
    assert queue.queue_summaries.get().enablement_sequence == 90


@pytest.mark.parametrize("kind", ["memory", "sqlite", "mariadb"])
def test_many_writers_at_once_leave_every_occurrence_and_show_the_newest(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("mariadb_database") if kind == "mariadb" else embedded_url(kind, tmp_path)
    with storage_with_request(url) as queue, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda sequence: persist_occurrence(queue, occurrence(sequence)), [3, 1, 7, 12, 5, 11, 2, 9]))
        shown, retained = queue.queue_summaries.get(), queue.queue_log.list_after(0, 99)
    assert [entry.sequence for entry in retained] == [1, 2, 3, 5, 7, 9, 11, 12]
    assert (shown.enablement_sequence, shown.state_timestamp_ms) == (12, 1012)
    assert shown.version == shown.projection_version
