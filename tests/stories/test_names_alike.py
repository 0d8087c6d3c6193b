"""Two queues whose names are equal but for their case: one mixes with the other where the server compares so."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.scenario import Scenario
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.rows import QueueRow
from tests.stories.story import LOOK, SERVICE_TABLES, Mender, NewDatabase, load, named

NAME = "h114"


@pytest.fixture(scope="module")
def queues() -> tuple[Scenario, Scenario]:
    capital = bundled(NAME)
    return capital, bundled(capital.expectation.beside or "")


@pytest.fixture(scope="module")
def factory(new_database: NewDatabase, queues: tuple[Scenario, Scenario], backend: str) -> Iterator[StorageFactory]:
    capital, small = queues
    with new_database() as opened:
        load(opened, capital)
        load(opened, without_own_row(small) if backend == SERVICE_TABLES else small)
        yield opened


def without_own_row(scenario: Scenario) -> Scenario:
    """The queue as it is where it finds the other's coordination row under its own name, and so never made one."""
    return replace(scenario, rows=tuple(row for row in scenario.rows if not isinstance(row, QueueRow)))


def test_their_names_are_equal_but_for_case(queues: tuple[Scenario, Scenario]) -> None:
    capital, small = queues
    assert capital.queue != small.queue
    assert capital.queue.lower() == small.queue.lower()


def test_verify_names_each_row_of_the_other_queue_where_names_are_compared_without_case(
    factory: StorageFactory, queues: tuple[Scenario, Scenario], backend: str
) -> None:
    capital, _ = queues
    expected = [(each.code, each.request_id) for each in capital.expectation.findings]
    report = Mender(factory, capital.queue).verify()
    assert named(report) == (expected if backend == SERVICE_TABLES else [])
    assert report.verdict == ("findings" if backend == SERVICE_TABLES else "clean")


def test_each_of_the_two_sees_the_other(
    factory: StorageFactory, queues: tuple[Scenario, Scenario], backend: str
) -> None:
    capital, small = (Mender(factory, scenario.queue).verify() for scenario in queues)
    if backend == SERVICE_TABLES:
        assert (set(capital.counts), set(small.counts)) == ({"H114"}, {"H114", "Q601"})
    else:
        assert (capital.counts, small.counts) == ({}, {})
    assert capital.coverage["requests"].checked == small.coverage["requests"].checked == 1


def test_nothing_is_planned_for_it(factory: StorageFactory, queues: tuple[Scenario, Scenario]) -> None:
    for scenario in queues:
        mender = Mender(factory, scenario.queue)
        assert mender.plan(PlanOptions(verify=LOOK)).entries == ()
        assert {each.repair for each in mender.verify().findings} <= {None}
