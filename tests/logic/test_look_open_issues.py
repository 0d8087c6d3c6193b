"""Open issues by the prefix of their task, compared byte for byte on every backend."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.listing import list_open_issues
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage
from tests.support.lifecycles import QUEUE

LONGEST = "z" * 255
TASKS = ("//", "//A", "//App", "//a", "//app", "//app ", "//app/x", "//app0", "//é", "//é😀", "\x01", "é", LONGEST)
UNITS = ("", " ", "u", "\U0010ffff" * 256)


@pytest.fixture(params=["memory", "sqlite", "mariadb"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    urls = {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'look.db'}"}
    url = urls.get(request.param) or request.getfixturevalue("mariadb_database")
    with contextlib.closing(open_storage(url)) as factory:
        if request.param != "memory":
            factory.admin.create_tables()
        opened = factory.for_queue(QUEUE)
        for task in TASKS:
            for unit in UNITS:
                opened.open_issues.create(OpenIssue(QUEUE, task, unit, "b"))
        yield opened


def listed(storage: Storage, task: str, limit: int) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    cursor: str | None = None
    while True:
        report = list_open_issues(storage, limit=limit, cursor=cursor, task=task)
        found += [(item.task_id, item.unit_id) for item in report.items]
        cursor = report.next_cursor
        if cursor is None:
            return found


def test_a_prefix_keeps_the_tasks_that_start_with_it_at_every_page_size(storage: Storage) -> None:
    every = sorted(((task, unit) for task in TASKS for unit in UNITS), key=lambda each: tuple(map(key_bytes, each)))
    for prefix in (*TASKS, "/", "//ap", "//é", "z", "zz", "//b", "\x02", "\udcc3", "\U0010ffff"):
        expected = [each for each in every if key_bytes(each[0]).startswith(key_bytes(prefix))]
        for limit in (1, 3, 1000):
            assert listed(storage, prefix, limit) == expected, (prefix, limit)


def test_a_prefix_that_no_task_can_have_is_refused(storage: Storage) -> None:
    with pytest.raises(IdentifierTooLong):
        list_open_issues(storage, task=LONGEST + "z")
    with pytest.raises(InvalidEntity):
        list_open_issues(storage, task="")
