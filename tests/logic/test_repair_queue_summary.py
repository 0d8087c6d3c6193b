"""The queue's own summary is moved forward to the newest retained occurrence, and in no other way."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from stovepipe_cli.entities import QueueSummary
from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_digest import plan_document
from stovepipe_cli.repair.plan_file import parse_plan
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.sql_script import columns_of, sql_script
from stovepipe_cli.repair.sql_words import Dialect
from stovepipe_cli.repair.undo_script import undo_script
from stovepipe_cli.reports import RepairPlan, canonical_json
from stovepipe_cli.storage.contract import NotFound, Storage
from stovepipe_cli.storage.contract.rows import QueueLogRow, QueueSummaryRow, Row
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.lifecycles import FIRST_MS, QUEUE, put, succeeded
from tests.support.mariadb import MariaDBServer
from tests.support.repairs import LOOK, Repairs, outcomes
from tests.support.scripts import run_in_mariadb, run_in_sqlite


@dataclass(frozen=True, slots=True)
class Database:
    """A queue, and the client that runs scripts on it."""

    storage: Storage
    dialect: Dialect
    run: Callable[[str], None]

    def repairs(self, *rows: Row) -> Repairs:
        put(self.storage, succeeded(1))
        self.storage.bulk.insert(rows)
        return Repairs(self.storage)


@pytest.fixture(params=["sqlite", "mariadb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "queue.db"
    url = f"sqlite:///{file}" if request.param == "sqlite" else request.getfixturevalue("mariadb_database")
    with open_storage(url) as factory:
        factory.admin.create_tables()
        storage = factory.for_queue(QUEUE)
        if request.param == "sqlite":
            yield Database(storage, "sqlite", lambda script: run_in_sqlite(file, script))
            return
        server: MariaDBServer = request.getfixturevalue("mariadb")
        yield Database(storage, "mysql", lambda script: run_in_mariadb(server, url.rpartition("/")[2], script))


def occurrence(sequence: int, state: str = "enabled") -> QueueLogRow:
    return QueueLogRow(f"enablement/{sequence}", sequence, state, FIRST_MS + sequence, "{}")


def summary(sequence: int, state: str = "enabled", *, at_ms: int | None = None) -> QueueSummaryRow:
    return QueueSummaryRow(state, sequence, FIRST_MS + sequence if at_ms is None else at_ms, 3, 5)


def in_memory(*rows: Row) -> Repairs:
    storage = MemoryFactory(clock=lambda: FIRST_MS).for_queue(QUEUE)
    put(storage, succeeded(1))
    storage.bulk.insert(rows)
    return Repairs(storage)


def shown(storage: Storage) -> QueueSummary | None:
    try:
        return storage.queue_summaries.get()
    except NotFound:
        return None


def statuses(made: RepairPlan) -> list[tuple[str, str, str, bool]]:
    return [(each.action, each.code, each.status, each.is_update) for each in made.entries]


BEHIND = (occurrence(1), occurrence(2, "disabled"), summary(1))
MISSING = (occurrence(1), occurrence(2, "disabled"))


@pytest.mark.parametrize(
    ("rows", "is_update", "versions"), [(BEHIND, True, (4, 6)), (MISSING, False, (1, 1))], ids=["behind", "missing"]
)
def test_it_is_brought_to_the_newest_occurrence_once(
    database: Database, rows: tuple[Row, ...], *, is_update: bool, versions: tuple[int, int]
) -> None:
    repairs = database.repairs(*rows)
    made = repairs.plan()
    assert statuses(made) == [("advance-queue-summary", "Q605", "ready", is_update)]
    dry = repairs.apply(made, ApplyOptions(dry_run=True))
    assert shown(database.storage) == (QueueSummary(QUEUE, "enabled", 1, FIRST_MS + 1, 3, 5) if is_update else None)
    report = repairs.apply(made)
    assert (outcomes(report), report.remaining_findings) == ((1, 0, 0, 0, 0), ())
    assert dry.receipt.written == report.receipt.written
    assert shown(database.storage) == QueueSummary(QUEUE, "disabled", 2, FIRST_MS + 2, *versions)
    assert outcomes(repairs.apply(made, run_id="again")) == (0, 1, 0, 0, 0)
    assert repairs.plan().entries == ()


@pytest.mark.parametrize("rows", [BEHIND, MISSING], ids=["behind", "missing"])
def test_the_script_does_the_same_once_and_nothing_for_other_evidence(
    database: Database, rows: tuple[Row, ...]
) -> None:
    repairs = database.repairs(*rows)
    script = sql_script(repairs.plan(), database.dialect, columns_of(database.storage))
    database.run(script)
    after = shown(database.storage)
    assert (after is not None and after.enablement_sequence, repairs.plan().entries) == (2, ())
    assert after is not None
    moved = replace(after, enablement_sequence=3, version=after.version + 1)
    database.storage.queue_summaries.update(moved, old_version=after.version, new_version=moved.version)
    database.run(script)
    assert shown(database.storage) == moved


def test_only_a_summary_that_was_made_is_taken_back(database: Database) -> None:
    repairs = database.repairs(*MISSING)
    report = repairs.apply(repairs.plan())
    database.run(undo_script(report.receipt.written, QUEUE, database.dialect, columns_of(database.storage)))
    assert shown(database.storage) is None


def test_a_summary_that_was_moved_is_left_where_it_is(database: Database) -> None:
    repairs = database.repairs(*BEHIND)
    report = repairs.apply(repairs.plan())
    after = shown(database.storage)
    database.run(undo_script(report.receipt.written, QUEUE, database.dialect, columns_of(database.storage)))
    assert shown(database.storage) == after


@pytest.mark.parametrize(
    "rows",
    [
        (occurrence(1), occurrence(2), summary(3)),
        (occurrence(1), occurrence(2), summary(2, "disabled")),
        (occurrence(1), occurrence(3), summary(3)),
    ],
    ids=["ahead", "another state", "a gap alone"],
)
def test_nothing_else_is_ever_moved(rows: tuple[Row, ...]) -> None:
    repairs = in_memory(*rows)
    made = repairs.plan()
    assert statuses(made) == [("advance-queue-summary", "Q605", "not-derivable", True)]
    assert made.entries[0].reason
    before = repairs.rows()
    assert outcomes(repairs.apply(made)) == (0, 0, 0, 0, 0)
    assert repairs.rows() == before


def test_a_gap_stays_a_finding_after_the_summary_was_moved() -> None:
    repairs = in_memory(occurrence(1), occurrence(3), summary(1))
    report = repairs.apply(repairs.plan())
    assert outcomes(report) == (1, 0, 0, 0, 0)
    assert [finding.code for finding in report.remaining_findings] == ["Q605"]


def test_a_summary_that_somebody_else_moved_has_drifted_unless_it_shows_the_same() -> None:
    repairs = in_memory(*BEHIND)
    made = repairs.plan()
    other = QueueSummary(QUEUE, "enabled", 9, FIRST_MS + 9, 8, 6)
    repairs.storage.queue_summaries.update(other, old_version=5, new_version=6)
    report = repairs.apply(made)
    assert outcomes(report) == (0, 0, 1, 0, 0)
    assert report.problems[0].startswith("the queue itself, advance-queue-summary: queue summary")
    assert shown(repairs.storage) == other


def test_insert_only_leaves_the_update_out_and_makes_what_is_missing() -> None:
    only = PlanOptions(insert_only=True)
    assert statuses(in_memory(*BEHIND).plan(only)) == [("advance-queue-summary", "Q605", "needs-operator", True)]
    assert statuses(in_memory(*MISSING).plan(only)) == [("advance-queue-summary", "Q605", "ready", False)]


def test_requests_come_first_and_can_be_asked_for_alone() -> None:
    storage = MemoryFactory(clock=lambda: FIRST_MS).for_queue(QUEUE)
    put(storage, succeeded(1), succeeded(2).without("uri"))
    storage.bulk.insert(BEHIND)
    repairs = Repairs(storage)
    assert [each.code for each in repairs.plan().entries] == ["U501", "Q605"]
    assert [each.code for each in repairs.plan(PlanOptions(select=("Q",))).entries] == ["Q605"]
    narrowed = repairs.plan(PlanOptions(request_ids=("request/monorepo/main/2",), verify=LOOK))
    assert [each.code for each in narrowed.entries] == ["U501"]
    assert repairs.apply(repairs.plan(), ApplyOptions(only=("Q605",))).applied == 1


def test_the_plan_survives_its_file() -> None:
    made = in_memory(*MISSING).plan()
    assert parse_plan(canonical_json(plan_document(made)).encode()) == made
