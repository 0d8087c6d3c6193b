"""Two versions of the tool on one ledger, and the way from one to the next."""

import contextlib
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract import SchemaMismatch, StorageReadOnly, StorageUnavailable
from stovepipe_cli.storage.ledger.contract import Ledger, LedgerTooNew, LedgerTooOld
from stovepipe_cli.storage.ledger.sql.ledger import SQLLedger
from stovepipe_cli.storage.ledger.sql.versions import Migration, Versions
from stovepipe_cli.storage.ledger.tables import LEDGER_TABLES
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.open import open_ledger
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sqlite import SQLiteBackend
from tests.contract.ledger.raw import RawLedger
from tests.contract.ledger.samples import a_header, a_run
from tests.support.mariadb import MariaDBServer


def add_note(session: Session) -> None:
    """A change that bears to be made twice, as a server's must."""
    session.run("CREATE TABLE IF NOT EXISTS note (id INT NOT NULL, PRIMARY KEY (id))")


NEWER = Versions((Migration(min_reader=1, min_writer=2, apply=add_note),))
EARLIER_URLS = ("sqlite", "mariadb")


@pytest.fixture(params=EARLIER_URLS)
def url(request: pytest.FixtureRequest, tmp_path: Path, mariadb: MariaDBServer) -> str:
    """Where a ledger of version 1 is, with one run."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/ledger.db"
    else:
        url = mariadb.create_database(mariadb.unused_name("versions"))
    with open_ledger(url) as ledger:
        ledger.admin.init()
        ledger.for_queue("main").runs.save(a_run("main"))
    return url


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(url) as ledger:
        ledger.for_queue("main").runs.save(a_run("main"))
    return url


def newer(url: str, versions: Versions = NEWER) -> SQLLedger:
    """The ledger as a later version of the tool opens it."""
    spec = parse_connection_url(url)
    kind = SQLiteBackend if spec.backend == "sqlite" else MySQLBackend
    return SQLLedger(kind(spec, Limits(), is_read_only=False), versions=versions)


@contextlib.contextmanager
def behind(ledger: Ledger) -> Iterator[RawLedger]:
    with contextlib.closing(RawLedger(ledger)) as raw:
        yield raw


def test_an_older_tool_reads_a_newer_ledger_that_allows_it_and_refuses_to_write_in_one_sentence(url: str) -> None:
    with open_ledger(url) as ledger:
        with behind(ledger) as raw:
            raw.execute("UPDATE ledger_meta SET schema_version = 2, min_reader = 1, min_writer = 2")
        book = ledger.for_queue("main")
        assert book.runs.find("r1") == a_run("main", version=1)
        with pytest.raises(LedgerTooNew) as refusal:
            book.runs.save(a_run("main", header=a_header(reason="new"), version=1))
        assert refusal.value.exit_code == 7
        assert "\n" not in refusal.value.message
        assert book.runs.find("r1") == a_run("main", version=1)
        state = ledger.admin.state()
        assert (state.schema_version, state.tool_schema_version, state.can_read, state.can_write) == (2, 1, True, False)
        assert state.refusal == refusal.value.message


def test_an_older_tool_reads_nothing_where_the_newer_ledger_forbids_it(url: str) -> None:
    with open_ledger(url) as ledger, behind(ledger) as raw:
        raw.execute("UPDATE ledger_meta SET schema_version = 2, min_reader = 2, min_writer = 2")
    with open_ledger(url) as ledger:
        with pytest.raises(LedgerTooNew):
            ledger.for_queue("main").runs.find("r1")
        with pytest.raises(LedgerTooNew):
            ledger.for_queue("main").runs.save(a_run("main", "r2"))
        assert (ledger.admin.state().can_read, ledger.admin.state().can_write) == (False, False)


def test_an_older_tool_writes_to_a_newer_ledger_that_allows_it(url: str) -> None:
    with open_ledger(url) as ledger, behind(ledger) as raw:
        raw.execute("UPDATE ledger_meta SET schema_version = 2")
        assert ledger.for_queue("main").runs.save(a_run("main", "r2")).version == 1
        with pytest.raises(LedgerTooNew):
            ledger.admin.upgrade()
        with pytest.raises(LedgerTooNew):
            ledger.admin.init()


def test_a_tool_that_runs_while_the_ledger_is_upgraded_writes_no_more(url: str) -> None:
    with open_ledger(url) as ledger:
        book = ledger.for_queue("main")
        book.runs.save(a_run("main", "r2"))
        with newer(url) as later:
            later.admin.upgrade()
        with pytest.raises(LedgerTooNew):
            book.runs.save(a_run("main", "r3"))
        assert book.runs.find("r2") is not None


def test_a_servers_ledger_is_upgraded_only_on_demand(mariadb: MariaDBServer) -> None:
    url = mariadb.create_database(mariadb.unused_name("versions"))
    with open_ledger(url) as ledger:
        ledger.admin.init()
    with newer(url) as later:
        book = later.for_queue("main")
        assert book.runs.find("r1") is None
        with pytest.raises(LedgerTooOld) as refusal:
            book.runs.save(a_run("main"))
        assert refusal.value.exit_code == 7
        assert "stovepipe ledger upgrade" in str(refusal.value.hint)
        assert (later.admin.state().can_read, later.admin.state().can_write) == (True, False)
        assert later.admin.upgrade() == (1, 2, None)
        assert later.admin.upgrade() == (2, 2, None)
        book.runs.save(a_run("main"))
        assert later.admin.state().min_writer == 2


def test_a_private_file_upgrades_itself_at_the_first_write_after_a_copy(file_url: str, tmp_path: Path) -> None:
    with newer(file_url) as later:
        book = later.for_queue("main")
        assert book.runs.find("r1") == a_run("main", version=1)
        assert (later.admin.state().schema_version, later.admin.state().can_write) == (1, True)
        book.runs.save(a_run("main", "r2"))
        assert later.admin.state().schema_version == 2
    copy = tmp_path / "ledger.db.v1.bak"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with open_ledger(f"sqlite:///{copy}") as earlier:
        assert earlier.admin.state().schema_version == 1
        assert [run.run_id for run in earlier.for_queue("main").runs.runs_in_queue(limit=9)] == ["r1"]


def test_a_copy_never_overwrites_another(file_url: str, tmp_path: Path) -> None:
    (tmp_path / "ledger.db.v1.bak").write_text("mine")
    with newer(file_url) as later:
        assert later.admin.upgrade() == (1, 2, f"{tmp_path}/ledger.db.v1.1.bak")
    assert (tmp_path / "ledger.db.v1.bak").read_text() == "mine"


def test_a_copy_that_fails_is_removed_and_nothing_is_upgraded(file_url: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(file_url) as ledger:
        ledger.for_queue("main").runs.save(a_run("main", "r2", header=a_header(document={"plan": list(range(9_000))})))
    # The pages that the long header was put into, at the end of the file.
    whole = path.read_bytes()
    path.write_bytes(whole[: -4 * 4_096] + b"\xff" * 4 * 4_096)
    with newer(file_url) as later:
        with pytest.raises(StorageUnavailable):
            later.admin.upgrade()
        assert later.admin.state().schema_version == 1
    assert not list(tmp_path.glob("*.bak"))


def test_a_read_leaves_an_older_private_file_as_it_is(file_url: str, tmp_path: Path) -> None:
    with newer(file_url) as later:
        later.for_queue("main").runs.runs_in_queue(limit=9)
    assert not list(tmp_path.glob("*.bak"))


def test_an_upgrade_that_breaks_off_is_taken_up_again(url: str) -> None:
    def breaks(session: Session) -> None:
        session.run("CREATE TABLE half (id INT NOT NULL")

    broken = Versions((NEWER.migrations[0], Migration(1, 3, breaks)))
    with newer(url, broken) as later, pytest.raises(StorageUnavailable):
        later.admin.upgrade()
    whole = Versions((NEWER.migrations[0], Migration(min_reader=1, min_writer=3, apply=add_note)))
    with newer(url, whole) as later:
        later.admin.upgrade()
        state = later.admin.state()
        assert (state.schema_version, state.min_reader, state.min_writer) == (3, 1, 3)
        assert later.for_queue("main").runs.find("r1") == a_run("main", version=1)


def test_a_new_ledger_of_a_later_tool_is_of_its_version(tmp_path: Path) -> None:
    with newer(f"sqlite:///{tmp_path}/new.db") as later:
        later.for_queue("main").runs.save(a_run("main"))
        state = later.admin.state()
        assert (state.schema_version, state.min_reader, state.min_writer) == (2, 1, 2)


def test_init_names_what_it_created_and_can_be_repeated(mariadb: MariaDBServer) -> None:
    with open_ledger(mariadb.create_database(mariadb.unused_name("versions"))) as ledger:
        before = ledger.admin.state()
        assert (before.schema_version, before.identity, before.can_read, before.can_write) == (0, "", False, False)
        assert before.absent_tables == tuple(LEDGER_TABLES)
        assert ledger.admin.init() == tuple(LEDGER_TABLES)
        assert ledger.admin.init() == ()
        after = ledger.admin.state()
        assert (after.schema_version, after.absent_tables, after.can_read, after.can_write) == (1, (), True, True)
        assert after.refusal is None
        with behind(ledger) as raw:
            raw.execute("DROP TABLE run_hold")
            assert ledger.admin.state().absent_tables == ("run_hold",)
            with pytest.raises(SchemaMismatch, match="run_hold") as refusal:
                ledger.for_queue("main").holds.of("r1")
            assert "stovepipe ledger init" in str(refusal.value.hint)
            assert ledger.admin.init() == ("run_hold",)
        assert ledger.admin.state().identity == after.identity


def test_many_that_init_at_once_make_one_ledger(mariadb: MariaDBServer) -> None:
    url = mariadb.create_database(mariadb.unused_name("versions"))
    start = Barrier(6)

    def init(_: int) -> str:
        with open_ledger(url) as ledger:
            start.wait()
            ledger.admin.init()
            return ledger.admin.state().identity

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(init, range(6)))) == 1


def test_an_account_without_rights_is_told_of_the_ledgers_rights(mariadb: MariaDBServer) -> None:
    name = mariadb.unused_name("versions")
    with open_ledger(mariadb.create_database(name)) as ledger:
        ledger.admin.init()
    user = mariadb.unused_name("reader")
    mariadb.execute(f"CREATE USER '{user}'@'%'")
    mariadb.execute(f"GRANT SELECT ON `{name}`.`ledger_meta` TO '{user}'@'%'")
    with open_ledger(mariadb.url(name, user=user)) as ledger, pytest.raises(StorageUnavailable) as refusal:
        ledger.for_queue("main").runs.find("r1")
    assert "'stovepipe db grants --role ledger'" in str(refusal.value.hint)


def test_a_server_without_a_ledger_is_told_so_with_the_way_to_one(mariadb: MariaDBServer) -> None:
    with open_ledger(mariadb.create_database(mariadb.unused_name("versions"))) as ledger:
        book = ledger.for_queue("main")
        for act in (lambda: book.runs.find("r1"), lambda: book.runs.save(a_run("main")), ledger.admin.upgrade):
            with pytest.raises(SchemaMismatch) as refusal:
                act()
            assert "stovepipe ledger init" in str(refusal.value.hint)


def test_a_ledger_that_was_opened_for_reading_takes_no_write(url: str) -> None:
    with open_ledger(url, read_only=True) as ledger:
        assert ledger.for_queue("main").runs.find("r1") == a_run("main", version=1)
        with pytest.raises(StorageReadOnly):
            ledger.for_queue("main").runs.save(a_run("main", "r2"))
        for act in (ledger.admin.init, ledger.admin.upgrade):
            with pytest.raises(StorageReadOnly):
                act()
        assert ledger.admin.prune(finished_before_ms=5, limit=5, dry_run=True).runs == 0
        assert not ledger.admin.state().can_write


def test_a_ledger_lives_beside_tables_that_are_not_its_own(mariadb: MariaDBServer) -> None:
    name = mariadb.unused_name("versions")
    url = mariadb.create_database(name)
    mariadb.execute("CREATE TABLE queue_messages (id INT)", database=name)
    with open_ledger(url) as ledger:
        ledger.admin.init()
        assert ledger.for_queue("main").runs.save(a_run("main")).version == 1


def test_no_key_of_the_tables_compares_by_a_collation(mariadb: MariaDBServer) -> None:
    name = mariadb.unused_name("versions")
    with open_ledger(mariadb.create_database(name)) as ledger:
        ledger.admin.init()
    sql = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = %s AND collation_name IS NOT NULL"
    assert mariadb.execute(sql, (name,)) == [(0,)]
    sql = """SELECT DISTINCT table_name FROM information_schema.statistics
        WHERE table_schema = %s AND index_name = 'PRIMARY' AND seq_in_index = 1 AND column_name <> 'queue'"""
    assert mariadb.execute(sql, (name,)) == [("ledger_meta",)]
