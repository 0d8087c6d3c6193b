"""Ledgers of every backend, each with a database beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.work.jobs import QUEUE
from tests.work.processes import Urls


@pytest.fixture(params=["sqlite", "mariadb"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> Urls:
    if request.param == "sqlite":
        found = Urls(f"sqlite:///{tmp_path}/ledger.db", f"sqlite:///{tmp_path}/stovepipe.db")
    else:
        url = request.getfixturevalue("mariadb_database")
        found = Urls(url, url)
    with open_storage(found.database) as storage, open_ledger(found.ledger) as ledger:
        storage.admin.create_tables()
        ledger.admin.init()
    return found


@pytest.fixture
def storage(urls: Urls) -> Iterator[Storage]:
    with open_storage(urls.database) as factory:
        yield factory.for_queue(QUEUE)


@pytest.fixture
def ledger(urls: Urls) -> Iterator[QueueLedger]:
    with open_ledger(urls.ledger) as opened:
        yield opened.for_queue(QUEUE)
