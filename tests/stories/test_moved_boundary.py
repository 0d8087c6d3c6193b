"""The log of the oldest requests is purged: H118 tells what nothing else can, until somebody says that it was meant."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.memory.ledger import MemoryLedger
from tests.stories.story import LOOK, NewDatabase
from tests.support.audits import names
from tests.support.lifecycles import QUEUE, Life, put, succeeded, superseded
from tests.support.repairs import Repairs, ready

TARGET = "server-1"


@dataclass(frozen=True, slots=True)
class Purged:
    """A queue whose first histories are gone, and what a verify of it left on record before."""

    storage: Storage
    recorded: tuple[int, str]

    def look(self, options: VerifyOptions = LOOK) -> VerifyReport:
        return verify(self.storage, options, clock=SystemClock())


def lives() -> list[Life]:
    return [*(superseded(number).legacy() for number in (1, 2)), *(succeeded(number) for number in range(3, 10))]


@pytest.fixture
def purged(new_database: NewDatabase) -> Iterator[Purged]:
    with new_database() as before:
        storage = before.for_queue(QUEUE)
        put(storage, *lives())
        first = verify(storage, LOOK, clock=SystemClock())
    assert (first.verdict, first.legacy_requests) == ("clean", 2)
    assert first.boundary is not None
    number, request_id = first.boundary
    verified = MemoryLedger().for_queue(QUEUE).verified
    verified.put(VerifiedQueue(QUEUE, TARGET, "run-1", first.verdict, 1, request_id, number))
    on_record = verified.of(TARGET)
    assert on_record is not None
    with new_database() as after:
        storage = after.for_queue(QUEUE)
        put(storage, *(life.drop(*life.log) if place in (2, 3, 4) else life for place, life in enumerate(lives())))
        yield Purged(storage, (on_record.boundary_number, on_record.boundary))


def test_without_a_record_the_purge_looks_like_requests_from_before_histories(purged: Purged) -> None:
    report = purged.look()
    assert (report.verdict, report.legacy_requests) == ("clean", 5)


def test_the_record_tells_it_and_nothing_else(purged: Purged) -> None:
    report = purged.look(replace(LOOK, recorded_boundary=purged.recorded))
    assert names(report) == [("H118", None)]
    assert "3 requests have lost all their history" in report.findings[0].message


def test_no_plan_has_anything_to_write_for_it(purged: Purged) -> None:
    assert ready(Repairs(purged.storage).plan()) == []


def test_it_stays_until_an_operator_says_where_history_begins(purged: Purged) -> None:
    told = replace(LOOK, recorded_boundary=purged.recorded)
    first = purged.look(told).findings[0]
    assert purged.look(told).findings[0].id == first.id
    assert purged.look(replace(told, history_since=str(first.found))).verdict == "clean"


def test_an_operator_can_have_what_was_lost_named_request_by_request(purged: Purged) -> None:
    report = purged.look(replace(LOOK, history_since=purged.recorded[1]))
    assert {code for code, _ in names(report)} == {"H101"}
    assert len(report.findings) == 3
