"""A backfill whose workers use different nodes for rows and ledger goes on when one of the nodes dies and returns."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE, TABLES, Table
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.galera.conftest import OnCluster
from tests.support.shared_backfill import (
    DEADLINE_SECONDS,
    QUEUE,
    SharedBackfill,
    completions_under_lost_leases,
    is_gapless,
    kinds_of,
)

Share = Callable[[int, int, int], SharedBackfill]

LOST = 2
# Longer than the others need to notice that a node is gone, during which nothing is committed anywhere.
LEASE_SECONDS = 10


@pytest.fixture
def share(on_cluster: OnCluster, tmp_path: Path) -> Iterator[Share]:
    """A queue of so many requests without any mapping, and a backfill at so many rows a second and a batch.

    The third worker has its rows, and the fourth its ledger, on the node that dies; the fifth has both there.
    """
    begun: list[SharedBackfill] = []
    first, second, lost = on_cluster.urls

    def empty(*tables: Table) -> None:
        for table in tables:
            on_cluster.cluster.nodes[0].execute(
                f"DELETE FROM {table.name} WHERE {table.queue_column} = %s", (QUEUE,), database=on_cluster.name
            )

    def begin(requests: int, rate: int, batch: int) -> SharedBackfill:
        # What another test left of the queue.
        empty(*TABLES.values())
        with open_storage(first) as factory:
            generate(factory.for_queue(QUEUE), SyntheticQueue(QUEUE, requests, seed=7), into_existing=True)
        empty(REQUEST_ACCEPTANCE)
        urls, ledger_urls = (first, second, lost, first, lost), (second, first, first, lost, lost)
        begun.append(SharedBackfill(tmp_path, urls, first, rate, batch, ledger_urls, LEASE_SECONDS))
        return begun[0]

    yield begin
    for backfill in begun:
        backfill.close()


def begun_with_four(backfill: SharedBackfill) -> SharedBackfill:
    """Four workers that each hold a step."""
    backfill.start()
    for _ in range(3):
        backfill.join()
    for number in range(4):
        backfill.await_lease(number)
    return backfill


def ends_of(backfill: SharedBackfill) -> list[tuple[int, dict[str, Any]]]:
    """Exit code and document of each worker, once all have ended."""
    ends: list[tuple[int, dict[str, Any]]] = []
    for worker in backfill.workers:
        stdout, stderr = worker.communicate(timeout=DEADLINE_SECONDS)
        assert "Traceback" not in stderr, stderr
        ends.append((worker.returncode, json.loads(stdout)))
    return ends


def assert_nothing_is_lost_and_nothing_done_twice(urls: tuple[str, ...], data: dict[str, Any], requests: int) -> None:
    assert mapped_at(urls) == [requests] * len(urls)
    assert (data["scanned"], data["mapped"] + data["already_mapped"]) == (requests, requests)


def mapped_at(urls: tuple[str, ...]) -> list[int]:
    """How many requests have a mapping, by the word of each node, none of them twice."""
    found: list[int] = []
    for url in urls:
        with open_storage(url) as factory:
            mapped: list[str] = []
            before: tuple[int, str] | None = None
            while page := factory.for_queue(QUEUE).acceptances.list_before(0, 2**62, before, 10_000):
                mapped += [each.request_id for each in page]
                before = (page[-1].accepted_at_ms, page[-1].request_id)
        assert len(mapped) == len(set(mapped))
        found.append(len(mapped))
    return found


def assert_every_node_has_the_whole_record(on_cluster: OnCluster, backfill: SharedBackfill) -> None:
    def the_run(ledger: QueueLedger) -> Run | None:
        return ledger.runs.find(backfill.run_id)

    events = backfill.events()
    kinds = kinds_of(events)
    assert (kinds["WorkflowStarted"], kinds["WorkflowCompleted"]) == (1, 1)
    assert completions_under_lost_leases(events) == []
    assert is_gapless(events)
    for url in on_cluster.urls:
        with open_ledger(url, read_only=True) as ledger:
            run = the_run(ledger.for_queue(QUEUE))
        assert run is not None
        assert run.status == "COMPLETED"


@pytest.mark.soak
def test_every_mapping_exists_once_though_a_node_dies_and_comes_back(on_cluster: OnCluster, share: Share) -> None:
    backfill = begun_with_four(share(4_000, 150, 50))
    on_cluster.cluster.kill(LOST)
    on_cluster.cluster.bring_back()
    ends = ends_of(backfill)
    # Whether a worker gives its node up or finds it again is a matter of how soon that is back.
    assert [code for code, _ in ends[:2]] == [0, 0], ends
    assert {code for code, _ in ends} <= {0, 6}, ends
    assert_nothing_is_lost_and_nothing_done_twice(on_cluster.urls, ends[0][1]["data"], 4_000)
    assert_every_node_has_the_whole_record(on_cluster, backfill)


@pytest.mark.soak
def test_workers_of_a_node_that_stays_dead_end_with_6_and_others_finish_their_work(
    on_cluster: OnCluster, share: Share
) -> None:
    backfill = begun_with_four(share(40_000, 120, 100))
    on_cluster.cluster.kill(LOST)
    for number in (2, 3):
        backfill.workers[number].wait(DEADLINE_SECONDS)
    on_cluster.cluster.bring_back()
    backfill.join()
    backfill.await_lease(4)
    ends = ends_of(backfill)
    assert [code for code, _ in ends] == [0, 0, 6, 6, 0], ends
    codes = [document["errors"][0]["code"] for code, document in ends if code]
    assert codes == ["storage-unavailable", "ledger-unavailable"]
    assert_nothing_is_lost_and_nothing_done_twice(on_cluster.urls, ends[0][1]["data"], 40_000)
    assert_every_node_has_the_whole_record(on_cluster, backfill)
