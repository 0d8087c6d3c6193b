"""B8: a backfill of acceptance mappings by one worker, ledger and checks included, beside bare inserts of its rows."""

import statistics
import time

from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.bench.databases import QUEUE, Reach, Site
from tests.bench.measurement import Measurement, Outcome
from tests.bench.raw import clear, insert
from tests.support.backfills import backfilled

REQUESTS = 200_000
BATCH = 1_000
RUNS = 5
AT_LEAST = 0.4

_Rows = list[tuple[object, ...]]


def measure(site: Site) -> list[Outcome]:
    """In turn on a queue whose mappings are taken away before each."""
    found: list[Outcome] = []
    for database in site.queues(REQUESTS):
        for reach in database.reaches:
            rows = _mappings(reach)
            ours, raw = [], []
            for _ in range(RUNS):
                clear(reach, REQUEST_ACCEPTANCE)
                raw.append(_inserted(reach, rows))
                clear(reach, REQUEST_ACCEPTANCE)
                ours.append(_backfilled(site, reach))
            rates = (REQUESTS / statistics.median(ours), REQUESTS / statistics.median(raw))
            what = f"mappings backfilled over the bare driver's inserts, {reach.name}"
            found.append(Measurement("B8", what, "requests/s", *rates, AT_LEAST, "at least"))
    return found


def _mappings(reach: Reach) -> _Rows:
    with open_storage(reach.url) as factory:
        listed = factory.for_queue(QUEUE).acceptances.list_before(0, 2**62, None, REQUESTS)
    return [(QUEUE, each.accepted_at_ms, each.request_id.encode()) for each in listed]


def _inserted(reach: Reach, rows: _Rows) -> float:
    started = time.perf_counter()
    batches = ([(REQUEST_ACCEPTANCE, rows[at : at + BATCH])] for at in range(0, len(rows), BATCH))
    insert(reach, batches, skips_what_is_there=True)
    return time.perf_counter() - started


def _backfilled(site: Site, reach: Reach) -> float:
    with (
        open_storage(reach.url) as factory,
        open_ledger(f"sqlite:///{site.room() / 'ledger.db'}") as ledger,
    ):
        started = time.perf_counter()
        report = backfilled(factory.for_queue(QUEUE), BackfillOptions(), SystemClock(), ledger=ledger.for_queue(QUEUE))
        seconds = time.perf_counter() - started
    if report.mapped != REQUESTS:
        raise RuntimeError(f"of {REQUESTS} requests {report.mapped} were mapped")
    return seconds
