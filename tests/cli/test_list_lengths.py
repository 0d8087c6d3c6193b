"""A list of nothing, of one, and of one more than a page: whole in every form, and never in a pager when empty."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract.rows import OpenIssueRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process, Program
from tests.support.pseudo_terminal import PseudoTerminal

QUEUE = "demo/main"
PAGE = 50


@pytest.fixture
def filled(program: Program, database: Callable[[str], Path]) -> Callable[[int], Program]:
    """The program on a queue with so many open issues."""

    def with_issues(count: int) -> Program:
        url = f"sqlite:///{database('healthy')}"
        with open_storage(url) as factory:
            rows = [OpenIssueRow(f"//task:{number:03}", "", "b") for number in range(count)]
            factory.for_queue(QUEUE).bulk.insert(rows)
        program.environ |= {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE}
        return program

    return with_issues


@pytest.mark.parametrize("count", [0, 1, 2, PAGE, PAGE + 1])
def test_json_is_one_document_however_many_items_there_are(count: int, filled: Callable[[int], Program]) -> None:
    data = filled(count)("issues", "list", "-o", "json").document["data"]
    assert len(data["items"]) == min(count, PAGE)
    assert (data["next_cursor"] is None) is (count <= PAGE)


@pytest.mark.parametrize("count", [0, 1, 2, PAGE, PAGE + 1])
def test_ndjson_is_a_line_an_item_and_one_more_however_many_there_are(
    count: int, filled: Callable[[int], Program]
) -> None:
    *items, summary = filled(count)("issues", "list", "-o", "ndjson").lines
    assert len(items) == min(count, PAGE)
    assert {each["kind"] for each in items} <= {"item"}
    assert summary["kind"] == "summary"


def test_a_line_that_left_before_the_reader_went_away_is_whole(
    process: Process, filled: Callable[[int], Program]
) -> None:
    environ = filled(PAGE).environ
    result = process("issues", "list", "-o", "ndjson", environ=environ, script='"$@" | head -n 1')
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["kind"] == "item"


def test_an_empty_list_uses_no_pager(process: Process, filled: Callable[[int], Program]) -> None:
    pager = process.home / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    environ = process.environ(filled(0).environ | {"PAGER": str(pager), "STOVEPIPE_PAGER": str(pager), "TERM": "xterm"})
    with PseudoTerminal(process.command("issues", "list"), environ, process.home, lines=1) as terminal:
        assert terminal.end() == 0
        assert terminal.shown.strip() == f"queue '{QUEUE}' has no open issue"
