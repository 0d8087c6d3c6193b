"""Q604 under traffic: a count that is behind between two writes is no drift, a slot that is lost is one."""

from dataclasses import replace

import pytest

from stovepipe_cli.storage.contract import Storage
from tests.support.audits import StandingClock, check, codes, queue_of
from tests.support.lifecycles import accepted, failed, processing, succeeded

LIVES = (failed(8), succeeded(9), processing(10), accepted(11))
SETTLE_MS = 5_000


def set_in_flight(storage: Storage, count: int) -> None:
    row = storage.queues.get()
    changed = replace(row, in_flight_count=count, version=row.version + 1)
    storage.queues.update(changed, old_version=row.version, new_version=changed.version)


def found_with(looks: list[int]) -> list[str]:
    """The codes that are found where the count is each of these at one look after the other, and 1 afterwards."""
    storage = queue_of(*LIVES)
    coming = iter(looks)
    set_in_flight(storage, next(coming))
    clock = StandingClock(on_sleep=lambda: set_in_flight(storage, next(coming, 1)))
    return codes(check(storage, clock=clock, settle_ms=SETTLE_MS))


def test_a_count_that_is_wrong_at_both_reads_and_right_in_between_is_no_finding() -> None:
    assert found_with([2, 2]) == []


def test_a_count_that_is_wrong_at_the_first_read_alone_is_no_finding() -> None:
    assert found_with([2, 1]) == []


@pytest.mark.parametrize("looks", [[2] * 20, [2, 2, 1, 2, 3, 2, 1, 2, 2, 2, 2]])
def test_a_count_that_is_wrong_most_of_the_time_is_a_finding(looks: list[int]) -> None:
    assert found_with(looks) == ["Q604"]


def test_other_findings_wait_for_nothing_but_the_settle_time() -> None:
    storage = queue_of(*LIVES)
    row = storage.queues.get()
    storage.queues.update(
        replace(row, latest_request_id="", version=row.version + 1),
        old_version=row.version,
        new_version=row.version + 1,
    )
    clock = StandingClock()
    assert codes(check(storage, clock=clock, settle_ms=SETTLE_MS)) == ["Q602"]
    assert clock.slept == [SETTLE_MS / 1000]
