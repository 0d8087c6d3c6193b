"""Databases of other ages: absent columns read as unknown, absent and obsolete tables are refused by name."""

from collections.abc import Callable
from typing import Any

import pytest

from stovepipe_cli.entities import Queue
from stovepipe_cli.storage.contract import SchemaMismatch, Storage, VersionMismatch
from stovepipe_cli.storage.contract.rows import TABLE_OF, RequestRow, RequestSummaryRow, Row
from stovepipe_cli.storage.contract.tables import REQUEST_SUMMARY, TABLES, Table
from tests.contract.backends import Backend
from tests.contract.samples import (
    NOON_MS,
    ROWS,
    URI,
    Fields,
    a_build,
    a_log,
    a_queue,
    a_queue_summary,
    a_request,
    a_summary,
    an_acceptance,
    an_issue,
    an_occurrence,
)
from tests.contract.specimens import SPECIMENS, Specimen

each_table = pytest.mark.parametrize("row_type", ROWS, ids=lambda row_type: TABLE_OF[row_type].name)


def test_a_request_keeps_what_the_earlier_table_has(earlier: Storage) -> None:
    earlier.requests.create(
        a_request(earlier.queue, build_strategy="full", base_uri="git://base", terminal_build_id="b7")
    )
    assert earlier.requests.get("7") == a_request(earlier.queue)


def test_a_request_of_the_earlier_table_is_updated(earlier: Storage) -> None:
    earlier.requests.create(a_request(earlier.queue))
    changed = a_request(earlier.queue, state="failed", terminal_build_id="b7")
    earlier.requests.update(changed, old_version=1, new_version=2)
    assert earlier.requests.get("7") == a_request(earlier.queue, state="failed", version=2)


def test_an_update_of_nothing_but_absent_columns_still_compares_the_version(earlier: Storage) -> None:
    earlier.requests.create(a_request(earlier.queue))
    with pytest.raises(VersionMismatch):
        earlier.requests.update(a_request(earlier.queue, base_uri="git://b"), old_version=2, new_version=3)


def test_a_queue_keeps_what_the_earlier_table_has(earlier: Storage) -> None:
    assert earlier.queues.get_or_create() == Queue(name=earlier.queue, version=1)
    earlier.queues.update(a_queue(earlier.queue), old_version=1, new_version=2)
    assert earlier.queues.get() == Queue(
        name=earlier.queue, version=2, last_green_uri=URI, in_flight_count=3, latest_request_id="9"
    )


def test_a_summary_keeps_what_the_earlier_table_has(earlier: Storage) -> None:
    earlier.summaries.create(a_summary(earlier.queue))
    unknown: Fields = {
        "accepted_at_ms": 0,
        "outcome_reason": "",
        "project_results_completed_at_ms": 0,
        "project_fact_count": 0,
        "broken_project_fact_count": 0,
    }
    assert earlier.summaries.get("7") == a_summary(earlier.queue, **unknown)
    earlier.summaries.update(a_summary(earlier.queue, state="cancelled"), old_version=1, new_version=2)
    assert earlier.summaries.get("7") == a_summary(earlier.queue, state="cancelled", version=2, **unknown)


def test_a_summary_says_which_fields_the_earlier_table_retains(earlier: Storage) -> None:
    for column in REQUEST_SUMMARY.columns:
        assert earlier.summaries.retains(column.name) == (not column.later)


def test_bulk_rows_keep_what_the_earlier_table_has(earlier: Storage) -> None:
    earlier.bulk.insert(
        [
            RequestRow("7", URI, "failed", "full", "git://b", 3, "b7"),
            RequestSummaryRow("7", URI, "", "failed", 3, NOON_MS, 1, NOON_MS, "build_failed", NOON_MS, 4, 2),
        ]
    )
    with earlier.audit.snapshot() as snapshot:
        assert snapshot.page(RequestRow, limit=9).rows == (RequestRow("7", URI, "failed", "", "", 3, ""),)
        assert snapshot.multi_get(RequestSummaryRow, [("7",)]) == (
            RequestSummaryRow("7", URI, "", "failed", 3, NOON_MS, 1, 0, "", 0, 0, 0),
        )


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_a_view_of_the_earlier_table_lacks_later_columns(earlier: Storage, table: Table) -> None:
    view = earlier.audit.view(table.name)
    assert view is not None
    assert view.columns == {column.name for column in table.columns if not column.later}


@pytest.mark.parametrize("specimen", SPECIMENS, ids=str)
def test_an_absent_table_is_named_by_creation_and_reading(bare: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(SchemaMismatch) as creating:
        specimen.create(bare, specimen.make(bare.queue, "7"))
    with pytest.raises(SchemaMismatch) as reading:
        specimen.get(bare, "7")
    named = {name for name in TABLES if f"'{name}'" in creating.value.message}
    assert len(named) == 1
    assert named == {name for name in TABLES if f"'{name}'" in reading.value.message}


CALLS: dict[str, Callable[[Storage], object]] = {
    "request update": lambda s: s.requests.update(a_request(s.queue), old_version=1, new_version=2),
    "queue get": lambda s: s.queues.get(),
    "queue get_or_create": lambda s: s.queues.get_or_create(),
    "queue update": lambda s: s.queues.update(a_queue(s.queue), old_version=1, new_version=2),
    "build update": lambda s: s.builds.update(a_build(s.queue), old_version=1, new_version=2),
    "summary update": lambda s: s.summaries.update(a_summary(s.queue), old_version=1, new_version=2),
    "fact list": lambda s: s.facts.list_after(URI, None, 9),
    "log list": lambda s: s.request_log.list("7"),
    "log page": lambda s: s.request_log.list_after("7", None, 9),
    "acceptance page": lambda s: s.acceptances.list_before(0, 9, None, 9),
    "acceptance batch": lambda s: s.acceptances.create_missing([an_acceptance(s.queue)]),
    "issue page": lambda s: s.open_issues.list_after(None, 9),
    "issue delete": lambda s: s.open_issues.delete(an_issue(s.queue)),
    "observation page": lambda s: s.build_issues.list_after("b7", None, 9),
    "transition page": lambda s: s.issue_log.list_after("//app:test", "", None, 9),
    "degree page": lambda s: s.facts_by_degree.list_after(URI, None, 9),
    "enablement create": lambda s: s.queue_log.create(an_occurrence(s.queue)),
    "enablement get": lambda s: s.queue_log.get("enablement/1"),
    "enablement page": lambda s: s.queue_log.list_after(0, 9),
    "queue summary create": lambda s: s.queue_summaries.create(a_queue_summary(s.queue)),
    "queue summary get": lambda s: s.queue_summaries.get(),
    "queue summary update": lambda s: s.queue_summaries.update(a_queue_summary(s.queue), old_version=1, new_version=2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_an_absent_table_is_a_schema_mismatch(bare: Storage, call: Callable[[Storage], object]) -> None:
    with pytest.raises(SchemaMismatch):
        call(bare)


@each_table
def test_an_absent_table_cannot_be_audited(bare: Storage, row_type: type[Row]) -> None:
    assert bare.audit.view(TABLE_OF[row_type].name) is None
    with bare.audit.snapshot() as snapshot, pytest.raises(SchemaMismatch):
        snapshot.page(row_type, limit=9)
    with bare.audit.snapshot() as snapshot, pytest.raises(SchemaMismatch):
        snapshot.multi_get(row_type, [("7",)])


@each_table
def test_an_absent_table_takes_no_bulk_rows(bare: Storage, row_type: type[Row]) -> None:
    with pytest.raises(SchemaMismatch):
        bare.bulk.insert(ROWS[row_type])


def test_a_batch_with_rows_of_an_absent_table_writes_nothing(backend: Backend) -> None:
    with backend.database(without_tables=["open_issue"]) as database:
        storage = database.for_queue("main")
        with pytest.raises(SchemaMismatch):
            storage.bulk.insert([*ROWS[RequestRow], *ROWS[next(t for t in ROWS if TABLE_OF[t].name == "open_issue")]])
        with storage.audit.snapshot() as snapshot:
            assert snapshot.page(RequestRow, limit=9).rows == ()
        assert database.checked_out() == 0


def test_other_tables_work_beside_an_absent_one(backend: Backend) -> None:
    with backend.database(without_tables=["request_acceptance", "request_summary"]) as database:
        storage = database.for_queue("main")
        storage.request_log.create(a_log("main"))
        assert storage.request_log.list("7") == (a_log("main"),)
        with storage.audit.snapshot() as snapshot:
            with pytest.raises(SchemaMismatch):
                snapshot.page(RequestSummaryRow, limit=9)
            assert snapshot.page(RequestRow, limit=9).rows == ()
        assert database.checked_out() == 0
