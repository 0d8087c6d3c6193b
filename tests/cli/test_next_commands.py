"""A command that is advised can be pasted as it stands, and asks the database that was just asked."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Program

QUEUE = "demo/main"
ADVISED = re.compile(r"stovepipe (.*?)(?:, then |$)")

ENDINGS = {
    "verify": "verify --settle 0",
    "plan": "repair plan --settle 0",
    "history": "history show 204",
    "history in rows": "history show 204 -o tsv",
}


@pytest.fixture
def other(program: Program, database: Callable[[str], Path]) -> Program:
    """The program whose default profile is an empty database, and whose profile 'other one' is the damaged queue."""
    file = program.home / ".config/stovepipe/config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(
        "default_profile: first\n"
        "profiles:\n"
        f"  first:\n    database_url: sqlite:///{database('empty')}\n"
        f"  other one:\n    database_url: sqlite:///{database('demo')}\n    queues: [{QUEUE}]\n"
    )
    file.chmod(0o600)
    return program


def advised(stderr: str) -> list[list[str]]:
    lines = [line.removeprefix("next: ") for line in stderr.splitlines() if line.startswith("next: stovepipe")]
    return [shlex.split(command) for line in lines for command in ADVISED.findall(line)]


@pytest.mark.parametrize("words", ENDINGS.values(), ids=ENDINGS)
def test_the_next_command_goes_to_the_profile_that_was_named(words: str, other: Program) -> None:
    result = other(*words.split(), "--profile", "other one")
    commands = advised(result.stderr)
    assert commands
    for command in commands:
        assert command[:2] == ["--profile", "other one"]


@pytest.mark.parametrize("words", ENDINGS.values(), ids=ENDINGS)
def test_the_next_command_goes_to_the_profile_that_the_environment_named(words: str, other: Program) -> None:
    other.environ["STOVEPIPE_PROFILE"] = "other one"
    commands = advised(other(*words.split()).stderr)
    assert commands
    for command in commands:
        assert command[:2] == ["--profile", "other one"]


def test_an_option_for_the_profile_goes_before_the_environment_in_the_next_command(other: Program) -> None:
    other.environ["STOVEPIPE_PROFILE"] = "first"
    (command,) = advised(other("verify", "--settle", "0", "--profile", "other one").stderr)
    assert command[:2] == ["--profile", "other one"]


def test_the_next_command_of_a_verify_runs_as_it_stands(other: Program) -> None:
    (command,) = advised(other("verify", "--settle", "0", "--profile", "other one").stderr)
    assert other(*command, "--settle", "0", "-o", "json").document["data"]["counts"]["ready"] > 0


def test_a_command_in_a_timeline_goes_there_too(other: Program) -> None:
    result = other("history", "show", "204", "--profile", "other one", "-o", "table", width=200)
    assert "→ stovepipe --profile 'other one' repair plan -q demo/main --request 204" in result.stdout


def test_a_command_in_the_hint_of_a_failure_goes_there_too(other: Program) -> None:
    result = other("verify", "-q", "nowhere", "--profile", "first")
    assert result.code == 5
    assert "'stovepipe --profile first queues list'" in result.stderr


def test_what_the_environment_says_is_not_repeated(demo: Program) -> None:
    assert advised(demo("verify", "--settle", "0").stderr) == [["repair", "plan", "-q", QUEUE]]


def test_a_url_with_a_password_is_not_repeated(program: Program) -> None:
    result = program("queues", "list", "--database-url", "mysql://u:hunter2@127.0.0.1:1/d")
    assert result.code == 2
    assert "hunter2" not in result.stderr


def test_a_plan_that_was_written_to_a_file_is_applied_from_that_file(demo: Program) -> None:
    file = demo.home / "the plan.json"
    commands = advised(demo("repair", "plan", "--settle", "0", "--out", file).stderr)
    assert commands == [["repair", "apply", "-q", QUEUE, str(file)]]
    assert demo(*commands[0], "--yes").code == 0


def test_a_plan_that_is_in_no_file_is_told_how_to_get_into_one(demo: Program) -> None:
    commands = advised(demo("repair", "plan", "--settle", "0").stderr)
    assert commands == [
        ["repair", "plan", "-q", QUEUE, "--out", "FILE"],
        ["repair", "apply", "-q", QUEUE, "FILE"],
    ]


def test_the_next_command_is_about_all_findings_also_where_one_is_listed(demo: Program) -> None:
    result = demo("verify", "--settle", "0", "--max-findings", "1")
    assert advised(result.stderr) == [["repair", "plan", "-q", QUEUE]]
