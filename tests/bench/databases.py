"""Databases to measure on: SQLite in a file, and MariaDB on a private server."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.open import open_storage
from tests.support.mariadb import MariaDBServer

QUEUE = "bench/main"


@dataclass(frozen=True, slots=True)
class Database:
    """`url` in the form that SQLAlchemy reads as well."""

    kind: str
    url: str
    requests: int
    planted: int
    requests_a_second: float


@contextlib.contextmanager
def databases(
    directory: Path, requests: int, *, damage_each: int = 0, codes: tuple[str, ...] = ()
) -> Iterator[list[Database]]:
    """Both kinds, each with the same seeded queue of that many requests; gone at the end."""
    queue = SyntheticQueue(QUEUE, requests, seed=1, damage=dict.fromkeys(codes, damage_each))
    with MariaDBServer.start(directory / "mariadb") as server:
        yield [
            load("SQLite", f"sqlite:///{directory / 'bench.db'}", queue),
            load("MariaDB", server.create_database("bench"), queue),
        ]
    (directory / "bench.db").unlink()


def load(kind: str, url: str, queue: SyntheticQueue) -> Database:
    """Create the tables and the rows."""
    with open_storage(url) as factory:
        factory.admin.create_tables()
        storage = factory.for_queue(queue.queue)
        started = time.monotonic()
        for batch in queue.batches():
            storage.bulk.insert(batch)
        seconds = time.monotonic() - started
    return Database(kind, url, queue.requests, len(queue.planted()), queue.requests / seconds)
