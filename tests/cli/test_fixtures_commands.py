"""Fixture commands: generated queues, scenarios checked, loaded to the letter or refused, and queues dumped to them."""

import hashlib
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.fixtures_io.generator import plantable
from stovepipe_cli.storage import open_storage
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


@pytest.mark.parametrize("command", ["check", "load"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("helthy", "did you mean 'healthy'?"),
        ("H102", "did you mean 'h102'?"),
        ("nosuch", "give the path of a file, or a bundled scenario: "),
        ("nosuch.yaml", "check the path"),
        ("cases/nosuch", "check the path"),
    ],
)
def test_a_name_that_is_no_scenario_gets_a_near_one_or_where_to_look(
    command: str, name: str, hint: str, empty: Program
) -> None:
    result = empty("fixtures", command, name, "-o", "json")
    assert result.code == 2
    assert result.document["errors"][0]["hint"].startswith(hint)


def test_a_scenario_with_a_mistake_is_refused_with_its_line(program: Program, home: Path) -> None:
    file = home / "s.yaml"
    file.write_text("format: 1\nqueue: q\nlifecyclse: []\n")
    result = program("fixtures", "check", file)
    assert (result.code, result.stderr.splitlines()[0]) == (2, f"stovepipe: {file}:3: a scenario has no 'lifecyclse'")


def dump(program: Program, file: Path, *argv: str | Path) -> dict[str, Any]:
    data = program("fixtures", "dump", "--out", file, *argv, "-o", "json").document["data"]
    assert isinstance(data, dict)
    return data


def test_a_dump_says_what_is_in_it_and_nobody_else_can_read_it(demo: Program, home: Path) -> None:
    file = home / "demo.yaml"
    data = dump(demo, file)
    assert (data["file"], data["queue"], data["requests"], data["unloadable"]) == (str(file), "demo/main", None, 0)
    assert data["rows"]["request_log"] == 47
    assert data["digest"] == f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_dump_loads_into_another_database_and_changes_nothing_where_it_came_from(demo: Program, home: Path) -> None:
    file = home / "demo.yaml"
    digest = dump(demo, file)["digest"]
    again = demo("fixtures", "load", file, "-o", "json").document["data"]
    assert (again["created"], again["unchanged"], again["digest"]) == (0, 114, digest)
    elsewhere = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{home / 'copy.db'}"}
    assert demo("db", "init", environ=elsewhere).code == 0
    assert demo("fixtures", "load", file, "-o", "json", environ=elsewhere).document["data"]["created"] == 114
    found = demo("verify", "--settle", "0", "-o", "json", environ=elsewhere).document["data"]["counts"]
    assert found == demo("verify", "--settle", "0", "-o", "json").document["data"]["counts"]


def test_a_file_that_exists_is_left_as_it_is_unless_forced(demo: Program, home: Path) -> None:
    file = home / "mine.yaml"
    file.write_text("mine\n")
    result = demo("fixtures", "dump", "--out", file)
    assert (result.code, file.read_text()) == (7, "mine\n")
    assert f"'{file}' exists and is left as it is" in result.stderr
    assert demo("fixtures", "dump", "--out", file, "--force").code == 0
    assert file.read_text().startswith("format: 1\n")


@pytest.mark.parametrize("reference", ["@latest", "213", "git://origin/demo/main/ca540ed2a604", "ca540ed2a"])
def test_a_request_is_chosen_by_any_of_its_names(reference: str, demo: Program, home: Path) -> None:
    assert dump(demo, home / "one.yaml", "--request", reference)["requests"] == ["213"]


def test_requests_are_chosen_together_and_once(demo: Program, home: Path) -> None:
    data = dump(demo, home / "two.yaml", "--request", "204", "--request", "@latest", "--request", "213")
    assert data["requests"] == ["204", "213"]
    assert data["rows"]["request"] == 2
    assert "queue" not in data["rows"]


def test_nothing_is_written_for_a_request_or_queue_that_is_not_there(demo: Program, home: Path) -> None:
    file = home / "none.yaml"
    result = demo("fixtures", "dump", "--out", file, "--request", "999")
    assert (result.code, "nothing is known of request '999'" in result.stderr) == (5, True)
    result = demo("fixtures", "dump", "--out", file, "-q", "demo/mian")
    assert (result.code, "did you mean 'demo/main'?" in result.stderr) == (5, True)
    assert list(home.glob("*none.yaml*")) == []


def test_one_key_gives_the_same_copy_and_none_another_each_time(demo: Program, home: Path) -> None:
    key = home / "key"
    key.write_text("a secret of some length\n")
    keyed = [dump(demo, home / name, "--anonymize-key-file", key) for name in ("a", "b")]
    loose = [dump(demo, home / name, "--anonymize") for name in ("c", "d")]
    assert keyed[0]["digest"] == keyed[1]["digest"]
    assert len({each["digest"] for each in (*keyed, *loose)}) == 3
    assert [each["anonymized"] for each in (*keyed, *loose)] == [True] * 4
    assert {"demo/main"} & {each["queue"] for each in (*keyed, *loose)} == set()


def test_an_anonymous_copy_has_the_findings_of_the_queue(demo: Program, home: Path) -> None:
    file = home / "copy.yaml"
    queue = dump(demo, file, "--anonymize")["queue"]
    assert "demo/main" not in file.read_text()
    elsewhere = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{home / 'copy.db'}", "STOVEPIPE_QUEUE": queue}
    demo("db", "init", environ=elsewhere)
    assert demo("fixtures", "load", file, environ=elsewhere).code == 0
    found = demo("verify", "--settle", "0", "-o", "json", environ=elsewhere).document["data"]["counts"]
    assert found == demo("verify", "--settle", "0", "-o", "json").document["data"]["counts"]


@pytest.mark.parametrize("content", [None, b"", b"short\n", b"x" * 5_000])
def test_a_key_that_is_none_is_refused_and_never_shown(content: bytes | None, demo: Program, home: Path) -> None:
    key = home / "key"
    if content is not None:
        key.write_bytes(content)
    result = demo("fixtures", "dump", "--out", home / "out.yaml", "--anonymize-key-file", key)
    assert (result.code, "short" in result.stderr, (home / "out.yaml").exists()) == (2, False, False)


def test_a_dump_is_allowed_on_a_protected_profile_and_writes_nothing_to_it(demo: Program, home: Path) -> None:
    file = database_file(demo)
    demo.configure(PROTECTED.format(file=file))
    del demo.environ["STOVEPIPE_DATABASE_URL"]
    before = file.read_bytes()
    assert demo("--profile", "safe", "fixtures", "dump", "--out", home / "safe.yaml").code == 0
    assert file.read_bytes() == before


def test_a_load_into_a_protected_profile_is_refused_and_nothing_is_written(empty: Program) -> None:
    file = database_file(empty)
    empty.configure(PROTECTED.format(file=file))
    del empty.environ["STOVEPIPE_DATABASE_URL"]
    for more in ((), ("--into-existing",), ("--yes",)):
        result = empty("--profile", "safe", "fixtures", "load", "healthy", *more)
        assert (result.code, "protected" in result.stderr) == (7, True)
    assert empty("queues", "list", "-o", "json", "--profile", "safe").document["data"]["items"] == []


def test_a_load_answers_with_the_digest_of_the_file(empty: Program, home: Path) -> None:
    file = home / "s.yaml"
    file.write_text("format: 1\nqueue: load/test\n")
    digest = f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
    for command in ("load", "check"):
        assert empty("fixtures", command, file, "-o", "json").document["data"]["digest"] == digest


SCENARIO = "format: 1\nqueue: load/test\nlifecycles:\n  - {number: 1, outcome: accepted, accepted_at: 1767268800000}\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("  - {number: 1, outcome: accepted}\n", "5: row ('1') of table 'request' already stands at line 4"),
        ("  - {number: 2, number: 3, outcome: accepted}\n", "5: key 'number' already stands on line 5"),
        ("  - {id: '2', id: '2', outcome: accepted}\n", "5: key 'id' already stands on line 5"),
        ("  - {number: 2, outcome: accepted, statuss: x}\n", "5: a lifecycle has no 'statuss'"),
        ("rows:\n  build:\n    - {id: b, request_id: '1', statuss: x}\n", "7: table 'build' has no 'statuss'"),
        ("rows:\n  builds: []\n", "6: there is no table 'builds'"),
    ],
)
def test_keys_that_come_twice_and_keys_that_are_none_are_refused_and_nothing_is_loaded(
    more: str, message: str, empty: Program, home: Path
) -> None:
    file = home / "s.yaml"
    file.write_text(SCENARIO + more)
    result = empty("fixtures", "load", file)
    assert (result.code, result.stderr.splitlines()[0]) == (2, f"stovepipe: {file}:{message}")
    assert empty("queues", "list", "-o", "json").document["data"]["items"] == []


TRAPS = ("007", "1e3", "0x10", "no", "12:30:45", "2024-01-01", "~")


def test_ids_that_look_like_numbers_dates_or_nothing_are_stored_as_written(empty: Program, home: Path) -> None:
    file = home / "s.yaml"
    lines = [f"    - {{id: {each}, request_id: {each}, status: {each}, version: 1}}\n" for each in TRAPS]
    file.write_text(f"format: 1\nqueue: load/test\nrows:\n  build:\n{''.join(lines)}")
    assert empty("fixtures", "load", file).code == 0
    with open_storage(f"sqlite:///{database_file(empty)}") as factory:
        builds = factory.for_queue("load/test").builds
        assert [(builds.get(each).id, builds.get(each).status) for each in TRAPS] == [(each, each) for each in TRAPS]


@pytest.mark.parametrize("value", ["007", "1e3", "0x10", "no", "12:30:45", "2024-01-01", "~", "", "''", "1.0"])
def test_a_number_is_plain_digits_or_refused_with_its_line(value: str, empty: Program, home: Path) -> None:
    file = home / "s.yaml"
    file.write_text(f"format: 1\nqueue: load/test\nrows:\n  build:\n    - id: b\n      version: {value}\n")
    result = empty("fixtures", "load", file)
    assert (result.code, result.stderr.startswith(f"stovepipe: {file}:6: build.version is '")) == (2, True)


def test_text_that_was_left_out_is_refused_with_its_line(empty: Program, home: Path) -> None:
    file = home / "s.yaml"
    file.write_text("format: 1\nqueue: load/test\nrows:\n  build:\n    - id: b\n      status:\n")
    result = empty("fixtures", "load", file)
    assert (result.code, result.stderr.splitlines()[0]) == (2, f"stovepipe: {file}:6: build.status has no value")


def test_near_misses_are_loaded_by_name_into_one_database(empty: Program) -> None:
    del empty.environ["STOVEPIPE_QUEUE"]
    for name in ("h103", "e210"):
        assert empty("fixtures", "load", f"near-misses/{name}").code == 0
        assert empty("verify", "-q", f"near/{name}", "--settle", "0").code == 0
