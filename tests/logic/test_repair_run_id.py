"""Ids of runs and plans."""

from uuid import UUID

from stovepipe_cli.run_id import mint_run_id
from tests.support.audits import StandingClock


def test_an_id_is_a_uuid_of_version_7() -> None:
    parsed = UUID(mint_run_id(StandingClock()))
    assert (parsed.version, parsed.variant) == (7, "specified in RFC 4122")


def test_an_id_begins_with_the_time_it_was_minted_at() -> None:
    minted = UUID(mint_run_id(StandingClock(current_ms=1_790_000_000_123)))
    assert minted.int >> 80 == 1_790_000_000_123


def test_ids_sort_by_time() -> None:
    earlier, later = (mint_run_id(StandingClock(current_ms=at)) for at in (1_790_000_000_000, 1_790_000_000_001))
    assert earlier < later


def test_no_two_ids_are_equal() -> None:
    clock = StandingClock()
    assert len({mint_run_id(clock) for _ in range(100)}) == 100
