"""What an apply takes for new damage: not what a finding kept from being seen until it was mended in part."""

from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.lifecycles import LONG_AFTER_MS, QUEUE, Life, succeeded
from tests.support.repairs import Repairs, outcomes, repairs_of


def unlisted(number: int) -> Life:
    """Its summary does not know when it was accepted, and so no mapping exists."""
    return succeeded(number).change_summary(accepted_at_ms=0).without("acceptance")


def unlisted_queue(*numbers: int) -> Repairs:
    storage = MemoryFactory(clock=lambda: LONG_AFTER_MS).for_queue(QUEUE)
    return repairs_of(storage, succeeded(1), *(unlisted(number) for number in numbers))


def test_a_mapping_that_is_missing_once_the_time_is_known_is_not_new() -> None:
    repairs = unlisted_queue(2, 3)
    made = repairs.plan()
    report = repairs.apply(made)
    assert (report.stopped_because, report.problems) == (None, ())
    assert outcomes(report) == (4, 0, 0, 0, 0)
    assert report.remaining_findings == ()
