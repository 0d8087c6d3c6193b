"""Persisting converges: whatever fails on the way, in whatever order entries come, however often they are retried."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.history.errors import HistoryConflict, SummaryRequired
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.history.summary_projection import project_all
from stovepipe_cli.storage.contract import Storage, StorageUnavailable
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.faults import Disturbance, Disturbed
from tests.support.history_samples import QUEUE, REQUEST_ID, ManualClock, succeeded_request, whole_history

UNTIMED = whole_history(timed=False)
FAILURES: st.SearchStrategy[Disturbance] = st.sampled_from(["fails", "answer lost"])
PLANS = st.dictionaries(st.integers(1, 60), FAILURES, max_size=20)
PATIENCE = 200
# A busy machine can make any example slow.
PATIENT = settings(deadline=None)
ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = UNTIMED
SHARED_KEYS = [
    (PROCESSING, "base_uri", ""),
    (SUCCEEDED, "base_uri", "other"),
    (SUCCEEDED, "build_id", "other"),
    (FACT, "fact_degree", "1"),
    (PROJECTS, "project_fact_count", "9"),
    (PROJECTS, "broken_project_fact_count", "1"),
]


def fresh_storage() -> Storage:
    storage = MemoryFactory().for_queue(QUEUE)
    storage.requests.create(succeeded_request())
    return storage


def persist_until_done(materializer: Materializer, entries: list[RequestLog]) -> None:
    """Deliver each entry again and again, as the service's queue would, until every one has been taken."""
    waiting = list(entries)
    for _ in range(PATIENCE):
        if not waiting:
            return
        entry = waiting.pop(0)
        try:
            materializer.persist(entry)
        except (StorageUnavailable, SummaryRequired):
            waiting.append(entry)
    raise AssertionError(f"not taken after {PATIENCE} deliveries: {waiting}")


def assert_consistent(storage: Storage) -> None:
    retained = storage.request_log.list(REQUEST_ID)
    assert sorted(entry.id for entry in retained) == sorted(entry.id for entry in UNTIMED)
    summary = storage.summaries.get(REQUEST_ID)
    projected = project_all(None, retained, succeeded_request()).summary
    assert projected
    assert replace(summary, version=1) == projected
    accepted = storage.request_log.get(REQUEST_ID, "state/1")
    mappings = storage.acceptances.list_before(0, 2**62, None, 10)
    assert [(each.accepted_at_ms, each.request_id) for each in mappings] == [(accepted.timestamp_ms, REQUEST_ID)]


@PATIENT
@given(PLANS, st.permutations(UNTIMED))
def test_failures_and_any_order_end_in_the_same_state(plan: dict[int, Disturbance], entries: list[RequestLog]) -> None:
    storage = fresh_storage()
    materializer = Materializer(Disturbed(plan).around(storage), ManualClock(step_ms=1))
    persist_until_done(materializer, entries)
    assert_consistent(storage)


@PATIENT
@given(st.lists(st.sampled_from(UNTIMED), max_size=20), st.permutations(UNTIMED))
def test_repetitions_change_nothing(again: list[RequestLog], entries: list[RequestLog]) -> None:
    storage = fresh_storage()
    materializer = Materializer(storage, ManualClock(step_ms=1))
    persist_until_done(materializer, entries)
    log, summary = storage.request_log.list(REQUEST_ID), storage.summaries.get(REQUEST_ID)
    results = [materializer.persist(entry) for entry in again]
    assert {(each.outcome, each.summary_change) for each in results} <= {("identical_existing", "none")}
    assert (storage.request_log.list(REQUEST_ID), storage.summaries.get(REQUEST_ID)) == (log, summary)
    assert_consistent(storage)


@PATIENT
@given(st.integers(1, 30), st.integers(0, len(UNTIMED) - 1), st.integers(0, len(UNTIMED) - 1))
def test_another_writer_between_any_two_calls_does_no_harm(at_call: int, first: int, second: int) -> None:
    storage, clock = fresh_storage(), ManualClock(step_ms=1)
    other = Materializer(storage, clock)

    def interfere() -> None:
        for entry in (UNTIMED[first], UNTIMED[second]):
            try:
                other.persist(entry)
            except SummaryRequired:
                continue

    materializer = Materializer(Disturbed({at_call: interfere}).around(storage), clock)
    persist_until_done(materializer, list(UNTIMED))
    assert_consistent(storage)


@PATIENT
@given(st.sampled_from(SHARED_KEYS), st.text(max_size=5))
def test_a_contradiction_in_any_shared_key_is_a_conflict_and_writes_nothing(
    shared: tuple[RequestLog, str, str], note: str
) -> None:
    entry, key, value = shared
    storage = fresh_storage()
    materializer = Materializer(storage, ManualClock(step_ms=1))
    persist_until_done(materializer, list(UNTIMED))
    before = storage.request_log.list(REQUEST_ID), storage.summaries.get(REQUEST_ID)
    with pytest.raises(HistoryConflict) as conflict:
        materializer.persist(replace(entry, metadata={**entry.metadata, "note": note, key: value}))
    assert conflict.value.fields == (f"metadata '{key}'",)
    assert (storage.request_log.list(REQUEST_ID), storage.summaries.get(REQUEST_ID)) == before
