"""Databases as deployments of the service have them: older keys, NULLs, other designs, and default collations."""

import contextlib
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.contract import Drift, NotFound, SchemaMismatch, StorageFactory
from stovepipe_cli.storage.contract.rows import RequestRow, RequestSummaryRow
from stovepipe_cli.storage.open import open_storage
from tests.contract.samples import a_log, a_request, a_summary
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables

REQUEST = "INSERT INTO request (queue, id, uri, state, version) VALUES (%s, %s, 'git://c', 'accepted', 1)"


class Deployment:
    """A database of the service, and our storage on it."""

    def __init__(self, server: MariaDBServer, url: str) -> None:
        self.server = server
        self.name = url.rpartition("/")[2]
        self.factory: StorageFactory = open_storage(url)

    def execute(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        return self.server.execute(sql, values or None, database=self.name)

    def create(self, **options: object) -> None:
        with contextlib.closing(self.server.connect(self.name)) as connection:
            create_service_tables(connection, "mysql", **options)  # type: ignore[arg-type]  # the options of one call

    def drift(self, *kinds: str) -> list[Drift]:
        return [each for each in self.factory.admin.drift() if each.kind in kinds]


@pytest.fixture
def deployment(mariadb: MariaDBServer, mariadb_database: str) -> Iterator[Deployment]:
    deployment = Deployment(mariadb, mariadb_database)
    yield deployment
    assert deployment.factory.checked_out() == 0, "the test left a connection checked out"
    deployment.factory.close()


def test_requests_keyed_by_id_alone_are_read_within_their_queue(deployment: Deployment) -> None:
    deployment.create(request_key=("id",))
    for queue, request_id in (("a", "1"), ("b", "2"), ("a", "3")):
        deployment.execute(REQUEST, queue, request_id)
    storage = deployment.factory.for_queue("a")
    assert storage.requests.get("3").uri == "git://c"
    with pytest.raises(NotFound):
        storage.requests.get("2")
    with storage.audit.snapshot() as snapshot:
        assert [row.id for row in snapshot.page(RequestRow, limit=9).rows] == ["1", "3"]
        assert [row.id for row in snapshot.multi_get(RequestRow, [("1",), ("2",)])] == ["1"]
    assert deployment.factory.directory.list_after(None, 9) == ("a", "b")


def test_requests_keyed_by_id_alone_are_updated_within_their_queue(deployment: Deployment) -> None:
    deployment.create(request_key=("id",))
    deployment.execute(REQUEST, "a", "1")
    deployment.factory.for_queue("a").requests.update(
        a_request("a", "1", state="processing"), old_version=1, new_version=2
    )
    assert deployment.execute("SELECT queue, state, version FROM request") == [("a", "processing", 2)]


def test_an_id_that_another_queue_has_in_a_table_keyed_by_it_is_told_as_the_keys_fault(deployment: Deployment) -> None:
    deployment.create(request_key=("id",))
    deployment.execute(REQUEST, "a", "1")
    with pytest.raises(SchemaMismatch, match="keyed without its queue"):
        deployment.factory.for_queue("b").requests.create(a_request("b", "1"))
    assert [(each.expected, each.found, each.harmless) for each in deployment.drift("key-differs")] == [
        ("queue, id", "id", True)
    ]


def test_null_reads_as_unknown_and_unknown_is_left_null(deployment: Deployment) -> None:
    deployment.create(project_results=True)
    storage = deployment.factory.for_queue("main")
    unknown = a_summary("main", project_results_completed_at_ms=0, project_fact_count=0, broken_project_fact_count=0)
    storage.summaries.create(unknown)
    assert deployment.execute("SELECT project_results_completed_at_ms, project_fact_count FROM request_summary") == [
        (None, None)
    ]
    assert storage.summaries.get("7") == unknown
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestSummaryRow, limit=1).rows[0].project_fact_count == 0


def test_what_is_known_is_written_to_a_nullable_column(deployment: Deployment) -> None:
    deployment.create()
    storage = deployment.factory.for_queue("main")
    storage.requests.create(a_request("main"))
    storage.requests.update(a_request("main", state="failed", terminal_build_id="b7"), old_version=1, new_version=2)
    assert deployment.execute("SELECT terminal_build_id FROM request") == [("b7",)]


def test_the_obsolete_log_is_refused_and_told_by_check(deployment: Deployment) -> None:
    deployment.create(obsolete_request_log=True)
    storage = deployment.factory.for_queue("main")
    for use in (
        lambda: storage.request_log.list("7"),
        lambda: storage.request_log.create(a_log("main")),
        lambda: storage.audit.view("request_log"),
    ):
        with pytest.raises(SchemaMismatch, match="obsolete"):
            use()
    assert [(each.table, each.harmless) for each in deployment.drift("table-obsolete")] == [("request_log", False)]


def test_the_message_queues_database_is_refused_with_a_hint(deployment: Deployment) -> None:
    deployment.execute("CREATE TABLE queue_messages (id VARCHAR(255) PRIMARY KEY)")
    for use in (
        lambda: deployment.factory.for_queue("main").requests.get("7"),
        lambda: deployment.factory.directory.list_after(None, 5),
        deployment.factory.admin.create_tables,
        deployment.factory.admin.drift,
    ):
        with pytest.raises(SchemaMismatch, match="message-queue database") as caught:
            use()
        assert caught.value.hint
    assert deployment.factory.admin.ping().backend == "mysql"


def test_a_column_that_is_dropped_while_in_use_is_noticed(deployment: Deployment) -> None:
    deployment.create()
    storage = deployment.factory.for_queue("main")
    storage.requests.create(a_request("main", base_uri="git://b"))
    deployment.execute("ALTER TABLE request DROP COLUMN base_uri")
    assert storage.requests.get("7") == a_request("main")


def test_only_collations_and_what_came_later_drift_in_the_services_own_tables(deployment: Deployment) -> None:
    deployment.create(project_results=True)
    drift = deployment.factory.admin.drift()
    assert {each.kind for each in drift} == {"collation-not-byte-exact", "column-absent", "table-absent"}
    assert all(each.harmless for each in drift)
    assert {(each.table, each.column) for each in drift if each.kind == "column-absent"} == {
        ("queue", "enablement_state"),
        ("queue", "enablement_sequence"),
    }
    assert ("request", "id", "utf8mb4_general_ci") in {
        (each.table, each.column, each.found) for each in drift if each.kind == "collation-not-byte-exact"
    }


@pytest.mark.parametrize(
    ("change", "column", "found", "harmless"),
    [
        ("MODIFY uri VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL", "uri", "varchar(100)", False),
        ("MODIFY uri VARCHAR(500) COLLATE utf8mb4_nopad_bin NOT NULL", "uri", "varchar(500)", True),
        ("MODIFY version BIGINT NOT NULL", "version", "bigint", True),
        ("MODIFY version SMALLINT NOT NULL", "version", "smallint", False),
    ],
)
def test_a_type_is_harmless_where_it_takes_every_value(
    deployment: Deployment, change: str, column: str, found: str, *, harmless: bool
) -> None:
    deployment.factory.admin.create_tables()
    assert deployment.factory.admin.drift() == ()
    deployment.execute(f"ALTER TABLE request {change}")
    assert [(each.kind, each.column, each.found, each.harmless) for each in deployment.factory.admin.drift()] == [
        ("column-type", column, found, harmless)
    ]


@pytest.mark.parametrize(
    ("rest", "harmless"), [("INT NULL", True), ("INT NOT NULL DEFAULT 5", True), ("INT NOT NULL", False)]
)
def test_an_unknown_column_is_harmless_where_it_need_not_be_named(
    deployment: Deployment, rest: str, *, harmless: bool
) -> None:
    deployment.factory.admin.create_tables()
    deployment.execute(f"ALTER TABLE request ADD COLUMN priority {rest}")
    assert deployment.factory.admin.drift() == (Drift("column-unknown", "request", "priority", "", "int", harmless),)
