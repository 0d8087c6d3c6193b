"""Who ends runs, and who knows what is behind the stores: read from the program's own text."""

import ast
from collections.abc import Iterator
from pathlib import Path

import stovepipe_cli

PACKAGE = Path(stovepipe_cli.__file__).parent


def trees(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((PACKAGE / folder).glob("**/*.py")):
            yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text())


def callers_of(method: str) -> set[str]:
    return {
        name
        for name, tree in trees(".")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    }


def test_only_the_closing_of_work_and_the_record_of_a_job_of_one_process_end_runs() -> None:
    assert callers_of("transition") == {"work/closing.py", "commands/run_record.py"}


def test_attempts_are_recorded_by_the_engine_alone() -> None:
    assert {name.partition("/")[0] for name in callers_of("record_invocation")} - {"storage"} == {"work"}


def test_neither_the_engine_nor_a_command_knows_what_is_behind_a_store() -> None:
    imported = {
        (name, node.module)
        for name, tree in trees("work", "commands", "repair", "backfill", "audit", "look")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    ledgers = {(name, module) for name, module in imported if module.startswith("stovepipe_cli.storage.ledger")}
    assert ledgers
    assert {
        (name, module) for name, module in ledgers if not module.startswith("stovepipe_cli.storage.ledger.contract")
    } == set()
