"""Cases that broke other tools, at the size at which they did, with the whole program as a process."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract.rows import OpenIssueRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process, Program
from tests.support.lifecycles import QUEUE, put, succeeded

DEMO = "demo/main"
MANY = 200_000
REQUESTS = 10_000
NUMBERS = (9, 10, 11)


@pytest.fixture
def numbered(program: Program, database: Callable[[str], Path]) -> Program:
    """A queue whose requests have the numbers 9, 10 and 11."""
    url = f"sqlite:///{database('empty')}"
    with open_storage(url) as factory:
        put(factory.for_queue(QUEUE), *map(succeeded, NUMBERS))
    program.environ |= {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE}
    return program


@pytest.mark.parametrize("order", ["number", "accepted"])
def test_numbers_in_a_cursor_stay_numbers_from_page_to_page(order: str, numbered: Program) -> None:
    seen: list[int] = []
    cursor: list[str] = []
    while len(seen) < len(NUMBERS):
        words = ("requests", "list", "--order", order, "--limit", "1", *cursor, "-o", "json")
        data = numbered(*words).document["data"]
        seen += [int(item["request_id"].rpartition("/")[2]) for item in data["items"]]
        cursor = ["--cursor", data["next_cursor"]]
    assert seen == [*reversed(NUMBERS)]


@pytest.fixture
def crowded(database: Callable[[str], Path]) -> dict[str, str]:
    """The environment of a queue with 200,000 open issues."""
    url = f"sqlite:///{database('healthy')}"
    with open_storage(url) as factory:
        bulk = factory.for_queue(DEMO).bulk
        for start in range(0, MANY, 20_000):
            bulk.insert([OpenIssueRow(f"//task:{number:06}", "", "b") for number in range(start, start + 20_000)])
    return {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": DEMO}


@pytest.mark.parametrize("output", ["ndjson", "tsv", "json"])
def test_a_reader_that_takes_one_line_of_200000_rows_ends_it_silently(
    output: str, process: Process, crowded: dict[str, str]
) -> None:
    script = '"$@" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}'
    result = process("issues", "list", "--all", "-o", output, environ=crowded, script=script)
    assert (result.code, result.stderr) == (141, "")


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_backfill_of_10000_requests_leaves_no_progress_in_a_file(
    quiet: tuple[str, ...], process: Process, database: Callable[[str], Path]
) -> None:
    url = f"sqlite:///{database('empty')}"
    environ = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE}
    with open_storage(url) as factory:
        storage = factory.for_queue(QUEUE)
        for start in range(1, REQUESTS, 1_000):
            lives = [succeeded(number).without("acceptance") for number in range(start, start + 1_000)]
            put(storage, *lives, queue_row=False)
    told = process.home / "stderr"
    script = f'"$@" 2>"{told}"'
    result = process(
        *("backfill", "acceptances", "--apply", "--yes", "--output", "json", *quiet), environ=environ, script=script
    )
    assert (result.code, json.loads(result.stdout)["data"]["mapped"]) == (0, REQUESTS)
    text = told.read_text()
    assert not {each for each in text if each < " "} - {"\n"}
    assert len(text.splitlines()) <= (0 if quiet else 2)
