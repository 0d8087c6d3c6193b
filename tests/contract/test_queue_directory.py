"""The directory: names from the queue and request tables together, in byte order."""

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import CollationConflict, SchemaMismatch, StorageFactory
from tests.contract.paging import walk
from tests.contract.samples import a_request

SUFFIXES = ["", "/A", "/Z", "/a", "/a ", "/ab", "/é", "/🙂"]


def found(factory: StorageFactory, prefix: str, size: int) -> list[str]:
    """The names that start with `prefix`, since other tests keep queues in the same database."""
    names = walk(factory.directory.list_after, lambda name: name, size)
    return [name for name in names if name.startswith(prefix)]


def keep_queues(factory: StorageFactory, prefix: str) -> list[str]:
    """Make a row for each name, in turn in either table; the names that a table took."""
    kept = []
    for number, suffix in enumerate(reversed(SUFFIXES)):
        storage = factory.for_queue(prefix + suffix)
        try:
            if number % 2:
                storage.queues.get_or_create()
            else:
                storage.requests.create(a_request(storage.queue))
        except CollationConflict:
            continue
        kept.append(storage.queue)
    return kept[::-1]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_names_are_listed_once_in_byte_order_at_any_page_size(
    factory: StorageFactory, queue_name: str, size: int
) -> None:
    kept = keep_queues(factory, queue_name)
    assert found(factory, queue_name, size) == kept


def test_a_name_in_both_tables_is_listed_once(factory: StorageFactory, queue_name: str) -> None:
    storage = factory.for_queue(queue_name)
    storage.queues.get_or_create()
    for request_id in ("7", "8"):
        storage.requests.create(a_request(queue_name, request_id))
    assert found(factory, queue_name, 3) == [queue_name]


def test_the_cursor_needs_no_row(factory: StorageFactory, queue_name: str) -> None:
    factory.for_queue(f"{queue_name}/b").queues.get_or_create()
    assert factory.directory.list_after(f"{queue_name}/a", 1) == (f"{queue_name}/b",)


def test_a_queue_that_is_only_resolved_is_not_listed(factory: StorageFactory, queue_name: str) -> None:
    factory.for_queue(queue_name).request_log.list("7")
    assert found(factory, queue_name, 1000) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(factory: StorageFactory, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        factory.directory.list_after(None, limit)


def test_absent_tables_are_named(bare_database: StorageFactory) -> None:
    with pytest.raises(SchemaMismatch):
        bare_database.directory.list_after(None, 9)
