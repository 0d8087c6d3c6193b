"""What a command loads, and the tables that let it load no more."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from stovepipe_cli import reports
from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.render import texts
from tests.cli.every_command import COMMANDS
from tests.cli.running import Process

LIST_MODULES = """
import sys
from stovepipe_cli.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.fixture
def loaded(process: Process) -> Callable[..., set[str]]:
    """The modules that are there when a command has ended."""

    def modules(*argv: str) -> set[str]:
        command = [sys.executable, "-c", LIST_MODULES, *argv]
        done = subprocess.run(command, capture_output=True, env=process.environ(), check=True, text=True)
        return set(done.stderr.split())

    return modules


def below(package: str, modules: set[str]) -> set[str]:
    return {name.removeprefix(f"{package}.") for name in modules if name.startswith(f"{package}.")}


def test_the_roots_help_loads_no_commands_module(loaded: Callable[..., set[str]]) -> None:
    assert below("stovepipe_cli.commands", loaded("--help")) & {*GROUPS, *SINGLES} == set()


def test_a_command_loads_no_other_commands_module_and_no_other_answers_report_and_text(
    loaded: Callable[..., set[str]], database: Callable[[str], Path]
) -> None:
    where = ("-q", "demo/main", "--database-url", f"sqlite:///{database('demo')}")
    modules = loaded("history", "show", "204", *where)
    assert below("stovepipe_cli.commands", modules) & {*GROUPS, *SINGLES} == {"history"}
    assert below("stovepipe_cli.reports", modules) == {"base", "history", "json_form"}
    assert not [name for name in below("stovepipe_cli.render", modules) if name.endswith("_text")]
    assert modules & {"rich", "yaml", "pymysql", "MySQLdb"} == set()


@pytest.mark.parametrize("command", SINGLES)
def test_the_roots_help_says_of_a_command_what_the_commands_own_help_begins_with(command: str) -> None:
    assert COMMANDS[command].help.startswith(SINGLES[command])


def test_there_is_a_report_behind_every_name() -> None:
    assert [name for name in reports.__all__ if inspect.ismodule(getattr(reports, name))] == []


@pytest.mark.parametrize("table", [texts.TEXTS, texts.HINTS])
def test_there_is_a_function_behind_every_text_and_hint_and_a_report_before_it(table: dict[str, str]) -> None:
    for kind, place in table.items():
        module, _, name = place.partition(".")
        assert issubclass(getattr(reports, kind), reports.Report)
        function = getattr(import_module(f"stovepipe_cli.render.{module}"), name)
        taken = next(iter(inspect.signature(function).parameters.values())).annotation
        assert getattr(taken, "__origin__", taken) is getattr(reports, kind)
