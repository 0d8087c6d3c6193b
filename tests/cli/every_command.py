"""A minimal valid command line for every command there is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer.main

from stovepipe_cli.cli import build_app
from tests.cli.running import Program, leaf_commands


@dataclass(frozen=True, slots=True)
class Case:
    """`{plan}` in `argv` stands for a plan's file. `uses_database` where the command cannot answer without one."""

    argv: str
    code: int = 0
    uses_database: bool = True


CASES: dict[str, Case] = {
    "history show": Case("history show 204"),
    "queues list": Case("queues list"),
    "issues list": Case("issues list"),
    "verify": Case("verify --settle 0", code=3),
    "rules list": Case("rules list", uses_database=False),
    "rules explain": Case("rules explain H102", uses_database=False),
    "repair plan": Case("repair plan --settle 0"),
    "repair apply": Case("repair apply {plan} --dry-run"),
    "backfill acceptances": Case("backfill acceptances"),
    "demo": Case("demo", uses_database=False),
    "db init": Case("db init"),
    "db check": Case("db check"),
    "db ping": Case("db ping"),
    "config show": Case("config show", uses_database=False),
    "config path": Case("config path", uses_database=False),
    "config init": Case("config init", uses_database=False),
    "fixtures load": Case("fixtures load demo"),
    "help exit-codes": Case("help exit-codes", uses_database=False),
}

ROOT: Any = typer.main.get_command(build_app())
COMMANDS: dict[str, Any] = dict(leaf_commands(ROOT.commands))
GROUPS: dict[str, Any] = {name: each for name, each in ROOT.commands.items() if hasattr(each, "commands")}
OF_DATABASE = [words for words, case in CASES.items() if case.uses_database]

# A program on a damaged queue of its own, in a directory of its own.
NewProgram = Callable[[], Program]


def argv_of(words: str, program: Program) -> list[str]:
    """The command line, for which a plan is made where it takes one."""
    argv = CASES[words].argv
    if "{plan}" not in argv:
        return argv.split(" ")
    plan = program.home / "plan.json"
    if not plan.exists():
        assert program("repair", "plan", "--settle", "0", "--out", plan).code == 0
    return [str(plan) if part == "{plan}" else part for part in argv.split(" ")]


def database_file(program: Program) -> Path:
    """The SQLite file that the program works on."""
    return Path(program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///"))
