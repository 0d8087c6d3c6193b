"""A ledger that is a file of this host."""

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace

import psutil
import pytest

from stovepipe_cli.errors import Refused
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.ledger.sql.private_file import file_system_of
from stovepipe_cli.storage.ledger.tables import LEDGER_TABLES
from stovepipe_cli.storage.open import open_ledger
from tests.contract.ledger.samples import COVERS, a_run, started


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "state" / "stovepipe" / "ledger.db"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_at_the_first_write_for_its_owner_alone(place: Path) -> None:
    old = os.umask(0)
    try:
        with open_ledger(f"sqlite:///{place}") as ledger:
            assert ledger.is_private
            assert ledger.place == str(place)
            ledger.for_queue("main").runs.save(a_run("main"))
            found = {path.name: mode(path) for path in place.parent.iterdir()}
    finally:
        os.umask(old)
    assert found == {"ledger.db": 0o600, "ledger.db-wal": 0o600, "ledger.db-shm": 0o600}
    assert (mode(place.parent), mode(place.parent.parent)) == (0o700, 0o700)


def test_an_absent_one_is_an_empty_ledger_and_reading_makes_none(place: Path) -> None:
    with open_ledger(f"sqlite:///{place}") as ledger:
        book = ledger.for_queue("main")
        assert book.runs.find("r1") is None
        assert book.runs.runs_in_queue(limit=9) == ()
        assert book.runs.runs_of_root("r1", limit=9) == ()
        assert book.runs.ancestors_of("r1", limit=9) == ()
        assert book.runs.invocations_of("r1", limit=9) == ()
        assert sum(book.runs.counts_by_status().values()) == 0
        assert book.steps.load_events("r1", limit=9) == ()
        assert book.steps.expired_leases(limit=9) == ()
        assert book.steps.steps("r1", limit=9) == ()
        assert book.steps.last_step("r1") is None
        assert sum(book.steps.counts_by_status("r1").values()) == 0
        assert book.steps.ending("r1") is None
        assert abs(book.steps.now_ms() - time.time() * 1000) < 60_000
        assert book.holds.of("r1") is None
        assert book.verified.of("mariadb:1") is None
        state = ledger.admin.state()
        assert (state.schema_version, state.can_read, state.can_write, state.refusal) == (0, True, True, None)
        assert state.absent_tables == tuple(LEDGER_TABLES)
        assert ledger.admin.prune(finished_before_ms=5, limit=5, dry_run=True).runs == 0
    assert not place.parent.parent.exists()


def test_one_that_another_process_makes_is_seen(place: Path) -> None:
    with open_ledger(f"sqlite:///{place}") as reader, open_ledger(f"sqlite:///{place}") as writer:
        assert reader.for_queue("main").runs.find("r1") is None
        writer.for_queue("main").runs.save(a_run("main"))
        assert reader.for_queue("main").runs.find("r1") == a_run("main", version=1)


def test_many_that_make_it_at_once_make_one(place: Path) -> None:
    start = Barrier(8)

    def first_write(number: int) -> int:
        with open_ledger(f"sqlite:///{place}") as ledger:
            start.wait()
            return ledger.for_queue("main").runs.save(a_run("main", f"r{number}")).version

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(first_write, range(8))) == [1] * 8
    with open_ledger(f"sqlite:///{place}") as ledger:
        assert ledger.for_queue("main").runs.counts_by_status()["RUNNING"] == 8


def test_a_file_whose_making_broke_off_is_made_whole(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.touch()
    with open_ledger(f"sqlite:///{place}") as ledger:
        assert ledger.for_queue("main").runs.runs_in_queue(limit=9) == ()
        ledger.for_queue("main").runs.save(a_run("main"))
        assert ledger.admin.state().absent_tables == ()


def test_it_keeps_a_log_beside_it_so_that_readers_and_the_writer_do_not_wait_for_each_other(place: Path) -> None:
    with open_ledger(f"sqlite:///{place}") as ledger:
        ledger.for_queue("main").runs.save(a_run("main"))
        assert place.with_name("ledger.db-wal").exists()


def test_init_makes_it_without_a_run(place: Path) -> None:
    with open_ledger(f"sqlite:///{place}") as ledger:
        assert ledger.admin.init() == tuple(LEDGER_TABLES)
        assert ledger.admin.state().identity != ""
    assert mode(place) == 0o600


def test_a_place_where_nothing_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with open_ledger(f"sqlite:///{tmp_path}/file/ledger.db") as ledger, pytest.raises(StorageUnavailable) as refusal:
        ledger.for_queue("main").runs.save(a_run("main"))
    assert f"{tmp_path}/file/ledger.db" in refusal.value.message


def test_a_file_that_is_no_ledger_is_named(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_text("no database" * 1_000)
    with open_ledger(f"sqlite:///{place}") as ledger, pytest.raises(StorageUnavailable) as refusal:
        ledger.for_queue("main").runs.find("r1")
    assert str(place) in refusal.value.message


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ceph", "fuse.glusterfs", "lustre", "afs", "NFS"]
)
def test_one_on_a_network_file_system_is_refused_with_the_reason(
    place: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = [
        SimpleNamespace(mountpoint="/", fstype="ext4"),
        SimpleNamespace(mountpoint=str(place.parent.parent.resolve()), fstype=kind),
    ]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    with open_ledger(f"sqlite:///{place}") as ledger:
        book = ledger.for_queue("main")
        for act in (lambda: book.runs.find("r1"), lambda: book.runs.save(a_run("main")), ledger.admin.state):
            with pytest.raises(Refused) as refusal:
                act()
            assert kind in refusal.value.message
            assert "mysql" in str(refusal.value.hint)
    assert not place.parent.parent.exists()


def test_the_nearest_mount_decides_which_file_system_it_is(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = [
        SimpleNamespace(mountpoint=str(place.parent.resolve()), fstype="xfs"),
        SimpleNamespace(mountpoint=str(place.parent.parent.resolve()), fstype="nfs"),
        SimpleNamespace(mountpoint="/", fstype="ext4"),
        SimpleNamespace(mountpoint=f"{place.parent}-beside", fstype="cifs"),
    ]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: mounts)
    assert file_system_of(place) == "xfs"


def test_the_file_system_of_a_real_place_is_known(tmp_path: Path) -> None:
    assert file_system_of(tmp_path / "absent" / "ledger.db") != ""


def test_its_leases_go_by_the_hosts_clock(place: Path) -> None:
    with open_ledger(f"sqlite:///{place}") as ledger:
        book = started(ledger.for_queue("main"))
        book.steps.claim_step("r1", 0, "w1", ttl_ms=1_000, covers=COVERS)
        assert abs(book.steps.now_ms() - time.time() * 1000) < 60_000
