"""A ledger that is lost while work is under way: the worker stops in time, what is written stands, and work goes on."""

from collections.abc import Mapping

import pytest

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.open import open_ledger, open_storage
from stovepipe_cli.work import BatchBounds, LedgerUnavailable, StepWatch, start_run, take_up, this_worker, work
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.tcp_proxy import TcpProxy
from tests.work.jobs import QUEUE, arguments, mapped, registry
from tests.work.processes import Shape, new_run, place_at

SHAPE = Shape(rows=10_000, step=10_000, batch=BatchBounds(5, 5, 5), ttl_ms=3_000)


@pytest.fixture
def url(mariadb_database: str) -> str:
    with open_storage(mariadb_database) as storage, open_ledger(mariadb_database) as ledger:
        storage.admin.create_tables()
        ledger.admin.init()
    return mariadb_database


def through(url: str, proxy: TcpProxy) -> str:
    return f"mysql+pymysql://root@{HOST}:{proxy.port}/{url.rpartition('/')[2]}?ssl_mode=DISABLED"


def test_work_stops_before_its_lease_ends_and_is_gone_on_with_later(mariadb: MariaDBServer, url: str) -> None:
    proxy = TcpProxy(mariadb.port)
    with open_storage(url) as database, open_ledger(through(url, proxy)) as lost, open_ledger(url) as direct:
        storage, ledger = database.for_queue(QUEUE), direct.for_queue(QUEUE)
        run = start_run(ledger, new_run(ledger), this_worker(), arguments=arguments(), ttl_ms=SHAPE.ttl_ms)
        job, batches, written_at = SHAPE.job(storage), [0], [0]
        write = job.write

        def writing(numbers: object) -> int:
            batches[0] += 1
            if batches[0] == 3:
                proxy.close()
            written_at[0] = SystemClock().now_ms()
            return write(numbers)  # type: ignore[arg-type]  # passed on

        job.write = writing  # type: ignore[method-assign]  # the same job, that loses its ledger
        with pytest.raises(LedgerUnavailable) as raised:
            work(place_at(lost.for_queue(QUEUE), SHAPE), run.run_id, registry(job))
        step = ledger.steps.step(run.run_id, 0)
        assert step is not None
        assert (raised.value.code, raised.value.exit_code) == ("ledger-unavailable", 6)
        assert f"stovepipe runs resume {run.run_id}" in str(raised.value.hint)
        assert written_at[0] < step.lease_until_ms
        assert mapped(storage) == list(range(batches[0] * 5))
        place = place_at(ledger, SHAPE)
        take_up(place, run.run_id, arguments())
        done = work(place, run.run_id, registry(Shape(10_000, 10_000, BatchBounds(2_000)).job(storage)))
        assert (done.run.status, mapped(storage)) == ("COMPLETED", list(range(SHAPE.rows)))


def test_a_ledger_that_is_down_at_the_start_lets_nothing_be_written(mariadb: MariaDBServer, url: str) -> None:
    proxy = TcpProxy(mariadb.port)
    proxy.close()
    with open_ledger(through(url, proxy), connect_timeout_ms=500) as gone, open_storage(url) as database:
        ledger = gone.for_queue(QUEUE)
        with open_ledger(url) as direct:
            run = new_run(direct.for_queue(QUEUE))
        with pytest.raises(StorageUnavailable):
            start_run(ledger, run, this_worker(), arguments=arguments())
        assert mapped(database.for_queue(QUEUE)) == []


def test_a_database_that_is_lost_leaves_the_lease_to_the_next_worker(mariadb: MariaDBServer, url: str) -> None:
    proxy = TcpProxy(mariadb.port)
    with open_storage(through(url, proxy)) as lost, open_storage(url) as database, open_ledger(url) as opened:
        ledger = opened.for_queue(QUEUE)
        place = place_at(ledger, SHAPE)
        run = start_run(ledger, new_run(ledger), place.worker, arguments=arguments(), ttl_ms=SHAPE.ttl_ms)
        job = Shape(20, 10).job(lost.for_queue(QUEUE))

        def lose(covers: Mapping[str, object], _watch: StepWatch) -> None:
            if covers["from"] == 10:
                proxy.close()

        job.before = lose
        settings = place.settings
        from dataclasses import replace

        quick = replace(place, settings=replace(settings, max_attempts=2, first_backoff_ms=10))
        with pytest.raises(StorageUnavailable) as raised:
            work(quick, run.run_id, registry(job))
        assert raised.value.code == "storage-unavailable"
        left = ledger.runs.find(run.run_id)
        assert left is not None
        assert left.header.stopped_because == raised.value.message
        assert ledger.steps.live_leases(run.run_id, limit=1) == ()
        done = work(place, run.run_id, registry(Shape(20, 10).job(database.for_queue(QUEUE))))
        assert (done.run.status, mapped(database.for_queue(QUEUE))) == ("COMPLETED", list(range(20)))
