"""Databases for tests of history: one queue that holds a request, and no history of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage
from tests.support.history_samples import QUEUE, succeeded_request


@contextmanager
def storage_with_request(url: str) -> Iterator[Storage]:
    """Open the database, create the tables that are missing, and hand out the queue."""
    with open_storage(url) as factory:
        if not url.startswith("memory:"):
            factory.admin.create_tables()
        storage = factory.for_queue(QUEUE)
        storage.requests.create(succeeded_request())
        yield storage


def embedded_url(kind: str, directory: Path) -> str:
    """The URL of a new database in memory or in a file."""
    return "memory://" if kind == "memory" else f"sqlite:///{directory / 'history.db'}"
