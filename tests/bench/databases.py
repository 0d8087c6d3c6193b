"""Databases to measure on: SQLite in a file, and MariaDB on a private server, each reached by its drivers."""

import contextlib
import importlib.util
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract.rows import Row
from stovepipe_cli.storage.open import open_storage
from tests.support.mariadb import MariaDBServer

QUEUE = "bench/main"
NO_MYSQLCLIENT = "mysqlclient is not installed here: pip install 'stovepipe-cli[fast]'"


@dataclass(frozen=True, slots=True)
class Reach:
    """A database by one driver. `url` is in the form that SQLAlchemy reads as well."""

    kind: str
    driver: str
    url: str

    @property
    def name(self) -> str:
        return self.kind if self.driver == "sqlite3" else f"{self.kind} by {self.driver}"


@dataclass(frozen=True, slots=True)
class Database:
    """`why_not` tells which driver of it is missing here, empty where none is."""

    kind: str
    url: str
    requests: int
    planted: int
    requests_a_second: float

    @property
    def reaches(self) -> tuple[Reach, ...]:
        """By every driver that is installed, the one that always is first."""
        if self.kind == "SQLite":
            return (Reach(self.kind, "sqlite3", self.url),)
        found = (Reach(self.kind, "PyMySQL", self.url),)
        if not has_mysqlclient():
            return found
        return (*found, Reach(self.kind, "mysqlclient", self.url.replace("mysql+pymysql", "mysql+mysqldb", 1)))


@dataclass(slots=True)
class Site:
    """Where everything of one run lives; queues are loaded once and kept until the end."""

    directory: Path
    is_full: bool = False
    _server: MariaDBServer | None = None
    _loaded: dict[tuple[int, int], list[Database]] = field(default_factory=dict)
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _count: int = 0

    def close(self) -> None:
        self._stack.close()

    def room(self) -> Path:
        """A directory of one's own."""
        self._count += 1
        directory = self.directory / f"room{self._count}"
        directory.mkdir()
        return directory

    def empty(self, kind: str) -> str:
        """The URL of a new database with all tables and no row."""
        if kind == "SQLite":
            url = f"sqlite:///{self.room() / 'bench.db'}"
        else:
            server = self._running()
            url = server.create_database(server.unused_name("bench"))
        with open_storage(url) as factory:
            factory.admin.create_tables()
        return url

    def queues(self, requests: int, *, damage_each: int = 0, codes: Sequence[str] = ()) -> list[Database]:
        """A seeded queue of that many requests in both kinds of database."""
        key = (requests, damage_each)
        if key not in self._loaded:
            queue = SyntheticQueue(QUEUE, requests, seed=1, damage=dict.fromkeys(codes, damage_each))
            self._loaded[key] = [self._load(kind, queue) for kind in ("SQLite", "MariaDB")]
        return self._loaded[key]

    def _load(self, kind: str, queue: SyntheticQueue) -> Database:
        url = self.empty(kind)
        started = time.perf_counter()
        with open_storage(url) as factory:
            generate(factory.for_queue(QUEUE), queue, into_existing=True)
        seconds = time.perf_counter() - started
        return Database(kind, url, queue.requests, len(queue.planted()), queue.requests / seconds)

    def _running(self) -> MariaDBServer:
        if self._server is None:
            # The 3.6 GB of a million requests fit into memory: were they read from a disk, that would be measured.
            options = ["--innodb-buffer-pool-size=6G"]
            self._server = self._stack.enter_context(MariaDBServer.start(self.directory / "mariadb", options=options))
        return self._server


def fill(url: str, batches: Iterator[list[Row]]) -> float:
    """Insert the batches; how many seconds that took, their making included."""
    with open_storage(url) as factory:
        storage = factory.for_queue(QUEUE)
        started = time.perf_counter()
        for batch in batches:
            storage.bulk.insert(batch)
        return time.perf_counter() - started


def has_mysqlclient() -> bool:
    return importlib.util.find_spec("MySQLdb") is not None
