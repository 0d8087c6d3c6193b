"""What verify, history and lists read from a replica: they say so, and confirm on the primary what they report."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.cli import build_app
from stovepipe_cli.commands.replica import READERS
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program, Result, leaf_commands
from tests.support.lifecycles import Life, put, succeeded
from tests.support.mariadb import HOST
from tests.support.replica import Replicated, replicated

NOBODY = "mysql://root@127.0.0.1:1/q"


@pytest.fixture(scope="module")
def servers(mariadb_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicated]:
    with replicated(mariadb_template, tmp_path_factory.mktemp("replicated")) as both:
        yield both


@dataclass(frozen=True, slots=True)
class Pair:
    """One database on both servers, and the program."""

    servers: Replicated
    program: Program
    name: str
    storage: Storage

    @property
    def replica_host(self) -> str:
        return f"{HOST}:{self.servers.replica.port}"

    @property
    def primary_host(self) -> str:
        return f"{HOST}:{self.servers.primary.port}"

    def put(self, *lives: Life) -> None:
        put(self.storage, *lives)

    def complete(self, life: Life, log_id: str) -> None:
        """Write an entry that a life lacked, on the primary alone until the replica follows."""
        self.storage.bulk.insert([life.log[log_id]])

    def run(self, *words: str, database: str | None = None) -> Result:
        url = self.servers.primary.url(self.name) if database is None else database
        read_url = self.servers.replica.url(self.name)
        argv = (*words, "-q", "monorepo/main", "--database-url", url, "--read-url", read_url, "-o", "json")
        return self.program(*argv)

    def verify(self, *words: str, database: str | None = None) -> Result:
        return self.run("verify", "--min-age", "15m", *words, database=database)


@pytest.fixture
def pair(servers: Replicated, tmp_path: Path) -> Iterator[Pair]:
    name = servers.primary.unused_name("pair")
    url = servers.primary.create_database(name)
    with open_storage(url) as factory:
        factory.admin.create_tables()
        storage = factory.for_queue("monorepo/main")
        yield Pair(servers, Program(tmp_path), name, storage)
    servers.go_on()
    servers.primary.drop_database(name)


def findings(result: Result) -> list[str]:
    return [found["code"] for found in result.document["data"]["findings"]]


def blocking(result: Result) -> list[str]:
    found: list[str] = result.document["data"]["blocking"]
    return found


def lacking_its_end() -> tuple[Life, Life]:
    """A life without its last entry, and the same one with it."""
    return succeeded(2).drop("state/3"), succeeded(2)


def test_a_verify_says_from_which_replica_it_is_and_how_far_that_was_behind(pair: Pair) -> None:
    pair.put(succeeded(1))
    pair.servers.catch_up()
    result = pair.verify()
    assert (result.code, result.document["verdict"]) == (0, "clean"), result
    target = result.document["target"]
    assert (target["host"], target["origin"], target["replica_lag_ms"]) == (pair.replica_host, "flag --read-url", 0)
    assert f"read from the replica at '{pair.replica_host}', 0 behind" in result.stderr


def test_damage_that_both_servers_show_is_a_finding(pair: Pair) -> None:
    pair.put(succeeded(1), lacking_its_end()[0])
    pair.servers.catch_up()
    result = pair.verify()
    assert (result.code, findings(result)) == (3, ["H102"])
    assert len(result.document["data"]["findings"][0]["reads"]) == 2


@pytest.mark.parametrize("settle", ["5s", "0"])
def test_what_the_replica_alone_lacks_is_no_finding(pair: Pair, settle: str) -> None:
    damaged, whole = lacking_its_end()
    pair.put(succeeded(1), damaged)
    pair.servers.catch_up()
    pair.servers.delay()
    pair.complete(whole, "state/3")
    result = pair.verify("--settle", settle)
    assert (result.code, findings(result)) == (0, [])


def test_a_replica_that_does_not_follow_gives_no_clean_verdict(pair: Pair) -> None:
    pair.put(succeeded(1))
    pair.servers.catch_up()
    pair.servers.stop()
    result = pair.verify()
    assert (result.code, result.document["verdict"]) == (4, "incomplete")
    assert blocking(result) == [f"how far the replica at '{pair.replica_host}' is behind is not known"]
    assert result.document["target"]["replica_lag_ms"] is None


def test_a_replica_further_behind_than_what_counts_as_pending_gives_no_clean_verdict(pair: Pair) -> None:
    pair.put(succeeded(1))
    pair.servers.catch_up()
    pair.servers.delay()
    put(pair.storage, succeeded(2), queue_row=False)
    pair.servers.await_lag()
    result = pair.run("verify", "--min-age", "0")
    (sentence,) = blocking(result)
    assert (result.code, result.document["verdict"]) == (4, "incomplete")
    assert "behind, more than the 0 of --min-age" in sentence
    assert pair.verify().code == 0


def test_a_server_that_is_no_replica_gives_no_clean_verdict(pair: Pair) -> None:
    pair.put(succeeded(1))
    url = pair.servers.primary.url(pair.name)
    result = pair.program("verify", "-q", "monorepo/main", "--database-url", url, "--read-url", url, "-o", "json")
    assert (result.code, result.document["verdict"]) == (4, "incomplete")


def test_without_a_primary_the_replica_alone_is_believed_and_that_is_told(pair: Pair) -> None:
    pair.put(succeeded(1), lacking_its_end()[0])
    pair.servers.catch_up()
    result = pair.verify(database=NOBODY)
    assert (result.code, findings(result)) == (3, ["H102"])
    sentence = f"the primary could not be reached: what was found is confirmed on the replica at '{pair.replica_host}'"
    assert any(note.startswith(sentence) for note in result.document["data"]["notes"])
    assert "nothing is confirmed on the primary" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        "history show 1",
        "queues list",
        "queue show",
        "requests list",
        "request show 1",
        "issues list",
        "issues observations b-1",
        "facts list --uri git://none",
        "verify --settle 0",
    ],
)
def test_history_and_lists_answer_from_the_replica(pair: Pair, words: str) -> None:
    pair.put(succeeded(1))
    pair.servers.catch_up()
    target = pair.run(*words.split()).document["target"]
    assert (target["host"], target["replica_lag_ms"]) == (pair.replica_host, 0)


@pytest.mark.parametrize("words", ["repair plan --settle 0", "backfill acceptances", "db ping", "db check"])
def test_plans_and_what_may_lead_to_a_write_read_the_primary(pair: Pair, words: str) -> None:
    pair.put(succeeded(1))
    target: dict[str, Any] = pair.run(*words.split()).document["target"]
    assert target["host"] == pair.primary_host
    assert "replica_lag_ms" not in target


def test_a_plan_sees_what_the_replica_does_not_have_yet(pair: Pair) -> None:
    pair.servers.stop()
    pair.put(lacking_its_end()[0])
    plan = pair.run("repair", "plan", "--settle", "0").document["data"]
    assert [entry["log_id"] for entry in plan["entries"]] == ["state/3"]


def test_the_replica_of_a_profile_is_read_too(pair: Pair) -> None:
    pair.put(succeeded(1))
    pair.servers.catch_up()
    file = "profiles:\n  p:\n    database_url: {}\n    read_url: {}\n    queues: [monorepo/main]\n"
    pair.program.configure(file.format(pair.servers.primary.url(pair.name), pair.servers.replica.url(pair.name)))
    target = pair.program("history", "show", "1", "--profile", "p", "-o", "json").document["target"]
    assert (target["profile"], target["host"], target["replica_lag_ms"]) == ("p", pair.replica_host, 0)


def test_a_lost_replica_is_said_to_be_one(pair: Pair) -> None:
    url = pair.servers.primary.url(pair.name)
    result = pair.program("history", "show", "1", "-q", "q", "--database-url", url, "--read-url", NOBODY, "-o", "json")
    assert (result.code, result.document["target"]["host"]) == (6, "127.0.0.1:1")


def test_every_command_that_reads_a_replica_exists() -> None:
    import typer.main

    group = typer.main.get_command(build_app())
    assert {words for words, _ in leaf_commands(getattr(group, "commands"))} >= READERS  # noqa: B009 - Typer's own class
