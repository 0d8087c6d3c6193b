"""`verify --workers`: the same document as by one process, from processes that share a ledger."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.cli.running import Process, Result
from tests.support.mariadb import MariaDBServer
from tests.support.shared_verify import plant_everything

QUEUE = "load/shared"
READER = "verify_reader"
OPTIONS = ("verify", "-q", QUEUE, "--settle", "0", "--min-age", "0", "--fail-on", "info", "-o", "json")


class Verifies:
    """Verifies of one queue with damage of every kind, with a ledger beside it."""

    def __init__(self, home: Path, url: str) -> None:
        self.ledger_url = f"sqlite:///{home / 'ledger.db'}"
        self._process = Process(home)
        self._places = ("--database-url", url, "--ledger-url")

    def __call__(self, *more: str, ledger_url: str = "") -> Result:
        return self._process(*OPTIONS, *self._places, ledger_url or self.ledger_url, *more)

    def listed(self) -> list[dict[str, Any]]:
        answer = self._process("runs", "list", "-q", QUEUE, "-o", "json", *self._places, self.ledger_url)
        found: list[dict[str, Any]] = json.loads(answer.stdout)["data"]["items"]
        return found


@pytest.fixture(params=["sqlite", "mariadb"])
def verifies(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Verifies]:
    """On the server by a login that may only read."""
    server: MariaDBServer | None = None
    if request.param == "sqlite":
        made = url = f"sqlite:///{tmp_path / 'queue.db'}"
    else:
        made = request.getfixturevalue("mariadb_database")
        server = request.getfixturevalue("mariadb")
        name = made.rsplit("/", 1)[1]
        server.execute(f"CREATE USER '{READER}'@'%'")
        server.execute(f"GRANT SELECT ON `{name}`.* TO '{READER}'@'%'")
        url = made.replace("root@", f"{READER}@")
    with open_storage(made) as factory:
        factory.admin.create_tables()
        plant_everything(factory.for_queue(QUEUE), 300, 2)
    yield Verifies(tmp_path, url)
    if server is not None:
        server.execute(f"DROP USER '{READER}'@'%'")


def told(result: Result) -> dict[str, Any]:
    """The document, without its run and the times of its reads."""
    assert result.stderr.count("Traceback") == 0, result.stderr
    document = result.document
    del document["data"]["run_id"]
    for finding in document["data"]["findings"]:
        for read in finding["reads"]:
            read.clear()
    return document


def test_two_workers_tell_what_one_process_tells(verifies: Verifies) -> None:
    one, two = verifies(), verifies("--workers", "2")
    assert (one.code, two.code) == (3, 3)
    assert told(two) == told(one)
    shared, alone = verifies.listed()
    assert (shared["status"], shared["kind"]) == ("COMPLETED", "verify")
    assert {**shared["counts"], "quarantined": 0} == {**alone["counts"], "quarantined": 0}
    run_id = two.document["data"]["run_id"]
    with open_ledger(verifies.ledger_url, read_only=True) as ledger:
        run = ledger.for_queue(QUEUE).runs.find(run_id)
    assert run is not None
    assert (run.header.document["verdict"], run.header.document["exit_code"]) == ("findings", 3)
    kept = Path(str(run.header.document["findings_file"])).read_text(encoding="utf-8").splitlines()
    assert len(kept) == two.document["data"]["findings_total"]


@pytest.mark.parametrize("verifies", ["sqlite"], indirect=True)
class TestWhatIsNotShared:
    def test_several_workers_need_a_ledger(self, verifies: Verifies) -> None:
        result = verifies("--workers", "2", ledger_url="none")
        assert (result.code, result.document["errors"][0]["code"]) == (7, "refused")
        assert "need a ledger" in result.document["errors"][0]["message"]

    def test_a_part_of_the_queue_is_left_to_one_process_which_is_said(self, verifies: Verifies) -> None:
        one, two = verifies("--last", "50"), verifies("--last", "50", "--workers", "2")
        assert told(two) == told(one)
        assert "a part of the queue is looked at by one process" in two.stderr
        assert "a part of the queue" not in one.stderr

    def test_a_list_of_findings_and_a_baseline_are_written_as_by_one_process(
        self, verifies: Verifies, tmp_path: Path
    ) -> None:
        lists = []
        for workers in ("1", "2"):
            file, baseline = tmp_path / f"findings{workers}", tmp_path / f"known{workers}"
            verifies("--workers", workers, "--findings-file", str(file), "--write-baseline", str(baseline))
            ids = [json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()]
            lists.append((ids, baseline.read_text(encoding="utf-8").count(QUEUE)))
        assert lists[0] == lists[1]
        assert len(lists[0][0]) > 50


def test_several_queues_are_divided_otherwise(tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text(QUEUE)
    result = Process(tmp_path)("verify", "--queues-from", names, "--workers", "2", "-o", "json")
    assert result.code == 2
    assert "--shard" in result.document["errors"][0]["hint"]
