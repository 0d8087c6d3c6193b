"""Writers on several nodes: one wins, the others are told, and what was written is seen everywhere at once."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.storage.contract import AlreadyExists, Storage, StorageFactory, VersionMismatch
from tests.contract.samples import a_request, a_summary
from tests.contract.specimens import SPECIMENS, Specimen
from tests.contract.test_races import RACERS, UPDATES, outcomes
from tests.galera.conftest import OnCluster
from tests.support.waiting import comes_true

ROUNDS = 5
# So often that some commits meet on the same row, which a cluster finds out only when they are made.
TURNS = 40
DEADLINE_SECONDS = 10.0


@pytest.mark.parametrize(("create", "update"), UPDATES.values(), ids=UPDATES.keys())
def test_one_of_many_updates_of_a_version_wins_whatever_its_node(
    factories: list[StorageFactory],
    queue: str,
    create: Callable[[Storage], object],
    update: Callable[[Storage, int], object],
) -> None:
    for turn in range(ROUNDS):
        stores = [factory.for_queue(f"{queue}/{turn}") for factory in factories]
        create(stores[0])

        def act(number: int, stores: list[Storage] = stores) -> None:
            update(stores[number % len(stores)], number)

        assert outcomes(act) == {None: 1, VersionMismatch: RACERS - 1}


@pytest.mark.parametrize("specimen", SPECIMENS, ids=str)
def test_one_of_many_creators_wins_whatever_its_node(
    factories: list[StorageFactory], queue: str, specimen: Specimen[Any]
) -> None:
    entity = specimen.make(queue, "7")
    got = outcomes(lambda number: specimen.create(factories[number % len(factories)].for_queue(queue), entity))
    assert got == {None: 1, AlreadyExists: RACERS - 1}
    assert [specimen.get(factory.for_queue(queue), "7") for factory in factories] == [entity] * len(factories)


def test_every_update_that_was_reported_counts_and_no_other(factories: list[StorageFactory], queue: str) -> None:
    first = a_summary(queue)
    factories[0].for_queue(queue).summaries.create(first)

    def count_up(factory: StorageFactory) -> Counter[str]:
        summaries = factory.for_queue(queue).summaries
        found: Counter[str] = Counter()
        for _ in range(TURNS):
            seen = summaries.get(first.request_id)
            old, new = seen.version, seen.version + 1
            try:
                summaries.update(replace(seen, version=new), old_version=old, new_version=new)
                found["won"] += 1
            except VersionMismatch:
                found["lost"] += 1
        return found

    with ThreadPoolExecutor(len(factories)) as pool:
        counts = sum(pool.map(count_up, factories), Counter[str]())
    versions = [factory.for_queue(queue).summaries.get(first.request_id).version for factory in factories]
    assert versions == [first.version + counts["won"]] * len(factories)
    assert counts["lost"], "no two of them ever met"


def test_a_read_on_another_node_waits_for_what_was_written_before(
    on_cluster: OnCluster, factories: list[StorageFactory], queue: str
) -> None:
    here, there = (factory.for_queue(queue) for factory in factories[:2])
    slow = on_cluster.cluster.nodes[1]
    there.queues.get_or_create()
    busy = "SELECT id FROM information_schema.processlist WHERE BINARY db = %s AND command = 'Query'"
    with slow.connect() as connection, connection.cursor() as cursor, ThreadPoolExecutor(1) as pool:
        # The node receives what others write and cannot apply it.
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        entity = a_request(queue)
        here.requests.create(entity)
        reading = pool.submit(there.requests.get, entity.id)

        def is_waiting() -> bool:
            return reading.done() or bool(cursor.execute(busy, (on_cluster.name,)))

        assert comes_true(is_waiting, within_seconds=DEADLINE_SECONDS)
        cursor.execute("UNLOCK TABLES")
        assert reading.result() == entity
