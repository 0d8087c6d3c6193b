"""What holds of every repair, whatever was lost."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.history.reconciliation import differing_fields
from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.reports import RepairPlan
from stovepipe_cli.storage.contract import Storage, StorageFactory, mapping
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
    key_of,
)
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock
from tests.support.lifecycles import LONG_AFTER_MS, QUEUE, Life, healthy, queue_row_of
from tests.support.mariadb import MariaDBServer
from tests.support.repairs import Repairs, number
from tests.support.row_dump import Dump
from tests.support.service_tables import create_service_tables

HISTORY = (RequestLogRow, RequestSummaryRow, RequestAcceptanceRow, RequestURIRow)
EVIDENCE = (BuildRow, ValidationFactRow)
LATER_COLUMNS = {
    table.name: frozenset(column.name for column in table.columns if column.later) for table in TABLES.values()
}
SINCE_THE_FIRST = VerifyOptions(settle_ms=0, min_age_ms=0, history_since=number(1))
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@dataclass
class Loss:
    """A queue, its rows before anything was lost, and those that were left."""

    repairs: Repairs
    whole: Dump
    left: Dump

    def deleted_log(self) -> Mapping[tuple[str, str], RequestLogRow]:
        return {
            (row.request_id, row.log_id): row
            for place, row in self.whole.items()
            if isinstance(row, RequestLogRow) and place not in self.left
        }


@pytest.fixture(params=["sqlite", "mariadb", "mariadb-service-tables"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageFactory]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'repair.db'}"
    elif request.param == "mariadb":
        url = request.getfixturevalue("mariadb_database")
    else:
        server: MariaDBServer = request.getfixturevalue("mariadb")
        url = request.getfixturevalue("mariadb_database")
        with contextlib.closing(server.connect(url.rpartition("/")[2])) as connection:
            create_service_tables(connection, "mysql", project_results=True)
    with open_storage(url) as factory:
        if request.param != "mariadb-service-tables":
            factory.admin.create_tables()
        yield factory


def lose(
    seed: int, share: float, *, evidence: bool = False, older: bool = False, storage: Storage | None = None
) -> Loss:
    """Rows go at random; an `older` database has none of the later columns, and no acceptance mappings."""
    random = Random(seed)  # noqa: S311 - reproducible damage, no secret
    lives = healthy(18)
    for life in lives:
        complete_projects(life)
        if life.builds and random.random() < 0.5:
            name_deciding_build(life)
        if life.builds and random.random() < 0.3:
            life.build(f"{min(life.builds)}-again", random.choice(("running", "cancelled", "failed")))
    rows: list[Row] = [row for life in lives for row in life.rows()]
    rows.append(queue_row_of(lives)._replace(last_green_request_id="") if older else queue_row_of(lives))
    if older:
        rows = [as_older(row) for row in rows if not isinstance(row, RequestAcceptanceRow)]
    kinds = (*HISTORY, *EVIDENCE) if evidence else HISTORY
    left = [row for row in rows if not isinstance(row, kinds) or random.random() >= share]
    if storage is None:
        storage = MemoryFactory(
            clock=lambda: LONG_AFTER_MS,
            absent_columns=LATER_COLUMNS if older else {},
            absent_tables=frozenset({"request_acceptance"}) if older else frozenset(),
        ).for_queue(QUEUE)
    storage.bulk.insert(left)
    return Loss(Repairs(storage, StandingClock(), SINCE_THE_FIRST), dump(rows), dump(left))


def name_deciding_build(life: Life) -> None:
    """The newest service's note of the build that ended a request, in its row and in its entry."""
    assert life.request is not None
    build = next(iter(life.builds.values()))
    if build.status != life.request.state:
        return
    life.change_request(terminal_build_id=build.id)
    log_id = f"state/{life.request.version}"
    metadata = {**(mapping.parse_metadata(life.log[log_id].metadata) or {}), "build_id": build.id}
    life.change_entry(log_id, metadata=mapping.metadata_text(metadata))


def as_older(row: Row) -> Row:
    """The row as a database without the later columns gives it."""
    if isinstance(row, RequestRow):
        return row._replace(build_strategy="", base_uri="", terminal_build_id="")
    if isinstance(row, RequestSummaryRow):
        return row._replace(
            accepted_at_ms=0,
            outcome_reason="",
            project_results_completed_at_ms=0,
            project_fact_count=0,
            broken_project_fact_count=0,
        )
    return row


def complete_projects(life: Life) -> None:
    """The newest service's projection of project results."""
    recorded = life.log.get("event/project_facts_recorded/all")
    if recorded is not None:
        facts = [fact for fact in life.facts if fact.project]
        life.change_summary(
            project_results_completed_at_ms=recorded.timestamp_ms,
            project_fact_count=len(facts),
            broken_project_fact_count=sum(fact.degree > 0 for fact in facts),
        )


def dump(rows: list[Row]) -> Dump:
    return {(TABLE_OF[type(row)].name, key_of(row)): row for row in rows}


def reasons(loss: Loss) -> dict[str, str]:
    """What an operator who remembers would answer."""
    return {
        row.request_id: row.outcome_reason
        for row in loss.whole.values()
        if isinstance(row, RequestLogRow) and row.state == "failed"
    }


def assert_nothing_wrong(loss: Loss, made: RepairPlan) -> None:
    after = loss.repairs.rows()
    assert after.keys() <= loss.whole.keys(), "a row appeared that was never there"
    named = {("request_summary", (entry.request_id,)) for entry in made.entries if entry.action == "advance-summary"}
    changed = {place for place, row in loss.left.items() if after[place] != row}
    assert changed <= named, "a row changed that the plan does not name"
    sources = {
        (entry.request_id, entry.log_id): entry.timestamp_source
        for entry in made.entries
        if entry.action == "create-log" and entry.status == "ready"
    }
    deleted = loss.deleted_log()
    for (table, key), row in after.items():
        if (table, key) in loss.left:
            continue
        if isinstance(row, RequestLogRow):
            lost = deleted[row.request_id, row.log_id]
            assert differing_fields(mapping.log_from(QUEUE, row), mapping.log_from(QUEUE, lost)) == ()
            if sources[row.request_id, row.log_id] == "retention":
                assert row.timestamp_ms == LONG_AFTER_MS
            else:
                assert row.timestamp_ms == lost.timestamp_ms
        elif isinstance(row, RequestSummaryRow):
            assert_summary_is_true(row, loss)
        else:
            assert row == loss.whole[table, key]


def assert_summary_is_true(row: RequestSummaryRow, loss: Loss) -> None:
    was = loss.whole["request_summary", (row.request_id,)]
    assert isinstance(was, RequestSummaryRow)
    assert row.uri == was.uri
    assert row.accepted_at_ms in (0, was.accepted_at_ms)
    assert row.request_version <= was.request_version
    assert row.project_fact_count in (0, was.project_fact_count)
    if row.request_version == was.request_version:
        assert (row.state, row.base_uri, row.outcome_reason) == (was.state, was.base_uri, was.outcome_reason)
        assert row.state_timestamp_ms in (was.state_timestamp_ms, LONG_AFTER_MS)


def assert_the_service_accepts(loss: Loss) -> None:
    """Replaying what the service would write finds every entry, and no conflict."""
    materializer = Materializer(loss.repairs.storage, StandingClock())
    after = loss.repairs.rows()
    for row in loss.whole.values():
        if not isinstance(row, RequestLogRow) or ("request_log", key_of(row)) not in after:
            continue
        if row.state or ("request_summary", (row.request_id,)) in after:
            assert materializer.persist(mapping.log_from(QUEUE, row)).outcome == "identical_existing"
    assert loss.repairs.rows() == after, "the service had something left to write"


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.1, 0.3, 0.6, 0.95)), leave=st.booleans())
def test_what_is_inserted_is_what_was_lost(seed: int, share: float, leave: bool) -> None:  # noqa: FBT001 - drawn
    loss = lose(seed, share)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=leave, failed_reasons=reasons(loss) if leave else {}))
    report = loss.repairs.apply(made)
    assert (report.drifted, report.conflicts, report.failed, report.stopped_because) == (0, 0, 0, None)
    assert_nothing_wrong(loss, made)
    assert_the_service_accepts(loss)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_holds_on_databases(database: StorageFactory, seed: int) -> None:
    loss = lose(seed, 0.5, storage=database.for_queue(QUEUE))
    made = loss.repairs.plan(PlanOptions(allow_retention_time=True, failed_reasons=reasons(loss)))
    report = loss.repairs.apply(made)
    assert (report.drifted, report.conflicts, report.failed, report.stopped_because) == (0, 0, 0, None)
    assert report.applied > 0
    assert_nothing_wrong(loss, made)
    assert_the_service_accepts(loss)
    assert (loss.repairs.apply(made, run_id="another-run").applied, report.identical) == (0, 0)


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.1, 0.3, 0.6, 0.95)), leave=st.booleans())
def test_nothing_wrong_is_inserted_where_evidence_is_lost_too(seed: int, share: float, leave: bool) -> None:  # noqa: FBT001 - drawn
    loss = lose(seed, share, evidence=True)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=leave))
    report = loss.repairs.apply(made)
    assert (report.drifted, report.conflicts, report.failed, report.stopped_because) == (0, 0, 0, None)
    assert_nothing_wrong(loss, made)


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.2, 0.6)), evidence=st.booleans())
def test_nothing_wrong_is_inserted_into_a_database_without_later_columns(
    seed: int,
    share: float,
    evidence: bool,  # noqa: FBT001 - drawn
) -> None:
    loss = lose(seed, share, evidence=evidence, older=True)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=True))
    report = loss.repairs.apply(made)
    assert (report.drifted, report.conflicts, report.failed, report.stopped_because) == (0, 0, 0, None)
    assert_nothing_wrong(loss, made)


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.2, 0.6)), leave=st.booleans())
def test_nothing_is_left_to_apply_afterwards(seed: int, share: float, leave: bool) -> None:  # noqa: FBT001 - drawn
    loss = lose(seed, share)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=leave))
    first = loss.repairs.apply(made)
    after = loss.repairs.rows()
    again = loss.repairs.apply(made, run_id="another-run")
    anew = loss.repairs.plan(PlanOptions(allow_retention_time=leave))
    assert loss.repairs.rows() == after
    assert (again.applied, again.identical) == (0, first.applied + first.identical)
    assert again.exit_code == 0
    assert [entry for entry in anew.entries if entry.status == "ready"] == []


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.2, 0.6)))
def test_a_dry_run_tells_what_applying_does(seed: int, share: float) -> None:
    loss = lose(seed, share)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=True))
    dry = loss.repairs.apply(made, ApplyOptions(dry_run=True))
    assert loss.repairs.rows() == loss.left
    real = loss.repairs.apply(made)
    assert dry.receipt.written == real.receipt.written
    assert (dry.applied, dry.identical, dry.drifted) == (real.applied, real.identical, real.drifted)


@EXAMPLES
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.2, 0.6)))
def test_an_insert_only_plan_updates_nothing(seed: int, share: float) -> None:
    loss = lose(seed, share)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=True, insert_only=True))
    report = loss.repairs.apply(made)
    after = loss.repairs.rows()
    assert {place: after[place] for place in loss.left} == loss.left
    assert all(written.before is None for written in report.receipt.written)
    assert_nothing_wrong(loss, made)


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_names_every_row_that_applying_writes(seed: int) -> None:
    loss = lose(seed, 0.5)
    made = loss.repairs.plan(PlanOptions(allow_retention_time=True))
    report = loss.repairs.apply(made)
    planned = [(entry.action, entry.request_id) for entry in made.entries if entry.status == "ready"]
    written = [(row.action, str(row.after["request_id"])) for row in report.receipt.written]
    assert written == planned
