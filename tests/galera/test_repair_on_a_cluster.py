"""Repair on a cluster does what it does on one server, whichever node each of its steps runs on."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.repair.plan_file import read_plan
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.cli.running import Process
from tests.faults.applying import everything
from tests.galera.conftest import OnCluster
from tests.support.lifecycles import put
from tests.support.mariadb import MariaDBServer
from tests.support.repairs import comparable
from tests.support.row_dump import Dump, dump_by_key
from tests.support.service_tables import create_service_tables

LOOK = ("--settle", "0", "--min-age", "0")


@pytest.fixture
def one_server(mariadb: MariaDBServer) -> Iterator[str]:
    """The same tables on a server that stands alone."""
    name = mariadb.unused_name("alone")
    url = mariadb.create_database(name)
    with contextlib.closing(mariadb.connect(name)) as connection:
        create_service_tables(connection, "mysql", project_results=True)
    with open_storage(url) as factory, open_ledger(url) as ledger:
        factory.admin.create_tables()
        ledger.admin.init()
    yield url
    mariadb.drop_database(name)


def repaired(home: Path, queue: str, *, plan_at: str, apply_at: str, look_at: str) -> Dump:
    """The rows of a damaged queue after its repair, as the last of the three places gives them."""
    program, plan = Process(home), home / "plan.json"
    with open_storage(plan_at) as factory:
        put(factory.for_queue(queue), *everything(queue))

    def run(url: str, *words: str | Path) -> tuple[int, dict[str, int]]:
        environ = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_LEDGER_URL": url, "STOVEPIPE_QUEUE": queue}
        result = program(*words, "-o", "json", environ=environ)
        return result.code, result.document["data"]

    assert run(plan_at, "repair", "plan", *LOOK, "--allow-retention-time", "--out", plan)[0] == 0
    code, done = run(apply_at, "repair", "apply", plan, "--yes")
    assert (code, done["applied"] > 0, done["conflicts"], done["failed"]) == (0, True, 0, 0)
    assert run(look_at, "verify", *LOOK)[0] == 0
    code, again = run(look_at, "repair", "apply", plan, "--yes")
    assert (code, again["applied"], again["identical"]) == (0, 0, done["applied"])
    with open_storage(look_at) as factory:
        return comparable(dump_by_key(factory.for_queue(queue)), read_plan(plan))


def test_a_repair_over_three_nodes_leaves_the_rows_that_one_server_would_have(
    on_cluster: OnCluster, one_server: str, queue: str, tmp_path: Path
) -> None:
    homes = tmp_path / "alone", tmp_path / "cluster"
    for home in homes:
        home.mkdir()
    alone = repaired(homes[0], queue, plan_at=one_server, apply_at=one_server, look_at=one_server)
    first, second, third = on_cluster.urls
    assert repaired(homes[1], queue, plan_at=first, apply_at=second, look_at=third) == alone
