"""What the latest whole verify of a queue left on record."""

from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import ForeignQueue
from stovepipe_cli.storage.ledger.contract import QueueLedger
from tests.contract.ledger.samples import NOON_MS, a_verified


def test_the_first_record_is_read_back_at_version_1(book: QueueLedger) -> None:
    stored = book.verified.put(a_verified(book.queue))
    assert stored == a_verified(book.queue, version=1)
    assert book.verified.of("mariadb:1") == stored
    assert book.verified.of("MARIADB:1") is None


def test_a_later_verify_replaces_an_earlier_one(book: QueueLedger) -> None:
    book.verified.put(a_verified(book.queue))
    later = a_verified(book.queue, run_id="r2", verdict="findings", verified_at_ms=NOON_MS + 1)
    assert book.verified.put(later) == replace(later, version=2)


@pytest.mark.parametrize("at_ms", [NOON_MS, NOON_MS - 1])
def test_an_earlier_verify_replaces_nothing(book: QueueLedger, at_ms: int) -> None:
    stored = book.verified.put(a_verified(book.queue))
    assert book.verified.put(a_verified(book.queue, run_id="r2", verified_at_ms=at_ms)) == stored
    assert book.verified.of("mariadb:1") == stored


@pytest.mark.parametrize(
    ("boundary", "number", "kept"),
    [
        ("request/main/6", 6, "request/main/6"),
        ("request/main/8", 8, "request/main/7"),
        ("request/other/7", 7, "request/main/7"),
        ("", 0, "request/main/7"),
    ],
)
@pytest.mark.parametrize("at_ms", [NOON_MS - 1, NOON_MS + 1])
def test_the_boundary_never_rises(book: QueueLedger, at_ms: int, boundary: str, number: int, kept: str) -> None:
    book.verified.put(a_verified(book.queue))
    book.verified.put(a_verified(book.queue, verified_at_ms=at_ms, boundary=boundary, boundary_number=number))
    found = book.verified.of("mariadb:1")
    assert found is not None
    assert (found.boundary, found.boundary_number) == (kept, int(kept.rpartition("/")[2]))
    assert found.verified_at_ms == max(at_ms, NOON_MS)


def test_a_record_without_boundary_gets_the_first_that_is_seen(book: QueueLedger) -> None:
    book.verified.put(a_verified(book.queue, boundary="", boundary_number=0))
    book.verified.put(a_verified(book.queue, verified_at_ms=NOON_MS - 1, boundary="request/main/9", boundary_number=9))
    found = book.verified.of("mariadb:1")
    assert found is not None
    assert (found.boundary, found.boundary_number) == ("request/main/9", 9)


def test_databases_have_records_of_their_own(book: QueueLedger) -> None:
    book.verified.put(a_verified(book.queue))
    book.verified.put(a_verified(book.queue, target="mariadb:2", verdict="findings"))
    found = [book.verified.of(target) for target in ("mariadb:1", "mariadb:2")]
    assert [each.verdict for each in found if each is not None] == ["clean", "findings"]


@pytest.mark.parametrize(
    "fields",
    [{"target": ""}, {"target": "x" * 256}, {"run_id": ""}, {"verified_at_ms": 0}, {"boundary_number": -1}],
)
def test_a_record_that_no_ledger_can_hold_is_refused(book: QueueLedger, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidEntity):
        book.verified.put(a_verified(book.queue, **fields))


def test_a_foreign_record_is_refused(book: QueueLedger) -> None:
    with pytest.raises(ForeignQueue):
        book.verified.put(a_verified(book.queue.upper()))
