"""Verify of several queues: which, in what order, for how long, and what becomes of all of them together."""

import json
from pathlib import Path

import pytest

from stovepipe_cli.audit.many_queues import Budget, Shard, parse_shard, stalest_first
from stovepipe_cli.errors import UsageError
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import FixedClock, Program, Result

NAMES = ("a/clean", "b/damaged", "c/clean", "d/odd")


@pytest.fixture
def several(program: Program, tmp_path: Path) -> Program:
    """Four queues: two clean, one damaged, and one whose history never began, so that it cannot be judged."""
    url = f"sqlite:///{tmp_path}/several.db"
    with open_storage(url) as factory:
        factory.admin.create_tables()
        for name, damage in (("a/clean", {}), ("b/damaged", {"A401": 2, "U501": 1}), ("c/clean", {})):
            generate(factory.for_queue(name), SyntheticQueue(name, 20, 1, damage), into_existing=False)
        factory.for_queue("d/odd").bulk.insert([RequestRow("1", "git://x/1", "accepted", "", "", 1, "")])
    program.environ |= {"STOVEPIPE_DATABASE_URL": url}
    return program


def queues_of(result: Result) -> dict[str, str]:
    return {each["queue"]: each["verdict"] for each in result.document["data"]["queues"]}


def verify(program: Program, *argv: str | Path) -> Result:
    return program("verify", "--all-queues", "--settle", "0", "-o", "json", *argv)


def test_every_queue_has_its_verdict_and_the_worst_is_that_of_all(several: Program) -> None:
    result = verify(several)
    assert queues_of(result) == {"a/clean": "clean", "b/damaged": "findings", "c/clean": "clean", "d/odd": "findings"}
    assert (result.code, result.document["verdict"], result.document["data"]["worst"]) == (3, "findings", "findings")
    assert result.document["queue"] is None
    damaged = result.document["data"]["queues"][1]
    assert (damaged["exit_code"], damaged["counts"]) == (3, {"A401": 2, "U501": 1})
    assert damaged["coverage"]["requests"] == {"checked": 20, "skipped": 0, "absent": False}


def test_clean_queues_are_clean_together(several: Program) -> None:
    result = verify(several, "--exclude-queue", "b/damaged", "--exclude-queue", "d/odd")
    assert (result.code, queues_of(result)) == (0, {"a/clean": "clean", "c/clean": "clean"})


def test_an_error_outranks_findings_and_does_not_stop_the_others(several: Program, home: Path) -> None:
    file = home / "queues"
    file.write_text("nowhere\nb/damaged\na/clean\n")
    result = several("verify", "--queues-from", file, "--settle", "0", "-o", "json")
    assert queues_of(result) == {"nowhere": "error", "b/damaged": "findings", "a/clean": "clean"}
    assert (result.code, result.document["verdict"]) == (5, "error")
    assert result.document["data"]["queues"][0]["error"] == "queue 'nowhere' has no row in any table"


def test_incomplete_outranks_clean(several: Program) -> None:
    several.environ |= {"STOVEPIPE_QUEUE": "ignored/here"}
    result = verify(several, "--exclude-queue", "b/damaged", "--ignore", "U,Q", "--exit-zero")
    assert queues_of(result)["d/odd"] == "incomplete"
    assert (result.code, result.document["data"]["worst"]) == (4, "incomplete")


def test_a_line_of_ndjson_is_the_summary_of_a_queue(several: Program) -> None:
    *queues, last = several("verify", "--all-queues", "--settle", "0", "-o", "ndjson").lines
    assert [(each["kind"], each["queue"]) for each in queues] == [("queue-summary", name) for name in NAMES]
    assert (last["kind"], last["data"]) == ("summary", {"worst": "findings"})


def test_a_table_ends_with_the_worst_verdict(several: Program) -> None:
    result = several("verify", "--all-queues", "--settle", "0", "-o", "table")
    assert result.stdout.splitlines()[-1] == "findings: the worst of 4 queues"


def test_the_findings_file_names_the_queue_of_each_finding(several: Program, home: Path) -> None:
    file = home / "findings.ndjson"
    verify(several, "--findings-file", file, "--exclude-queue", "d/odd")
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(each["queue"], each["code"]) for each in written].count(("b/damaged", "A401")) == 2
    assert {each["queue"] for each in written} == {"b/damaged"}


def test_one_baseline_serves_all_queues(several: Program, home: Path) -> None:
    file = home / "known.ndjson"
    assert verify(several, "--write-baseline", file, "--exclude-queue", "d/odd").code == 3
    assert verify(several, "--baseline", file, "--exclude-queue", "d/odd").code == 0


def test_files_tell_of_every_queue(several: Program, home: Path) -> None:
    files = ("--metrics-file", home / "m.prom", "--junit-file", home / "j.xml", "--html-file", home / "h.html")
    verify(several, *files)
    for file in ("m.prom", "j.xml", "h.html"):
        assert all(name in (home / file).read_text() for name in NAMES), file


def test_a_database_that_is_down_is_told_of_every_queue_that_the_metrics_know(several: Program, home: Path) -> None:
    file = home / "m.prom"
    verify(several, "--metrics-file", file)
    assert verify(several, "--metrics-file", file, "--database-url", "mysql://u@127.0.0.1:1/x").code == 6
    for name in NAMES:
        assert f'verdict{{queue="{name}",scope="",verdict="error"}} 1.0' in file.read_text()


def test_without_any_queue_there_is_nothing_to_verify(program: Program, tmp_path: Path) -> None:
    with open_storage(f"sqlite:///{tmp_path}/none.db") as factory:
        factory.admin.create_tables()
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}
    assert verify(program).code == 5
    assert verify(program, "--allow-empty").code == 0


@pytest.mark.parametrize(
    "argv",
    [
        ("--all-queues", "-q", "a/clean"),
        ("--all-queues", "--request", "1"),
        ("--all-queues", "--history-since", "1"),
        ("--all-queues", "--order", "random"),
        ("--all-queues", "--shard", "0/4"),
        ("--all-queues", "--shard", "5/4"),
        ("--all-queues", "--shard", "half"),
        ("-q", "a/clean", "--shard", "1/2"),
        ("-q", "a/clean", "--exclude-queue", "b"),
        ("-q", "a/clean", "--queue-run-time", "1s"),
        ("--queues-from", "/nowhere/at/all"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(argv: tuple[str, ...], several: Program) -> None:
    assert several("verify", *argv).code == 2


def test_the_order_of_a_file_is_kept_unless_another_is_asked_for(several: Program) -> None:
    argv = ("verify", "--queues-from", "-", "--settle", "0", "-o", "json")
    given = several(*argv, stdin="c/clean\n\na/clean\nc/clean\n")
    assert list(queues_of(given)) == ["c/clean", "a/clean"]
    by_name = several(*argv, "--order", "name", stdin="c/clean\na/clean\n")
    assert list(queues_of(by_name)) == ["a/clean", "c/clean"]


def test_the_stalest_queue_by_the_ledger_comes_first(several: Program) -> None:
    assert list(queues_of(verify(several, "--order", "stalest"))) == list(NAMES), "none was ever verified"
    for name in ("a/clean", "c/clean"):
        several.clock.at_ms += 1_000
        assert several("verify", "-q", name, "--settle", "0").code == 0
    result = verify(several, "--order", "stalest", "--exclude-queue", "d/odd")
    assert list(queues_of(result)) == ["b/damaged", "a/clean", "c/clean"]


def test_a_narrowed_verify_makes_no_queue_less_stale(several: Program) -> None:
    several("verify", "-q", "a/clean", "--settle", "0", "--last", "1")
    several("verify", "-q", "c/clean", "--settle", "0")
    result = verify(several, "--order", "stalest", "--exclude-queue", "d/odd", "--exclude-queue", "b/damaged")
    assert list(queues_of(result)) == ["a/clean", "c/clean"]


def test_stalest_without_a_ledger_is_by_name_and_says_so(several: Program) -> None:
    result = verify(several, "--order", "stalest", "--ledger-url", "none")
    assert list(queues_of(result)) == list(NAMES)
    assert "there is no ledger that knows when a queue was last verified" in result.stderr


def test_a_name_to_leave_out_that_no_queue_has_is_told(several: Program) -> None:
    assert "no queue is called 'a/claen'" in verify(several, "--exclude-queue", "a/claen").stderr


def test_shards_are_disjoint_and_together_everything(several: Program) -> None:
    shares = [set(queues_of(verify(several, "--shard", f"{number}/3", "--allow-empty"))) for number in (1, 2, 3)]
    assert sorted(name for share in shares for name in share) == list(NAMES)


def test_a_share_depends_on_the_name_alone() -> None:
    assert [name for name in NAMES if Shard(1, 2).holds(name)] == [
        name for name in NAMES if not Shard(2, 2).holds(name)
    ]
    assert parse_shard("3/16") == Shard(3, 16)
    with pytest.raises(UsageError):
        parse_shard("\u00b2/3")


def test_queues_whose_turn_does_not_come_are_incomplete(several: Program) -> None:
    result = verify(several, "--run-time", "1s", "--settle", "2s")
    verdicts = queues_of(result)
    assert verdicts["b/damaged"] == "findings", "the one that used the time up"
    assert (verdicts["c/clean"], verdicts["d/odd"]) == ("incomplete", "incomplete")
    assert result.document["data"]["queues"][2]["error"] == "the time budget ended before this queue's turn"


def test_a_queue_may_take_its_own_time_and_no_more_than_is_left() -> None:
    clock = FixedClock()
    budget = Budget(clock, total_ms=10_000, each_ms=4_000)
    assert budget.next_ms() == 4_000
    clock.sleep(8)
    assert budget.next_ms() == 2_000
    clock.sleep(8)
    assert budget.next_ms() == 0
    assert Budget(clock, total_ms=None, each_ms=None).next_ms() is None


def test_the_stalest_comes_first() -> None:
    assert stalest_first(["b", "a", "c", "d"], {"a": 20, "c": 10, "b": 10}) == ["d", "b", "c", "a"]
