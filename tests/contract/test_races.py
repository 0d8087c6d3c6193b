"""Two at once: one wins, the other is told, and nothing is written twice."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import AlreadyExists, Storage, StorageFactory, VersionMismatch
from tests.contract.samples import (
    a_build,
    a_queue_summary,
    a_request,
    a_summary,
    an_acceptance,
    an_occurrence,
)
from tests.contract.specimens import SPECIMENS, Specimen

RACERS = 4


def outcomes(race: Callable[[int], object]) -> Counter[object]:
    """What the racers got: None, or the class of their error."""
    start = Barrier(RACERS)

    def run(number: int) -> object:
        start.wait()
        try:
            race(number)
        except StovepipeError as error:
            return type(error)
        return None

    with ThreadPoolExecutor(RACERS) as pool:
        return Counter(pool.map(run, range(RACERS)))


@pytest.mark.parametrize("specimen", SPECIMENS, ids=str)
def test_one_of_many_creators_wins(factory: StorageFactory, queue_name: str, specimen: Specimen[Any]) -> None:
    entity = specimen.make(queue_name, "7")
    got = outcomes(lambda _: specimen.create(factory.for_queue(queue_name), entity))
    assert got == {None: 1, AlreadyExists: RACERS - 1}
    assert specimen.get(factory.for_queue(queue_name), "7") == entity


UPDATES: dict[str, tuple[Callable[[Storage], object], Callable[[Storage, int], object]]] = {
    "request": (
        lambda s: s.requests.create(a_request(s.queue)),
        lambda s, n: s.requests.update(a_request(s.queue, uri=f"git://{n}"), old_version=1, new_version=2),
    ),
    "build": (
        lambda s: s.builds.create(a_build(s.queue)),
        lambda s, _: s.builds.update(a_build(s.queue, status="failed"), old_version=1, new_version=2),
    ),
    "summary": (
        lambda s: s.summaries.create(a_summary(s.queue)),
        lambda s, n: s.summaries.update(a_summary(s.queue, project_fact_count=n), old_version=1, new_version=2),
    ),
    "queue": (
        lambda s: s.queues.get_or_create(),
        lambda s, _: s.queues.update(s.queues.get(), old_version=1, new_version=2),
    ),
    "queue summary": (
        lambda s: s.queue_summaries.create(a_queue_summary(s.queue)),
        lambda s, n: s.queue_summaries.update(a_queue_summary(s.queue, sequence=n + 10), old_version=1, new_version=2),
    ),
}


@pytest.mark.parametrize(("create", "update"), UPDATES.values(), ids=UPDATES.keys())
def test_one_of_many_updates_of_a_version_wins(
    storage: Storage, create: Callable[[Storage], object], update: Callable[[Storage, int], object]
) -> None:
    create(storage)
    assert outcomes(lambda number: update(storage, number)) == {None: 1, VersionMismatch: RACERS - 1}


def test_one_of_many_changes_of_enablement_gets_the_sequence(storage: Storage) -> None:
    states = ("enabled", "disabled", "draining", "paused")
    got = outcomes(lambda number: storage.queue_log.create(an_occurrence(storage.queue, 7, states[number])))
    assert got == {None: 1, AlreadyExists: RACERS - 1}
    assert len(storage.queue_log.list_after(0, 9)) == 1


def test_one_of_many_makers_of_the_queue_summary_wins(storage: Storage) -> None:
    got = outcomes(lambda number: storage.queue_summaries.create(a_queue_summary(storage.queue, sequence=number + 1)))
    assert got == {None: 1, AlreadyExists: RACERS - 1}


def test_batches_that_overlap_create_every_mapping_once(storage: Storage) -> None:
    given = [an_acceptance(storage.queue, str(number)) for number in range(20)]
    created: list[object] = []
    got = outcomes(lambda number: created.extend(storage.acceptances.create_missing(given[number:] + given[:number])))
    assert got == {None: RACERS}
    assert Counter(created) == Counter(given)
