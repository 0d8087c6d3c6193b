"""Rows of a writer that names no later column: what it left out, NULL or not, is unknown."""

import pytest

from stovepipe_cli.entities import Queue
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.rows import QueueRow, RequestRow, RequestSummaryRow
from tests.contract.backends import Backend
from tests.contract.samples import NOON_MS, URI, Fields, a_queue, a_request, a_summary

REQUEST = RequestRow("7", URI, "processing", "", "", 2, "")
QUEUE = QueueRow(URI, 3, "9", 5, "", 0, "", 0)
SUMMARY = RequestSummaryRow("7", URI, "", "failed", 3, NOON_MS, 1, 0, "", 0, 0, 0)
UNKNOWN: Fields = {
    "accepted_at_ms": 0,
    "outcome_reason": "",
    "project_results_completed_at_ms": 0,
    "project_fact_count": 0,
    "broken_project_fact_count": 0,
}


def test_a_request_is_read_and_updated(backend: Backend, factory: StorageFactory, queue_name: str) -> None:
    backend.insert_early(factory, queue_name, REQUEST)
    requests = factory.for_queue(queue_name).requests
    assert requests.get("7") == a_request(queue_name, state="processing", version=2)
    changed = a_request(queue_name, state="succeeded", build_strategy="full", terminal_build_id="b7", version=3)
    requests.update(changed, old_version=2, new_version=3)
    assert requests.get("7") == changed


def test_a_queue_is_read_and_updated(backend: Backend, factory: StorageFactory, queue_name: str) -> None:
    backend.insert_early(factory, queue_name, QUEUE)
    queues = factory.for_queue(queue_name).queues
    expected = Queue(queue_name, 5, last_green_uri=URI, in_flight_count=3, latest_request_id="9")
    assert queues.get_or_create() == expected
    queues.update(a_queue(queue_name), old_version=5, new_version=6)
    assert queues.get() == a_queue(queue_name, version=6)


def test_a_summary_is_read_and_updated(backend: Backend, factory: StorageFactory, queue_name: str) -> None:
    backend.insert_early(factory, queue_name, SUMMARY)
    summaries = factory.for_queue(queue_name).summaries
    assert summaries.get("7") == a_summary(queue_name, base_uri="", state_timestamp_ms=NOON_MS, **UNKNOWN)
    summaries.update(a_summary(queue_name), old_version=1, new_version=2)
    assert summaries.get("7") == a_summary(queue_name, version=2)


@pytest.mark.parametrize("row", [REQUEST, QUEUE, SUMMARY], ids=lambda row: type(row).__name__)
def test_an_audit_reads_it_as_unknown(
    backend: Backend, factory: StorageFactory, queue_name: str, row: RequestRow | QueueRow | RequestSummaryRow
) -> None:
    backend.insert_early(factory, queue_name, row)
    with factory.for_queue(queue_name).audit.snapshot() as snapshot:
        assert snapshot.page(type(row), limit=9).rows == (row,)
