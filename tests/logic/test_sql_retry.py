"""How often a failed unit of work is tried again, and after which pauses."""

import pytest

from stovepipe_cli.storage.sql.faults import Fault
from stovepipe_cli.storage.sql.retry import LONGEST_PAUSE_SECONDS, MOST_TRIES, RetryPolicy, Tries


def tried(fault: Fault, chance: float = 1.0) -> tuple[int, list[float]]:
    """How many tries a fault is worth in all, and the pauses between them."""
    pauses: list[float] = []
    tries = Tries(RetryPolicy(sleep=pauses.append, chance=lambda: chance))
    count = 1
    while tries.another(fault):
        count += 1
    return count, pauses


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_given_up_at_some_point(fault: Fault) -> None:
    assert 1 <= tried(fault)[0] <= MOST_TRIES


@pytest.mark.parametrize(
    "fault", [Fault.DUPLICATE, Fault.TABLE_ABSENT, Fault.LOGIN_REFUSED, Fault.TIMEOUT, Fault.BUSY, Fault.OTHER]
)
def test_what_will_not_pass_is_not_tried_again(fault: Fault) -> None:
    assert tried(fault) == (1, [])


def test_pauses_grow_up_to_a_limit() -> None:
    count, pauses = tried(Fault.DEADLOCK)
    assert len(pauses) == count - 1
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_SECONDS


def test_pauses_are_spread_by_chance() -> None:
    assert tried(Fault.DEADLOCK, chance=0.0)[1] == [pause / 2 for pause in tried(Fault.DEADLOCK, chance=1.0)[1]]


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.SERVER_READ_ONLY])
def test_a_dead_connection_is_replaced_without_a_pause(fault: Fault) -> None:
    count, pauses = tried(fault)
    assert len(pauses) == count - 2


def test_a_server_that_is_read_only_is_asked_twice() -> None:
    assert tried(Fault.SERVER_READ_ONLY)[0] == 2


def test_changing_faults_do_not_add_up_without_end() -> None:
    tries = Tries(RetryPolicy(sleep=lambda _: None, chance=lambda: 0.5))
    faults = [Fault.DEADLOCK, Fault.LOST, Fault.OVERLOADED, Fault.UNREACHABLE] * 10
    assert sum(tries.another(fault) for fault in faults) < MOST_TRIES + len(Fault)
