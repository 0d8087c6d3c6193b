"""Tables as older deployments have them, on either kind of database: what is absent reads as unknown."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.entities import Queue
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage, StorageFactory, VersionMismatch
from stovepipe_cli.storage.contract.rows import RequestRow, RequestSummaryRow
from stovepipe_cli.storage.open import open_storage
from tests.contract.paging import walk
from tests.contract.samples import (
    NOON_MS,
    URI,
    a_log,
    a_mapping,
    a_request,
    a_summary,
    a_transition,
    an_acceptance,
    an_observation,
    an_occurrence,
)
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import Table, service_tables

STRATEGY = ("build_strategy", "base_uri")
LATER_SUMMARY = ("accepted_at_ms", "outcome_reason")


class SQLiteDeployment:
    """A file that the service's tables are in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.factory: StorageFactory = open_storage(f"sqlite:///{path}")

    def create(self, tables: list[Table]) -> None:
        for table in tables:
            for statement in table.statements("sqlite"):
                self.execute(statement)

    def execute(self, sql: str) -> list[tuple[object, ...]]:
        with contextlib.closing(sqlite3.connect(self._path)) as connection, connection:
            return connection.execute(sql).fetchall()


class MariaDBDeployment:
    """A database that the service's tables are in."""

    def __init__(self, server: MariaDBServer, url: str) -> None:
        self._server = server
        self._name = url.rpartition("/")[2]
        self.factory: StorageFactory = open_storage(url)

    def create(self, tables: list[Table]) -> None:
        for table in tables:
            for statement in table.statements("mysql"):
                self.execute(statement)

    def execute(self, sql: str) -> list[tuple[object, ...]]:
        return self._server.execute(sql, database=self._name)


Deployment = SQLiteDeployment | MariaDBDeployment


@pytest.fixture(params=["sqlite", "mariadb"])
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    made: Deployment
    if request.param == "sqlite":
        made = SQLiteDeployment(tmp_path / "service.db")
    else:
        made = MariaDBDeployment(request.getfixturevalue("mariadb"), request.getfixturevalue("mariadb_database"))
    yield made
    assert made.factory.checked_out() == 0, "the test left a connection checked out"
    made.factory.close()


def main(deployment: Deployment) -> Storage:
    return deployment.factory.for_queue("main")


def oldest_request(deployment: Deployment) -> None:
    """The first form of the table, with a request in each of two queues."""
    deployment.create(
        service_tables(request_key=("id",), without_columns={"request": (*STRATEGY, "terminal_build_id")})
    )
    for queue, request_id in (("main", "1"), ("other", "2"), ("main", "3")):
        deployment.execute(
            "INSERT INTO request (queue, id, uri, state, version) "
            f"VALUES ('{queue}', '{request_id}', '{URI}', 'accepted', 1)"
        )


def test_the_oldest_requests_are_read_within_their_queue(deployment: Deployment) -> None:
    oldest_request(deployment)
    storage = main(deployment)
    assert storage.requests.get("3") == a_request("main", "3")
    with pytest.raises(NotFound):
        storage.requests.get("2")
    with storage.audit.snapshot() as snapshot:
        rows = snapshot.page(RequestRow, limit=9).rows
        assert rows == (
            RequestRow("1", URI, "accepted", "", "", 1, ""),
            RequestRow("3", URI, "accepted", "", "", 1, ""),
        )
        assert snapshot.multi_get(RequestRow, [("1",), ("2",)]) == rows[:1]


def test_the_oldest_requests_are_updated_without_what_the_table_lacks(deployment: Deployment) -> None:
    oldest_request(deployment)
    changed = a_request("main", "1", state="failed", build_strategy="full", base_uri="git://b", terminal_build_id="b7")
    main(deployment).requests.update(changed, old_version=1, new_version=2)
    assert main(deployment).requests.get("1") == a_request("main", "1", state="failed", version=2)
    assert deployment.execute("SELECT state, version FROM request WHERE queue = 'other'") == [("accepted", 1)]


def test_the_oldest_requests_of_another_queue_are_not_updated(deployment: Deployment) -> None:
    oldest_request(deployment)
    with pytest.raises(VersionMismatch):
        main(deployment).requests.update(a_request("main", "2", state="failed"), old_version=1, new_version=2)
    assert deployment.execute("SELECT state, version FROM request WHERE id = '2'") == [("accepted", 1)]


def test_an_id_of_another_queue_is_refused_by_the_oldest_key(deployment: Deployment) -> None:
    oldest_request(deployment)
    with pytest.raises(SchemaMismatch, match="keyed without its queue"):
        main(deployment).requests.create(a_request("main", "2"))


def test_a_build_that_ended_a_request_is_null_until_it_is_known(deployment: Deployment) -> None:
    deployment.create(service_tables())
    storage = main(deployment)
    deployment.execute(
        "INSERT INTO request (queue, id, uri, state, version, terminal_build_id) "
        f"VALUES ('main', '7', '{URI}', 'processing', 2, NULL)"
    )
    assert storage.requests.get("7").terminal_build_id == ""
    storage.requests.update(a_request("main", state="processing"), old_version=2, new_version=3)
    assert deployment.execute("SELECT terminal_build_id, version FROM request") == [(None, 3)]
    storage.requests.update(a_request("main", state="failed", terminal_build_id="b7"), old_version=3, new_version=4)
    assert deployment.execute("SELECT terminal_build_id, version FROM request") == [("b7", 4)]


def test_an_early_summary_keeps_what_its_table_has(deployment: Deployment) -> None:
    deployment.create(service_tables(without_columns={"request_summary": LATER_SUMMARY}))
    storage = main(deployment)
    storage.summaries.create(a_summary("main"))
    known = a_summary(
        "main",
        accepted_at_ms=0,
        outcome_reason="",
        project_results_completed_at_ms=0,
        project_fact_count=0,
        broken_project_fact_count=0,
    )
    assert storage.summaries.get("7") == known
    assert not any(storage.summaries.retains(name) for name in (*LATER_SUMMARY, "project_fact_count"))
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestSummaryRow, limit=1).rows[0].accepted_at_ms == 0


def test_without_the_acceptance_table_its_store_says_so_and_the_others_work(deployment: Deployment) -> None:
    deployment.create(service_tables(without_tables=["request_acceptance"]))
    storage = main(deployment)
    for use in (
        lambda: storage.acceptances.create(an_acceptance("main")),
        lambda: storage.acceptances.list_before(0, NOON_MS, None, 9),
    ):
        with pytest.raises(SchemaMismatch, match="'request_acceptance'"):
            use()
    assert storage.audit.view("request_acceptance") is None
    storage.summaries.create(a_summary("main"))
    assert storage.summaries.get("7") == a_summary(
        "main", project_results_completed_at_ms=0, project_fact_count=0, broken_project_fact_count=0
    )


def test_the_obsolete_log_is_neither_read_nor_written(deployment: Deployment) -> None:
    deployment.create(service_tables(obsolete_request_log=True))
    storage = main(deployment)
    for use in (
        lambda: storage.request_log.list("7"),
        lambda: storage.request_log.list_after("7", None, 9),
        lambda: storage.request_log.get("7", "state/1"),
        lambda: storage.request_log.create(a_log("main")),
        lambda: storage.audit.view("request_log"),
    ):
        with pytest.raises(SchemaMismatch, match="obsolete"):
            use()
    assert deployment.execute("SELECT COUNT(*) FROM request_log") == [(0,)]


def test_a_queue_without_enablement_columns_reads_as_unknown(deployment: Deployment) -> None:
    deployment.create(service_tables())
    storage = main(deployment)
    row = storage.queues.get_or_create()
    assert (row.enablement_state, row.enablement_sequence) == ("", 0)
    storage.queues.update(
        Queue("main", 1, in_flight_count=2, enablement_state="enabled", enablement_sequence=3),
        old_version=1,
        new_version=2,
    )
    assert storage.queues.get() == Queue("main", 2, in_flight_count=2)


def test_tables_of_issues_degrees_and_enablement_may_all_be_absent(deployment: Deployment) -> None:
    deployment.create(service_tables())
    storage = main(deployment)
    for table, use in (
        ("build_issue", lambda: storage.build_issues.create(an_observation("main"))),
        ("issue_log", lambda: storage.issue_log.create(a_transition("main"))),
        ("queue_log", lambda: storage.queue_log.create(an_occurrence("main"))),
        ("queue_summary", storage.queue_summaries.get),
        ("project_fact_by_degree", lambda: storage.facts_by_degree.list_after(URI, None, 9)),
    ):
        with pytest.raises(SchemaMismatch, match=f"'{table}'"):
            use()
    absent = {each.table: each.harmless for each in deployment.factory.admin.drift() if each.kind == "table-absent"}
    assert absent == dict.fromkeys(
        ("build_issue", "issue_log", "open_issue", "project_fact_by_degree", "queue_log", "queue_summary"), True
    )


def test_pages_keep_byte_order_where_a_deployment_made_the_keys_text(deployment: Deployment) -> None:
    deployment.execute(
        "CREATE TABLE project_fact_by_degree (queue VARCHAR(100) NOT NULL, uri VARCHAR(100) NOT NULL, "
        "degree DOUBLE NOT NULL, project VARCHAR(100) NOT NULL, PRIMARY KEY (queue, uri, degree, project))"
    )
    deployment.execute(
        "CREATE TABLE build_issue (queue VARCHAR(100) NOT NULL, build_id VARCHAR(100) NOT NULL, "
        "task_id VARCHAR(100) NOT NULL, unit_id VARCHAR(100) NOT NULL, "
        "PRIMARY KEY (queue, build_id, task_id, unit_id))"
    )
    storage, respelled = main(deployment), deployment.factory.for_queue("MAIN")
    for project in ("b", "C", "a", "D"):
        storage.facts_by_degree.create(a_mapping("main", 0.5, project))
        storage.build_issues.create(an_observation("main", "b7", project))
    respelled.facts_by_degree.create(a_mapping("MAIN", 0.5, "e"))
    storage.facts_by_degree.create(a_mapping("main", 1.0, "z"))
    storage.facts_by_degree.create(a_mapping("main", 0.5, "x", URI.upper()))
    storage.build_issues.create(an_observation("main", "B7", "x"))
    for size in (1, 2, 9):
        mappings = walk(
            lambda after, limit: storage.facts_by_degree.list_after(URI, after, limit),
            lambda mapping: (mapping.degree, mapping.project),
            size,
        )
        assert [mapping.project for mapping in mappings] == ["z", "C", "D", "a", "b"]
        observations = walk(
            lambda after, limit: storage.build_issues.list_after("b7", after, limit),
            lambda issue: (issue.task_id, issue.unit_id),
            size,
        )
        assert [issue.task_id for issue in observations] == ["C", "D", "a", "b"]
