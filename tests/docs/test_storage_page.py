"""The storage page says what the library has, and its example runs as it stands."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from stovepipe_cli.entities import BuildIssue
from stovepipe_cli.storage import contract, open_storage
from stovepipe_cli.storage.contract import Storage

PAGE = Path(__file__).parents[2] / "docs" / "storage.md"


def section(title: str) -> str:
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(found)


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def first_cells(title: str) -> str:
    """The first column of a section's table."""
    return "\n".join(re.findall(r"^\| (`.*?) \|", section(title), re.MULTILINE))


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = examples()[0]
    monkeypatch.chdir(tmp_path)
    program = compile(example, str(PAGE), "exec")
    exec(program, {})  # noqa: S102 - the example is what is tested
    assert capsys.readouterr().out == "accepted\n"
    exec(program, {})  # noqa: S102 - the same once more, on the rows that are there
    assert capsys.readouterr().out == "somebody was faster\naccepted\n"


def test_the_walk_over_pages_ends_with_the_last_entry(capsys: pytest.CaptureFixture[str]) -> None:
    with open_storage("memory://") as factory:
        storage = factory.for_queue("monorepo/main")
        for number in range(205):
            storage.build_issues.create(BuildIssue(storage.queue, "build-7", f"task-{number}", ""))
        exec(compile(examples()[1], str(PAGE), "exec"), {"storage": storage})  # noqa: S102 - as above
    assert capsys.readouterr().out.split() == ["100", "100", "5"]


def test_the_table_of_stores_has_every_store_and_no_other() -> None:
    apart = {"queue", "audit", "bulk"}
    assert set(re.findall(r"`(\w+)`", first_cells("The stores"))) == {field.name for field in fields(Storage)} - apart


def test_what_stands_beside_the_stores_is_explained() -> None:
    assert {"storage.audit.snapshot()", "storage.bulk.insert(rows)"} <= set(re.findall(r"`(.*?)`", PAGE.read_text()))


def test_every_error_of_the_table_can_be_imported_from_the_contract() -> None:
    named = re.findall(r"`(\w+)`", first_cells("Errors"))
    assert len(named) > 9
    assert [name for name in named if not hasattr(contract, name)] == []
