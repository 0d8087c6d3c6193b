"""Fixture commands: generated queues with the list of what was planted, and scenarios checked without a database."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.fixtures_io.generator import plantable
from tests.cli.every_command import database_file
from tests.cli.running import Program

PROTECTED = "profiles:\n  safe:\n    database_url: sqlite:///{file}\n    protected: true\n"


@pytest.fixture
def empty(program: Program, database: Callable[[str], Path]) -> Program:
    """The program on a database with tables alone."""
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('empty')}", "STOVEPIPE_QUEUE": "load/test"}
    return program


def generate(program: Program, *argv: str | Path) -> int:
    return program("fixtures", "generate", "--requests", "120", "--seed", "7", *argv).code


def listed(file: Path) -> list[tuple[str, str | None]]:
    return [(each["code"], each["request_id"]) for each in map(json.loads, file.read_text().splitlines())]


def test_verify_finds_exactly_what_the_planted_file_lists(empty: Program, home: Path) -> None:
    planted, found = home / "planted.ndjson", home / "found.ndjson"
    damage = ("--damage", "H102=3,a401=10", "--damage", "Q604=1,E204=2")
    assert generate(empty, *damage, "--planted-file", planted) == 0
    assert empty("verify", "--settle", "0", "--fail-on", "info", "--findings-file", found).code == 3
    key = repr
    assert sorted(listed(found), key=key) == sorted(listed(planted), key=key)
    assert len(listed(planted)) == 16


def test_the_planted_file_of_sqlite_lies_beside_the_database(empty: Program) -> None:
    result = empty("fixtures", "generate", "--requests", "9", "--damage", "A401=2", "-o", "json")
    file = Path(f"{database_file(empty)}.load-test.planted.ndjson")
    assert result.document["data"] == {
        "queue": "load/test",
        "requests": 9,
        "seed": 0,
        "rows": 9 * 12 - 2 + 1,
        "planted": {"A401": 2},
        "planted_file": str(file),
    }
    assert [code for code, _ in listed(file)] == ["A401", "A401"]


def test_a_healthy_queue_is_clean_and_has_no_list(empty: Program) -> None:
    assert generate(empty) == 0
    assert empty("verify", "--settle", "0", "--fail-on", "info").code == 0
    assert not list(database_file(empty).parent.glob("*.planted.ndjson"))


def test_the_same_seed_gives_the_same_queue(empty: Program, home: Path) -> None:
    first, second = home / "1", home / "2"
    generate(empty, "--planted-file", first, "--damage", "U501=4")
    empty("fixtures", "generate", "--requests", "120", "--seed", "7", "-q", "load/again", "--planted-file", second)
    generate(empty, "-q", "load/third", "--planted-file", second, "--damage", "U501=4")
    assert listed(first) == listed(second)


def test_a_queue_that_holds_rows_is_refused(demo: Program) -> None:
    result = demo("fixtures", "generate", "--requests", "5")
    assert (result.code, "holds rows already" in result.stderr) == (7, True)
    assert demo("fixtures", "generate", "--requests", "5", "--ids", "path", "--into-existing").code == 0


def test_a_protected_profile_is_refused(empty: Program) -> None:
    file = database_file(empty)
    empty.configure(PROTECTED.format(file=file))
    del empty.environ["STOVEPIPE_DATABASE_URL"]
    result = empty("--profile", "safe", "fixtures", "generate", "--requests", "5", "--into-existing")
    assert (result.code, "protected" in result.stderr) == (7, True)


@pytest.mark.parametrize(
    "argv",
    [
        ("--requests", "0"),
        ("--requests", "5", "--damage", "H999=1"),
        ("--requests", "5", "--damage", "H102"),
        ("--requests", "5", "--damage", "H102=-1"),
        ("--requests", "5", "--damage", "H102=1,h102=1"),
        ("--requests", "5", "--damage", "H102=4"),
        ("--requests", "5", "--damage", "Q604=2"),
        ("--requests", "5", "--ids", "roman"),
        ("--requests", "5", "--damage", "A401=1", "--planted-file", "/nowhere/at/all"),
    ],
)
def test_what_cannot_be_generated_is_refused_before_anything_is_written(argv: tuple[str, ...], empty: Program) -> None:
    assert empty("fixtures", "generate", *argv).code == 2
    assert empty("verify", "--allow-empty").code == 0
    assert empty("verify").code == 5


def test_a_code_that_cannot_be_planted_gets_a_near_one_as_a_hint(empty: Program) -> None:
    result = empty("fixtures", "generate", "--requests", "5", "--damage", "H109X=1")
    assert "did you mean 'H109'?" in result.stderr
    assert "H109" in plantable()


def test_a_scenario_is_checked_without_a_database(program: Program) -> None:
    data = program("fixtures", "check", "demo", "-o", "json").document["data"]
    assert (data["file"], data["queue"], data["expected_findings"]) == ("demo.yaml", "demo/main", 10)
    assert data["rows"]["request"] == 12


def test_a_scenario_with_a_mistake_is_refused_with_its_line(program: Program, home: Path) -> None:
    file = home / "s.yaml"
    file.write_text("format: 1\nqueue: q\nlifecyclse: []\n")
    result = program("fixtures", "check", file)
    assert (result.code, result.stderr.splitlines()[0]) == (2, f"stovepipe: {file}:3: a scenario has no 'lifecyclse'")
