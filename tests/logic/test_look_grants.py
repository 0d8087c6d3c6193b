"""The statements for a database administrator, and that they suffice and do no more."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from stovepipe_cli.errors import UsageError
from stovepipe_cli.look.grants import list_grants
from stovepipe_cli.look.queue import show_queue
from stovepipe_cli.storage.contract import AlreadyExists, DatabaseAdmin, Storage, StorageReadOnly, VersionMismatch
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock, check
from tests.support.lifecycles import QUEUE, put, succeeded
from tests.support.mariadb import MariaDBServer

AsRole = Callable[[str], Storage]


def statements(admin: DatabaseAdmin, role: str, account: str = "looker") -> list[str]:
    report = list_grants(lambda: admin, role, account, ledger_database=None)
    return [item.statement for item in report.items]


def no_database() -> DatabaseAdmin:
    raise AssertionError("the database was asked")


@pytest.fixture(params=["every table", "the service's"])
def as_role(request: pytest.FixtureRequest, mariadb: MariaDBServer, mariadb_database: str) -> Iterator[AsRole]:
    """The queue as an account sees it that has the rights of a role alone; half of the deployments lack tables."""
    if request.param != "every table":
        request.getfixturevalue("mariadb_service_database")
    name = mariadb_database.rpartition("/")[2]
    accounts: list[str] = []
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(open_storage(mariadb_database))
        if request.param == "every table":
            database.admin.create_tables()
        put(database.for_queue(QUEUE), succeeded(1), succeeded(2).without("acceptance"))

        def storage(role: str) -> Storage:
            account = mariadb.unused_name("looker")
            mariadb.execute(f"CREATE USER '{account}'@'127.0.0.1'")
            accounts.append(account)
            for statement in statements(database.admin, role, f"{account}@127.0.0.1"):
                mariadb.execute(statement.removesuffix(";"))
            opened = stack.enter_context(open_storage(mariadb.url(name, user=account)))
            return opened.for_queue(QUEUE)

        yield storage
    for account in accounts:
        mariadb.execute(f"DROP USER '{account}'@'127.0.0.1'")


@pytest.mark.parametrize("role", ["audit", "repair"])
def test_the_rights_serve_a_whole_verify_and_a_look(role: str, as_role: AsRole) -> None:
    storage = as_role(role)
    assert [finding.code for finding in check(storage).findings] == ["A401"]
    assert show_queue(storage, StandingClock()).newest_verdict is not None


def test_audit_may_write_nothing(as_role: AsRole) -> None:
    storage = as_role("audit")
    entry = storage.request_log.list(succeeded(1).id)[0]
    summary = storage.summaries.get(entry.request_id)
    with pytest.raises(StorageReadOnly):
        storage.request_log.create(entry)
    with pytest.raises(StorageReadOnly):
        storage.summaries.update(summary, old_version=summary.version, new_version=summary.version + 1)


def test_repair_may_write_what_it_mends_and_nothing_else(as_role: AsRole) -> None:
    storage = as_role("repair")
    life = succeeded(1)
    entry = storage.request_log.list(life.id)[0]
    summary = storage.summaries.get(life.id)
    mapping = storage.acceptances.list_before(0, 2**62, None, 1)[0]
    may: list[Callable[[], object]] = [
        lambda: storage.request_log.create(entry),
        lambda: storage.summaries.create(summary),
        lambda: storage.request_uris.create(storage.request_uris.get(summary.uri)),
        lambda: storage.acceptances.create(mapping),
    ]
    for create in may:
        with pytest.raises(AlreadyExists):
            create()
    with pytest.raises(VersionMismatch):
        storage.summaries.update(summary, old_version=99, new_version=100)
    may_not: list[Callable[[], object]] = [
        lambda: storage.bulk.insert([RequestRow("9", "git://9", "accepted", "", "", 1, "")]),
        lambda: storage.queues.update(storage.queues.get(), old_version=1, new_version=2),
        lambda: storage.builds.update(storage.builds.get("build-1"), old_version=1, new_version=2),
        lambda: storage.facts.create(storage.facts.get(summary.uri)),
    ]
    for refused in may_not:
        with pytest.raises(StorageReadOnly):
            refused()


def test_grants_name_each_table_where_all_are_there(mariadb_database: str) -> None:
    name = mariadb_database.rpartition("/")[2]
    with open_storage(mariadb_database) as factory:
        factory.admin.create_tables()
        assert statements(factory.admin, "audit") == [
            f"GRANT SELECT ON `{name}`.`{table}` TO 'looker'@'%';" for table in TABLES
        ]
        writes = statements(factory.admin, "repair")[len(TABLES) :]
    assert [statement.split(" TO ")[0].replace(f"`{name}`.", "") for statement in writes] == [
        "GRANT INSERT ON `request_uri`",
        "GRANT INSERT, UPDATE ON `queue_summary`",
        "GRANT INSERT ON `request_log`",
        "GRANT INSERT, UPDATE ON `request_summary`",
        "GRANT INSERT ON `request_acceptance`",
    ]


def test_a_grant_on_a_whole_database_is_on_no_other_with_a_similar_name(mariadb_service_database: str) -> None:
    """In such a grant an underscore stands for any character."""
    name = mariadb_service_database.rpartition("/")[2]
    assert "_" in name
    with open_storage(mariadb_service_database) as factory:
        report = list_grants(lambda: factory.admin, "audit", "looker", ledger_database=None)
    escaped = name.replace("_", r"\_")
    assert [item.statement for item in report.items] == [f"GRANT SELECT ON `{escaped}`.* TO 'looker'@'%';"]
    assert "queue_log, queue_summary, build_issue, open_issue" in report.notes[0]


def test_the_ledger_has_a_database_of_its_own_and_the_service_is_not_asked() -> None:
    for database, named in ((None, r"stovepipe\_ledger"), ("ops", "ops")):
        report = list_grants(no_database, "ledger", "writer@10.%", ledger_database=database)
        (item,) = report.items
        assert item.statement.endswith(f" ON `{named}`.* TO 'writer'@'10.%';")


@pytest.mark.parametrize(
    ("account", "quoted"),
    [("a", "'a'@'%'"), ("a@b", "'a'@'b'"), ("a@b@c", "'a@b'@'c'"), ("o'k@h\\", "'o''k'@'h\\\\'")],
)
def test_accounts_are_quoted(account: str, quoted: str) -> None:
    report = list_grants(no_database, "ledger", account, ledger_database=None)
    assert report.items[0].statement.endswith(f"TO {quoted};")


@pytest.mark.parametrize(("role", "account"), [("admin", "a"), ("audit", ""), ("audit", "@h"), ("audit", "a@")])
def test_what_cannot_be_granted_is_a_usage_error(role: str, account: str) -> None:
    with pytest.raises(UsageError):
        list_grants(no_database, role, account, ledger_database=None)


def test_an_embedded_database_has_no_accounts() -> None:
    report = list_grants(lambda: MemoryFactory().admin, "audit", "a", ledger_database=None)
    assert (report.items, len(report.notes)) == ((), 1)
