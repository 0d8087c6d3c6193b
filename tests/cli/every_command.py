"""A minimal valid command line for every command there is."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer.main

from stovepipe_cli.cli import build_app
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage import open_storage
from stovepipe_cli.storage.contract import AlreadyExists
from tests.cli.documents import QUEUE
from tests.cli.running import Program, leaf_commands


@dataclass(frozen=True, slots=True)
class Case:
    """`{plan}` in `argv` stands for a plan's file, `{issue}` for an issue that is open.

    `uses_database` where the command cannot answer without one.
    """

    argv: str
    code: int = 0
    uses_database: bool = True


CASES: dict[str, Case] = {
    "history show": Case("history show 204"),
    "queues list": Case("queues list"),
    "queues show": Case("queues show"),
    "requests list": Case("requests list"),
    "requests show": Case("requests show 204"),
    "issues list": Case("issues list"),
    "issues show": Case("issues show {issue}"),
    "issues observations": Case("issues observations b-204"),
    "facts list": Case("facts list --uri git://origin/demo/main/1"),
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
    "db grants": Case("db grants"),
    "config show": Case("config show", uses_database=False),
    "config path": Case("config path", uses_database=False),
    "config init": Case("config init", uses_database=False),
    "fixtures load": Case("fixtures load demo"),
    "fixtures check": Case("fixtures check demo", uses_database=False),
    "fixtures generate": Case("fixtures generate --requests 20 --into-existing --ids path"),
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
    if "{issue}" in argv:
        return [open_an_issue(program) if part == "{issue}" else part for part in argv.split(" ")]
    if "{plan}" not in argv:
        return argv.split(" ")
    plan = program.home / "plan.json"
    if not plan.exists():
        assert program("repair", "plan", "--settle", "0", "--out", plan).code == 0
    return [str(plan) if part == "{plan}" else part for part in argv.split(" ")]


def database_file(program: Program) -> Path:
    """The SQLite file that the program works on."""
    return Path(program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///"))


def open_an_issue(program: Program) -> str:
    """A task that is open in the program's queue; no other command's answer may rest on it."""
    with open_storage(f"sqlite:///{database_file(program)}") as factory:
        issues = factory.for_queue(QUEUE).open_issues
        with suppress(AlreadyExists):
            issues.create(OpenIssue(QUEUE, "//app:test", "", "b-210"))
    return "//app:test"
