"""The example of the storage page runs as it stands."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "storage.md"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    program = compile(example, str(PAGE), "exec")
    exec(program, {})  # noqa: S102 - the example is what is tested
    assert capsys.readouterr().out == "accepted\n"
    exec(program, {})  # noqa: S102 - the same once more, on the rows that are there
    assert capsys.readouterr().out == "somebody was faster\naccepted\n"


def test_every_store_is_on_the_page() -> None:
    from dataclasses import fields

    from stovepipe_cli.storage.contract import Storage

    text = PAGE.read_text()
    missing = [field.name for field in fields(Storage) if f"`{field.name}`" not in text and field.name != "queue"]
    assert [name for name in missing if f"storage.{name}" not in text] == []
