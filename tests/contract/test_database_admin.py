"""The database as such: creation that never alters, drift that is told, and a server that answers."""

from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.tables import TABLES
from tests.contract.backends import Backend
from tests.contract.samples import a_request, a_summary


def test_a_bare_database_lacks_every_table(bare_database: StorageFactory) -> None:
    drift = bare_database.admin.drift()
    assert [(each.kind, each.table) for each in drift] == [("table-absent", name) for name in sorted(TABLES)]


def test_an_absent_table_is_harmless_where_deployments_may_lack_it(bare_database: StorageFactory) -> None:
    harmless = {each.table for each in bare_database.admin.drift() if each.harmless}
    assert harmless == {table.name for table in TABLES.values() if not table.expected}


def test_an_absent_later_column_is_told_and_harmless(earlier_database: StorageFactory) -> None:
    absent = {
        (each.table, each.column, each.harmless)
        for each in earlier_database.admin.drift()
        if each.kind == "column-absent"
    }
    assert absent == {
        (table.name, column.name, True) for table in TABLES.values() for column in table.columns if column.later
    }


def test_drift_is_in_order_of_table_and_column(earlier_database: StorageFactory) -> None:
    places = [(each.table, each.column) for each in earlier_database.admin.drift()]
    assert places == sorted(places)


def test_a_whole_database_lacks_nothing(factory: StorageFactory) -> None:
    assert not [each for each in factory.admin.drift() if each.kind in {"table-absent", "column-absent"}]


def test_absent_tables_are_created_in_order_and_the_rest_is_left_alone(backend: Backend) -> None:
    absent = {"open_issue", "request_acceptance", "build_issue"}
    with backend.database(without_tables=absent, without_columns={"request": ["base_uri"]}) as database:
        storage = database.for_queue("main")
        storage.requests.create(a_request("main"))
        assert database.admin.create_tables() == tuple(name for name in TABLES if name in absent)
        assert database.admin.create_tables() == ()
    assert storage.requests.get("7") == a_request("main")


def test_created_tables_can_be_used_at_once(backend: Backend) -> None:
    with backend.database(without_tables=list(TABLES)) as database:
        storage = database.for_queue("main")
        assert database.admin.create_tables() == tuple(TABLES)
        storage.summaries.create(a_summary("main"))
        assert storage.summaries.get("7") == a_summary("main")
        assert database.admin.drift() == ()


def test_the_fingerprint_is_the_same_for_the_same_tables(factory: StorageFactory) -> None:
    fingerprint = factory.admin.schema_fingerprint()
    assert fingerprint.startswith("sha256:")
    assert fingerprint == factory.admin.schema_fingerprint()


def test_the_fingerprint_tells_schemas_apart(
    factory: StorageFactory, earlier_database: StorageFactory, bare_database: StorageFactory
) -> None:
    prints = {each.admin.schema_fingerprint() for each in (factory, earlier_database, bare_database)}
    assert len(prints) == 3


def test_the_server_says_who_it_is(factory: StorageFactory) -> None:
    first, second = factory.admin.ping(), factory.admin.ping()
    assert first.backend
    assert first.server_version
    assert first.identity
    assert not first.read_only
    assert (first.identity, first.database, first.driver) == (second.identity, second.database, second.driver)
    assert first.now_ms <= second.now_ms


def test_each_database_has_an_identity_of_its_own(factory: StorageFactory, bare_database: StorageFactory) -> None:
    assert factory.admin.ping().identity != bare_database.admin.ping().identity


def test_closing_twice_is_allowed(backend: Backend) -> None:
    database = backend.database()
    database.close()
    database.close()
    assert database.checked_out() == 0
