"""A mistyped word is answered with the one that was meant."""

import pytest

from tests.cli.every_command import COMMANDS, GROUPS
from tests.cli.running import Program


def hint_of(program: Program, line: str) -> str:
    result = program(*line.split(" "), "-o", "json")
    assert result.code in {2, 5}
    hint: str = result.document["errors"][0]["hint"]
    return hint


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("vrify", "did you mean 'verify'? see: stovepipe --help"),
        ("VERIFY", "did you mean 'verify'? see: stovepipe --help"),
        ("quue show", "did you mean 'queues'? see: stovepipe --help"),
        ("queues shwo", "did you mean 'show'? see: stovepipe queues --help"),
        ("queue LIST", "did you mean 'list'? see: stovepipe queues --help"),
        ("explain H101", "did you mean 'rules explain'? see: stovepipe --help"),
        ("apply plan.json", "did you mean 'repair apply'? see: stovepipe --help"),
        ("list", "see: stovepipe --help"),
        ("zzzz", "see: stovepipe --help"),
        ("verify main", "a queue is named by --queue (-q); see: stovepipe verify --help"),
        ("help exit-code", "did you mean 'exit-codes'? see: stovepipe --help, or stovepipe help exit-codes"),
        ("repair", "its commands are plan, apply; see: stovepipe repair --help"),
        ("history 205", "did you mean 'show 205'? see: stovepipe history --help"),
        ("request @latest", "did you mean 'show @latest'? see: stovepipe requests --help"),
        ("rules H101", "did you mean 'explain H101'? see: stovepipe rules --help"),
        ("help", "see: stovepipe --help, or stovepipe help exit-codes"),
        ("help verify", "see: stovepipe verify --help"),
        ("help repair", "see: stovepipe repair --help"),
        ("verify --quee main", "did you mean '--queue' or '--quiet'? see: stovepipe verify --help"),
        ("verify --Fail-On error", "did you mean '--fail-on'? see: stovepipe verify --help"),
        ("--quiett rules list", "did you mean '--quiet'? see: stovepipe --help"),
        ("rules list --json", "did you mean '--output json'? see: stovepipe rules list --help"),
        (
            "history show 204 205",
            "it takes one REQUEST, and a queue is named by --queue (-q); see: stovepipe history show --help",
        ),
        ("rules explain H1O1", "did you mean 'H101'? see 'stovepipe rules list'"),
        ("verify -q demo/main --select h1o1", "did you mean 'H101'? see 'stovepipe rules list'"),
        ("verify -q demo/main --ignore ZZZ9", "see 'stovepipe rules list'"),
        ("verify -q DEMO/Main", "did you mean 'demo/main'?"),
        ("queue show -q demo/mian", "did you mean 'demo/main'?"),
    ],
)
def test_what_was_meant_is_named(typed: str, hint: str, demo: Program) -> None:
    del demo.environ["STOVEPIPE_QUEUE"]
    found = hint_of(demo, typed)
    assert found == hint if "see" in hint else found.startswith(hint)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_is_found_by_two_swapped_letters(words: str, program: Program) -> None:
    *before, name = words.split(" ")
    swapped = f"{name[1]}{name[0]}{name[2:]}"
    expected = f"did you mean '{name}'" if before else f"did you mean '{words}'"
    assert hint_of(program, " ".join([*before, swapped])).startswith(expected)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_is_found_by_two_swapped_letters(group: str, program: Program) -> None:
    assert f"'{group}'" in hint_of(program, f"{group[1]}{group[0]}{group[2:]} x")


def test_the_message_holds_no_guess_of_the_parser(program: Program) -> None:
    error = program("verify", "--quee", "x", "-o", "json").document["errors"][0]
    assert error["message"] == "no such option: --quee"
    error = program("queues", "shwo", "-o", "json").document["errors"][0]
    assert error["message"] == "no such command 'shwo'"
