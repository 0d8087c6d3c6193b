"""Connections that end at the worst moment: the work is done once, or the failure is told."""

import pytest

from stovepipe_cli.storage.contract import (
    AlreadyExists,
    Storage,
    StorageFactory,
    StorageUnavailable,
    VersionMismatch,
)
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestRow
from tests.contract.samples import NOON_MS, a_log, a_request, an_acceptance, an_issue
from tests.faults.opening import QUEUE, Pauses
from tests.support.mariadb import MariaDBServer
from tests.support.tcp_proxy import TcpProxy

CUTS = ("before", "behind")


def cut(proxy: TcpProxy, where: str, marker: bytes) -> None:
    plan = {"before": proxy.cut_before, "behind": proxy.cut_behind}
    plan[where](marker)


def end_sessions(server: MariaDBServer, database: str) -> None:
    """End every session of the database, as an administrator or a failover would."""
    for (number,) in server.execute("SELECT id FROM information_schema.processlist WHERE db = %s", (database,)):
        server.execute(f"KILL CONNECTION {number}")


def rows_in(server: MariaDBServer, database: str, table: str) -> int:
    return int(server.execute(f"SELECT COUNT(*) FROM `{table}`", database=database)[0][0])


def test_a_read_after_an_idle_session_was_killed_is_answered(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    storage.requests.create(a_request(QUEUE))
    end_sessions(mariadb, database)
    assert storage.requests.get("7") == a_request(QUEUE)


def test_a_write_after_an_idle_session_was_killed_is_done_once(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    storage.requests.create(a_request(QUEUE))
    end_sessions(mariadb, database)
    storage.requests.update(a_request(QUEUE, state="processing"), old_version=1, new_version=2)
    assert storage.requests.get("7") == a_request(QUEUE, state="processing", version=2)


def test_all_idle_sessions_are_given_up_once_one_is_found_dead(
    mariadb: MariaDBServer, database: str, factory: StorageFactory, pauses: Pauses
) -> None:
    storage = factory.for_queue(QUEUE)
    with storage.audit.snapshot(), storage.audit.snapshot(), storage.audit.snapshot():
        pass
    end_sessions(mariadb, database)
    storage.requests.create(a_request(QUEUE))
    assert rows_in(mariadb, database, "request") == 1
    assert pauses.made == []


@pytest.mark.parametrize("where", CUTS)
def test_a_read_that_loses_its_connection_is_redone(storage: Storage, proxy: TcpProxy, where: str) -> None:
    storage.requests.create(a_request(QUEUE))
    cut(proxy, where, b"FROM request")
    assert storage.requests.get("7") == a_request(QUEUE)
    assert proxy.cuts == 1


@pytest.mark.parametrize("marker", [b"START TRANSACTION", b"INSERT INTO", b"COMMIT"])
@pytest.mark.parametrize("where", CUTS)
def test_a_creation_that_loses_its_connection_leaves_one_row(
    mariadb: MariaDBServer, database: str, storage: Storage, proxy: TcpProxy, where: str, marker: bytes
) -> None:
    cut(proxy, where, marker)
    storage.request_log.create(a_log(QUEUE, metadata={"b": "2", "a": "é"}))
    assert proxy.cuts == 1
    assert storage.request_log.list("7") == (a_log(QUEUE, metadata={"b": "2", "a": "é"}),)
    assert rows_in(mariadb, database, "request_log") == 1


@pytest.mark.parametrize("marker", [b"START TRANSACTION", b"UPDATE request", b"COMMIT"])
@pytest.mark.parametrize("where", CUTS)
def test_an_update_that_loses_its_connection_happens_once(
    storage: Storage, proxy: TcpProxy, where: str, marker: bytes
) -> None:
    storage.requests.create(a_request(QUEUE))
    cut(proxy, where, marker)
    storage.requests.update(a_request(QUEUE, state="processing"), old_version=1, new_version=2)
    assert proxy.cuts == 1
    assert storage.requests.get("7") == a_request(QUEUE, state="processing", version=2)


@pytest.mark.parametrize("marker", [b"DELETE FROM", b"COMMIT"])
@pytest.mark.parametrize("where", CUTS)
def test_a_deletion_that_loses_its_connection_still_says_that_a_row_went(
    storage: Storage, proxy: TcpProxy, where: str, marker: bytes
) -> None:
    storage.open_issues.create(an_issue(QUEUE))
    cut(proxy, where, marker)
    assert storage.open_issues.delete(an_issue(QUEUE))
    assert proxy.cuts == 1
    assert storage.open_issues.list_after(None, 9) == ()


@pytest.mark.parametrize("where", CUTS)
def test_a_batch_that_loses_its_commit_names_what_it_created(
    mariadb: MariaDBServer, database: str, storage: Storage, proxy: TcpProxy, where: str
) -> None:
    batch = [an_acceptance(QUEUE, str(number), NOON_MS + number) for number in range(5)]
    storage.acceptances.create(batch[2])
    cut(proxy, where, b"COMMIT")
    assert storage.acceptances.create_missing(batch) == (*batch[:2], *batch[3:])
    assert proxy.cuts == 1
    assert rows_in(mariadb, database, "request_acceptance") == 5


@pytest.mark.parametrize("marker", [b"INSERT INTO request_log", b"COMMIT"])
@pytest.mark.parametrize("where", CUTS)
def test_bulk_rows_that_lose_their_connection_are_there_once(
    mariadb: MariaDBServer, database: str, storage: Storage, proxy: TcpProxy, where: str, marker: bytes
) -> None:
    requests = [RequestRow(str(number), "git://c", "accepted", "", "", 1, "") for number in range(20)]
    log = [RequestLogRow(str(number), "x", NOON_MS, "", "build_triggered", 0, "", '{"a": "b"}') for number in range(20)]
    cut(proxy, where, marker)
    storage.bulk.insert([*requests, *log])
    assert proxy.cuts == 1
    assert (rows_in(mariadb, database, "request"), rows_in(mariadb, database, "request_log")) == (20, 20)


def test_a_creation_is_not_taken_for_another_writers_row_with_its_key(
    storage: Storage, direct: Storage, proxy: TcpProxy
) -> None:
    theirs = a_log(QUEUE, timestamp_ms=NOON_MS + 1)
    proxy.cut_before(b"COMMIT", then=lambda: direct.request_log.create(theirs))
    with pytest.raises(AlreadyExists):
        storage.request_log.create(a_log(QUEUE))
    assert storage.request_log.list("7") == (theirs,)


def test_an_update_is_not_taken_for_another_writers_change(storage: Storage, direct: Storage, proxy: TcpProxy) -> None:
    storage.requests.create(a_request(QUEUE))
    theirs = a_request(QUEUE, state="superseded")
    proxy.cut_before(b"COMMIT", then=lambda: direct.requests.update(theirs, old_version=1, new_version=2))
    with pytest.raises(VersionMismatch):
        storage.requests.update(a_request(QUEUE, state="processing"), old_version=1, new_version=2)
    assert storage.requests.get("7") == a_request(QUEUE, state="superseded", version=2)


def test_a_commit_that_is_lost_again_and_again_is_told_as_uncertain(storage: Storage, proxy: TcpProxy) -> None:
    for _ in range(9):
        proxy.cut_before(b"COMMIT")
    with pytest.raises(StorageUnavailable, match="is not known"):
        storage.requests.create(a_request(QUEUE))


def test_a_snapshot_that_is_killed_between_pages_never_looks_like_the_end(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    storage.bulk.insert([RequestRow(str(number), "git://c", "accepted", "", "", 1, "") for number in range(9)])
    with storage.audit.snapshot() as snapshot:
        page = snapshot.page(RequestRow, limit=3)
        end_sessions(mariadb, database)
        with pytest.raises(StorageUnavailable):
            snapshot.page(RequestRow, after=page.next_after, limit=3)
    with storage.audit.snapshot() as snapshot:
        assert [row.id for row in snapshot.page(RequestRow, after=page.next_after, limit=3).rows] == ["3", "4", "5"]


def test_a_snapshot_opens_on_a_new_session_where_the_idle_one_was_killed(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    storage.requests.create(a_request(QUEUE))
    end_sessions(mariadb, database)
    with storage.audit.snapshot() as snapshot:
        assert len(snapshot.page(RequestRow, limit=3).rows) == 1


def test_an_interrupt_inside_a_snapshot_gives_its_connection_up(storage: Storage, factory: StorageFactory) -> None:
    with pytest.raises(KeyboardInterrupt), storage.audit.snapshot():
        raise KeyboardInterrupt
    assert factory.checked_out() == 0
    assert storage.request_log.list("7") == ()
