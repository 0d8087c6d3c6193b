"""The size of batches follows the time that they take."""

import pytest

from stovepipe_cli.errors import UsageError
from stovepipe_cli.work import BatchBounds, BatchSize


def test_a_batch_is_made_to_take_half_a_second() -> None:
    size = BatchSize(BatchBounds(100, 10, 1000))
    size.took(100, 0.4)
    assert size.rows == 125
    assert size.reason == "100 rows took 0.40 s, 0.5 s are meant"


def test_it_changes_by_no_more_than_twice_or_half() -> None:
    size = BatchSize(BatchBounds(100, 10, 1000))
    size.took(100, 0.001)
    assert size.rows == 200
    size.took(200, 60)
    assert size.rows == 100


def test_it_stays_between_floor_and_ceiling_and_says_so() -> None:
    size = BatchSize(BatchBounds(600, 500, 1000))
    size.took(600, 0.0)
    assert (size.rows, size.reason.endswith("; never more than 1000")) == (1000, True)
    size.took(1000, 60)
    assert (size.rows, size.reason.endswith("; never fewer than 500")) == (500, True)


def test_the_small_rest_of_a_step_tells_what_a_row_costs() -> None:
    size = BatchSize(BatchBounds(100, 10, 1000))
    size.took(5, 0.02)
    assert size.rows == 125


def test_a_batch_without_rows_says_nothing() -> None:
    size = BatchSize(BatchBounds(100, 10, 1000))
    size.took(0, 9)
    assert (size.rows, size.reason) == (100, "first batch")


@pytest.mark.parametrize("bounds", [BatchBounds(5, 10, 100), BatchBounds(200, 10, 100), BatchBounds(0, 0, 9)])
def test_bounds_that_exclude_each_other_are_refused(bounds: BatchBounds) -> None:
    with pytest.raises(UsageError):
        BatchSize(bounds)
