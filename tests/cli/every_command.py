"""A minimal valid command line for every command there is."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer.main

from stovepipe_cli.audit.rules import rules_digest
from stovepipe_cli.backfill.acceptance_job import KIND, acceptance_body
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.cli import build_app
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage import open_storage
from stovepipe_cli.storage.contract import AlreadyExists
from stovepipe_cli.work import JobArguments, start_run, this_worker
from tests.cli.documents import QUEUE
from tests.cli.ledgers import ledger_of
from tests.cli.running import Program, leaf_commands
from tests.support.runs import begin, new_run


@dataclass(frozen=True, slots=True)
class Case:
    """`{plan}` in `argv` stands for a plan's file, `{issue}` for an issue that is open, `{run}` for one on record.

    `{file}` is a file of the program's own, which need not be there.

    `{unfinished}` is a backfill whose process is gone.

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
    "fixtures dump": Case("fixtures dump --out {file} --force"),
    "fixtures generate": Case("fixtures generate --requests 20 --into-existing --ids path"),
    "schema": Case("schema repair plan", uses_database=False),
    "completion": Case("completion bash", uses_database=False),
    "runs list": Case("runs list", uses_database=False),
    "runs show": Case("runs show {run}", uses_database=False),
    "runs cancel": Case("runs cancel {run}", uses_database=False),
    "runs hold": Case("runs hold {run} --reason replica", uses_database=False),
    "runs release": Case("runs release {run}", uses_database=False),
    "runs resume": Case("runs resume {unfinished}"),
    "runs work": Case("runs work {unfinished}"),
    "ledger check": Case("ledger check", uses_database=False),
    "ledger init": Case("ledger init", uses_database=False),
    "ledger upgrade": Case("ledger upgrade", uses_database=False),
    "ledger prune": Case("ledger prune --older-than 90d", uses_database=False),
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
    if "{run}" in argv:
        return [put_a_run_on_record(program) if part == "{run}" else part for part in argv.split(" ")]
    if "{unfinished}" in argv:
        return [leave_a_backfill(program) if part == "{unfinished}" else part for part in argv.split(" ")]
    if "{file}" in argv:
        return [str(program.home / "out.yaml") if part == "{file}" else part for part in argv.split(" ")]
    if argv == "ledger upgrade":
        put_a_run_on_record(program)
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


def put_a_run_on_record(program: Program) -> str:
    """A run that has not ended, later than those that are there."""
    with ledger_of(program) as ledger:
        return begin(ledger, sum(ledger.runs.counts_by_status().values()), "repair-apply").run_id


def leave_a_backfill(program: Program) -> str:
    """A backfill that was started, and of which nothing was done before its process ended."""
    options = BackfillOptions()
    gone = replace(this_worker(), pid=2**22 + 1)
    with open_storage(f"sqlite:///{database_file(program)}") as factory, ledger_of(program) as ledger:
        storage = factory.for_queue(QUEUE)
        body = acceptance_body(storage, options, clock=program.clock)
        identity = factory.admin.ping().identity
        arguments = JobArguments(KIND, QUEUE, identity, rules=rules_digest(), options=options.as_json())
        run = new_run(ledger, sum(ledger.runs.counts_by_status().values()), KIND)
        return start_run(ledger, run, gone, arguments=arguments, body=body).run_id
