"""A backfill that several processes share maps everything once, whatever happens to its workers."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables
from tests.support.shared_backfill import (
    QUEUE,
    SharedBackfill,
    completions_under_lost_leases,
    is_gapless,
    kinds_of,
)

Share = Callable[[int, int, int], SharedBackfill]


@pytest.fixture
def share(mariadb: MariaDBServer, tmp_path: Path) -> Iterator[Share]:
    """A queue of so many requests without any mapping, and a backfill at so many rows a second and a batch."""
    names = [mariadb.unused_name("shared"), mariadb.unused_name("ledger")]
    url, ledger_url = (mariadb.create_database(name) for name in names)
    begun: list[SharedBackfill] = []

    def begin(requests: int, rate: int, batch: int) -> SharedBackfill:
        with contextlib.closing(mariadb.connect(names[0])) as connection:
            create_service_tables(connection, "mysql", project_results=True)
        with open_storage(url) as factory:
            generate(factory.for_queue(QUEUE), SyntheticQueue(QUEUE, requests, seed=7), into_existing=False)
        mariadb.execute("DELETE FROM request_acceptance", database=names[0])
        with open_ledger(ledger_url) as ledger:
            ledger.admin.init()
        begun.append(SharedBackfill(tmp_path, (url,), ledger_url, rate, batch))
        return begun[0]

    yield begin
    for backfill in begun:
        backfill.close()
    for name in names:
        mariadb.drop_database(name)


def run_with_mishaps(backfill: SharedBackfill) -> None:
    """Four workers: one is killed, one frozen for longer than its lease, one joins late."""
    backfill.start()
    backfill.join()
    backfill.join()
    backfill.kill(1)
    lost = backfill.freeze(2)
    backfill.join()
    backfill.await_taken_over(lost)
    backfill.thaw(2)


def assert_everything_is_mapped_once(backfill: SharedBackfill, requests: int) -> None:
    ends = backfill.ends()
    assert [code for code, _ in ends] == [0, -9, 0, 0]
    with open_storage(backfill.urls[0]) as factory:
        mapped: list[str] = []
        before: tuple[int, str] | None = None
        while page := factory.for_queue(QUEUE).acceptances.list_before(0, 2**62, before, 10_000):
            mapped += [each.request_id for each in page]
            before = (page[-1].accepted_at_ms, page[-1].request_id)
    assert (len(mapped), len(set(mapped))) == (requests, requests)
    counts = ends[0][1]
    assert (counts["scanned"], counts["mapped"] + counts["already_mapped"]) == (requests, requests)


def assert_the_record_is_whole(backfill: SharedBackfill) -> None:
    def the_run(ledger: QueueLedger) -> Run | None:
        return ledger.runs.find(backfill.run_id)

    run, events = backfill.asked(the_run), backfill.events()
    kinds = kinds_of(events)
    assert run is not None
    assert run.status == "COMPLETED"
    assert (kinds["WorkflowStarted"], kinds["WorkflowCompleted"]) == (1, 1)
    assert completions_under_lost_leases(events) == []
    assert kinds["LeaseTakenOver"] + kinds["WorkerRecovered"] >= 2, "nobody took over from the killed and the frozen"
    assert is_gapless(events)


def test_every_mapping_exists_once_though_workers_die_freeze_and_come_late(share: Share) -> None:
    backfill = share(6_000, 500, 50)
    run_with_mishaps(backfill)
    assert_everything_is_mapped_once(backfill, 6_000)
    assert_the_record_is_whole(backfill)


@pytest.mark.soak
def test_every_mapping_of_200000_exists_once_though_workers_die_freeze_and_come_late(share: Share) -> None:
    backfill = share(200_000, 5_000, 500)
    run_with_mishaps(backfill)
    assert_everything_is_mapped_once(backfill, 200_000)
    assert_the_record_is_whole(backfill)
