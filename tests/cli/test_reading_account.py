"""An account that may read and do nothing else is enough for everything that looks, checks, plans or rehearses."""

from collections.abc import Iterator

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program
from tests.support.mariadb import MariaDBServer
from tests.support.row_dump import dump_by_key

QUEUE = "demo/main"
COMMANDS = {
    "history show 204": 0,
    "queue show": 0,
    "queues list": 0,
    "requests list": 0,
    "requests show 204": 0,
    "requests list --order number": 0,
    "issues list": 0,
    "issues observations build-1": 0,
    "facts list --uri git://nowhere/0": 0,
    "history show 204 --detail --all": 0,
    "verify --settle 0": 3,
    "repair plan --settle 0 --out plan.json": 0,
    "repair apply plan.json --dry-run": 0,
    "backfill acceptances": 0,
    "db check": 0,
    "db ping": 0,
    "fixtures dump --out dump.yaml": 0,
}


@pytest.fixture
def account(mariadb: MariaDBServer, mariadb_database: str) -> Iterator[str]:
    """The damaged queue's database, for an account with SELECT alone."""
    with open_storage(mariadb_database) as factory:
        factory.admin.create_tables()
        load_scenario(factory.for_queue(QUEUE), bundled("demo"), into_existing=False)
    database = mariadb_database.rpartition("/")[2]
    user = f"s_{database}"[:60]
    mariadb.execute(f"CREATE USER '{user}'@'127.0.0.1'")
    mariadb.execute(f"GRANT SELECT ON `{database}`.* TO '{user}'@'127.0.0.1'")
    yield mariadb_database.replace("//root@", f"//{user}@")
    mariadb.execute(f"DROP USER '{user}'@'127.0.0.1'")


def test_reading_rights_are_enough_for_every_command_that_does_not_write(
    account: str, mariadb_database: str, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.home)
    program.environ |= {"STOVEPIPE_DATABASE_URL": account, "STOVEPIPE_QUEUE": QUEUE}
    with open_storage(mariadb_database) as factory:
        before = dump_by_key(factory.for_queue(QUEUE))
        codes = {words: program(*words.split()).code for words in COMMANDS}
        assert dump_by_key(factory.for_queue(QUEUE)) == before
    assert codes == COMMANDS
