"""B9: how fast a queue is made up and stored."""

from collections.abc import Iterator
from functools import partial

from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row
from stovepipe_cli.storage.contract.tables import Table
from stovepipe_cli.storage.open import open_storage
from tests.bench.databases import NO_MYSQLCLIENT, QUEUE, Database, Reach, Site, has_mysqlclient
from tests.bench.measurement import Measurement, Outcome, Skipped
from tests.bench.raw import insert
from tests.bench.turns import median_seconds

AT_LEAST = {"SQLite": 20_000, "MariaDB": 8_000}
REQUESTS = 20_000
RUNS = 3

_TableRows = tuple[Table, list[tuple[object, ...]]]


def measure(site: Site) -> list[Outcome]:
    """Into empty databases, beside the driver's own many-row inserts of rows that are made already."""
    queue = SyntheticQueue(QUEUE, REQUESTS, seed=1)
    ready = [[*_by_table(batch)] for batch in queue.batches()]
    found: list[Outcome] = []
    for kind, at_least in AT_LEAST.items():
        for place, reach in enumerate(Database(kind, "", 0, 0, 0).reaches):
            works = [partial(_generated, site, kind, place, queue), partial(_inserted, site, kind, place, ready)]
            ours, raw = (REQUESTS / seconds for seconds in median_seconds(works, runs=RUNS))
            what = f"requests made and stored, {reach.name}"
            found.append(Measurement("B9", what, "requests/s", ours, raw, at_least, "at least", is_absolute=True))
    what = "requests made and stored, MariaDB by mysqlclient"
    return found if has_mysqlclient() else [*found, Skipped("B9", what, NO_MYSQLCLIENT)]


def _generated(site: Site, kind: str, place: int, queue: SyntheticQueue) -> None:
    with open_storage(_empty(site, kind, place).url) as factory:
        generate(factory.for_queue(QUEUE), queue, into_existing=False)


def _inserted(site: Site, kind: str, place: int, ready: list[list[_TableRows]]) -> None:
    insert(_empty(site, kind, place), ready)


def _empty(site: Site, kind: str, place: int) -> Reach:
    return Database(kind, site.empty(kind), 0, 0, 0).reaches[place]


def _by_table(rows: list[Row]) -> Iterator[_TableRows]:
    tables: dict[Table, list[tuple[object, ...]]] = {}
    for row in rows:
        table = TABLE_OF[type(row)]
        is_binary = table.column(table.queue_column).kind == "binary"
        values = (
            value.encode() if isinstance(value, str) and table.column(name).kind == "binary" else value
            for name, value in zip(type(row)._fields, row, strict=True)
        )
        tables.setdefault(table, []).append((QUEUE.encode() if is_binary else QUEUE, *values))
    yield from tables.items()
