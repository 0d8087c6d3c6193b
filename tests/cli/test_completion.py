"""What is offered at Tab, for every shell alike."""

import io
import socket
from pathlib import Path

import pytest
import typer.main

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.cli import build_app, option_names
from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.commands.completing.answer import BREAKS_VARIABLE, VARIABLE, answer
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.entities import Request
from stovepipe_cli.entities.request import REQUEST_STATES
from stovepipe_cli.reports.answers import ANSWERS
from stovepipe_cli.storage.open import open_storage
from tests.cli.every_command import CASES, COMMANDS, ROOT
from tests.cli.running import FixedClock, Process, Program

BASH_BREAKS = " \t\n\"'><=;|&(:"


def told(program: Program, shell: str, *argv: str, breaks: str = BASH_BREAKS) -> tuple[str, list[str]]:
    """The mode and the lines of one answer."""
    surroundings = Surroundings(
        environ=program.environ | {VARIABLE: shell, BREAKS_VARIABLE: breaks},
        home=program.home,
        stdin=io.StringIO(),
        stdout=io.StringIO(),
        stderr=io.StringIO(),
        clock=FixedClock(),
        width=lambda: 80,
        ask=lambda question: pytest.fail(f"asked: {question}"),
    )
    tree = typer.main.get_command(build_app())
    mode, *lines = answer(tree, option_names(tree), argv, surroundings).splitlines()
    return mode, lines


def offered(program: Program, line: str) -> list[str]:
    """The candidates for the last word of a line in which no word is quoted."""
    mode, lines = told(program, "fish", *line.split(" "))
    assert mode == "values"
    return [each.partition("\t")[0] for each in lines]


def test_commands_and_groups_stand_first(program: Program) -> None:
    assert offered(program, "") == [*GROUPS, *SINGLES]
    assert offered(program, "ver") == ["verify"]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_offers_its_commands_by_either_number(group: str, program: Program) -> None:
    expected = [words.partition(" ")[2] for words in COMMANDS if words.startswith(f"{group} ")]
    assert sorted(offered(program, f"{group} ")) == sorted(expected)
    other = group.removesuffix("s") if group.endswith("s") else f"{group}s"
    assert offered(program, f"{other} ") == offered(program, f"{group} ")


@pytest.mark.parametrize("words", CASES)
def test_every_option_of_a_command_and_every_shared_one_is_offered(words: str, program: Program) -> None:
    own = {each for option in COMMANDS[words].params for each in option.opts if each.startswith("--")}
    shared = {each for option in ROOT.params for each in option.opts if each.startswith("--")} - {"--version"}
    assert set(offered(program, f"{words} --")) >= own | shared


def test_options_of_the_root_stand_before_a_command_alone(program: Program) -> None:
    assert "--version" in offered(program, "--v")
    assert "--version" not in offered(program, "verify --v")


def test_an_option_that_was_given_is_not_offered_again_unless_it_may_be_repeated(program: Program) -> None:
    assert offered(program, "verify --fail-on error --fail") == []
    assert offered(program, "verify --select H --sel") == ["--select"]


def test_what_a_line_says_is_told_to_shells_that_show_it(program: Program) -> None:
    assert told(program, "zsh", "ver") == ("values", [f"verify\t{SINGLES['verify']}"])
    assert told(program, "bash", "stovepipe ver") == ("values", ["verify"])


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("verify --fail-on ", ["error", "warning", "info"]),
        ("verify --fail-on=w", ["--fail-on=warning"]),
        ("-o js", ["json"]),
        ("rules list -o nd", ["ndjson"]),
        ("verify --color ", ["auto", "always", "never"]),
        ("requests list --state ", list(REQUEST_STATES)),
        ("requests list --order ", ["accepted", "number"]),
        ("verify --order ", ["name", "stalest"]),
        ("rules explain H10", [code for code in RULES if code.startswith("H10")]),
        ("verify --select H10", [code for code in RULES if code.startswith("H10")]),
        ("verify --select E201,H10", [f"E201,{code}" for code in RULES if code.startswith("H10")]),
        ("history show @", ["@latest", "@last-green"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("schema repair ", [words.split(" ")[1] for words in ANSWERS if words.startswith("repair ")]),
        ("verify --tz Europe/Berl", ["Europe/Berlin"]),
        ("db grants --role ", ["audit", "repair", "ledger"]),
        ("runs show ", ["@latest"]),
        ("runs list --status C", ["COMPLETED", "CANCELLED"]),
        ("verify --settle ", []),
        ("vrify ", []),
        ("verify -- --", []),
    ],
)
def test_values_are_offered(line: str, values: list[str], program: Program) -> None:
    assert offered(program, line) == values


def test_rule_codes_come_with_the_name_of_the_rule(program: Program) -> None:
    assert told(program, "zsh", "rules", "explain", "H102") == ("values", [f"H102\t{RULES['H102'].name}"])


@pytest.mark.parametrize(
    "words", ["repair apply ", "verify --junit-file ", "--output-file ", "verify --output-file=", "fixtures load x"]
)
def test_files_are_left_to_the_shell(words: str, program: Program) -> None:
    assert told(program, "fish", *words.split(" ")) == ("files", [])


def test_profiles_are_offered(program: Program) -> None:
    program.configure("profiles:\n  production:\n    protected: true\n  staging: {}\n")
    assert told(program, "zsh", "--profile", "") == ("values", ["production\tprotected", "staging\t"])


def test_queues_of_the_database_are_offered(demo: Program) -> None:
    for line in ("-q ", "verify -q d", "verify --queue ", "history show 204 -q demo/"):
        assert offered(demo, line) == ["demo/main"]
    assert offered(demo, "verify --queue=de") == ["--queue=demo/main"]


def test_queues_of_the_database_that_the_line_names_are_offered(demo: Program) -> None:
    url = demo.environ.pop("STOVEPIPE_DATABASE_URL")
    assert offered(demo, f"verify --database-url {url} -q ") == ["demo/main"]


def test_queues_that_the_profile_lists_are_offered_without_a_connection(program: Program) -> None:
    program.configure(
        "profiles:\n  far:\n    database_url: mysql://u@192.0.2.1/x\n    queues: [mono/main, mono/release]\n"
    )
    assert offered(program, "verify --profile far -q mono/r") == ["mono/release"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"STOVEPIPE_DATABASE_URL": "mysql://u@127.0.0.1:1/x"},
        {"STOVEPIPE_DATABASE_URL": "no url"},
        {"STOVEPIPE_PROFILE": "nobody"},
        {"STOVEPIPE_DATABASE_URL": "sqlite:////nowhere/at/all.db"},
    ],
)
def test_where_nothing_can_be_known_nothing_is_said(environ: dict[str, str], program: Program) -> None:
    program.environ |= environ
    assert told(program, "bash", "stovepipe verify -q ") == ("values", [])


def test_a_program_that_gives_the_password_is_never_started(program: Program, tmp_path: Path) -> None:
    program.configure(
        "profiles:\n  asked:\n    database_url: mysql://u@127.0.0.1:1/x\n"
        f"    password_command: touch {tmp_path}/was-asked\n"
    )
    assert offered(program, "verify --profile asked -q ") == []
    assert not (tmp_path / "was-asked").exists()


def test_names_that_would_act_on_a_terminal_are_not_offered(demo: Program) -> None:
    with open_storage(demo.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        for name in ("demo/\x1b[31m", "demo/a\nb", "demo/\u202e"):
            factory.for_queue(name).requests.create(Request(queue=name, id="1", uri="u", state="accepted", version=1))
    assert offered(demo, "-q ") == ["demo/main"]


def queue_named(program: Program, name: str) -> None:
    with open_storage(program.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        factory.for_queue(name).requests.create(Request(queue=name, id="1", uri="u", state="accepted", version=1))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stovepipe -q a", "a\\ b\\$c:d"),
        ("stovepipe -q 'a", "a b$c:d"),
        ('stovepipe -q "a', "a b\\$c:d"),
        ("stovepipe -q a\\ b", "a\\ b\\$c:d"),
        ("stovepipe -q a\\ b\\$c:", "d"),
        ("stovepipe --queue=a", "a\\ b\\$c:d"),
        ("  stovepipe\tverify  --queue='a", "a b$c:d"),
    ],
)
def test_bash_gets_a_name_as_it_has_to_be_typed(line: str, expected: str, demo: Program) -> None:
    queue_named(demo, "a b$c:d")
    assert told(demo, "bash", line) == ("values", [expected])


def test_without_word_breaks_bash_gets_whole_words(demo: Program) -> None:
    queue_named(demo, "a:b")
    assert told(demo, "bash", "stovepipe --queue=a:", breaks=" ") == ("values", ["--queue=a:b"])


def test_a_server_that_never_answers_ends_it_in_time_and_silently(process: Process) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        environ = {
            VARIABLE: "fish",
            "STOVEPIPE_DATABASE_URL": f"mysql://u@127.0.0.1:{listener.getsockname()[1]}/x",
        }
        result = process("verify", "-q", "", environ=environ)
    assert (result.code, result.stdout.removeprefix("values\n"), result.stderr) == (0, "", "")
