"""The service hands its entries in again and again: it finds every one that a repair wrote, and writes nothing."""

from collections.abc import Iterable, Iterator, Mapping

import pytest

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.entities import Request, RequestLog
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_finished_entry,
    build_triggered_entry,
    fact_entry,
    outcome_entry,
    processing_entry,
    superseded_entry,
)
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import build_from, fact_from, request_from
from stovepipe_cli.storage.contract.rows import BuildRow, RequestRow, ValidationFactRow
from tests.stories.story import LOOK, Mender, NewDatabase
from tests.support.row_dump import dump_rows

# Every kind of damage that a repair can mend whole, given leave to use the time of insertion.
MENDABLE = dict.fromkeys(("H102", "H104", "E201", "E202", "E206", "P301", "P302", "A401", "U501"), 3)
SCENARIOS = ("demo", "h101", "h102", "h103", "h104", "e201", "e202", "e206", "p301", "p302", "p306")
LEAVE = PlanOptions(verify=LOOK, allow_retention_time=True)


def handed_in_again(storage: Storage, request_ids: Iterable[str]) -> Iterator[RequestLog]:
    """What the service's stages would make of the rows of these requests: each state that is retained, and events."""
    rows = dump_rows(storage)
    wanted = set(request_ids)
    for row in rows:
        if isinstance(row, RequestRow) and row.id in wanted:
            request = request_from(storage.queue, row)
            yield from (state_of(request, entry) for entry in storage.request_log.list(row.id) if entry.is_state)
        elif isinstance(row, BuildRow) and row.request_id in wanted:
            build = build_from(storage.queue, row)
            yield build_triggered_entry(build)
            if build.is_terminal:
                yield build_finished_entry(build)
        elif isinstance(row, ValidationFactRow) and row.request_id in wanted and not row.project:
            yield fact_entry(fact_from(storage.queue, row))


def state_of(request: Request, retained: RequestLog) -> RequestLog:
    """The entry of a state as a stage makes it, from the request alone and the reason that it acted for."""
    if retained.state == "accepted":
        return accepted_entry(request)
    if retained.state == "processing":
        return processing_entry(request)
    if retained.state == "superseded":
        return superseded_entry(request)
    assert retained.state in BUILD_OUTCOME_STATES
    return outcome_entry(request, retained.outcome_reason, request.terminal_build_id or None)


def outcomes_of(storage: Storage, entries: Iterable[RequestLog]) -> Mapping[tuple[str, str], str]:
    materializer = Materializer(storage, SystemClock())
    return {(entry.request_id, entry.id): materializer.persist(entry).outcome for entry in entries}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_request_that_a_repair_wrote_for_is_as_the_service_has_it(new_database: NewDatabase, name: str) -> None:
    scenario = bundled(name)
    with new_database() as factory:
        storage = factory.for_queue(scenario.queue)
        load_scenario(storage, scenario, into_existing=False)
        mender = Mender(factory, scenario.queue)
        mend = mender.apply(mender.plan(LEAVE))
        repaired = {str(each.after["request_id"]) for each in mend.applied.receipt.written}
        assert repaired
        written = {
            (str(each.after["request_id"]), str(each.after["log_id"]))
            for each in mend.applied.receipt.written
            if each.action == "create-log"
        }
        outcomes = outcomes_of(storage, handed_in_again(storage, repaired))
        assert {outcomes[place] for place in written} <= {"identical_existing"}
        assert set(outcomes.values()) == {"identical_existing"}
        assert mender.rows() == mend.rows, "the service had something left to write"


def test_a_whole_repaired_queue_is_as_the_service_has_it(new_database: NewDatabase) -> None:
    synthetic = SyntheticQueue("monorepo/main", requests=120, seed=7, damage=MENDABLE)
    with new_database() as factory:
        storage = factory.for_queue(synthetic.queue)
        for batch in synthetic.batches():
            storage.bulk.insert(batch)
        mender = Mender(factory, synthetic.queue)
        damaged = mender.verify()
        mend = mender.apply(mender.plan(LEAVE))
        assert (damaged.findings_total > 0, mend.applied.exit_code) == (True, 0)
        everyone = [row.id for row in dump_rows(storage) if isinstance(row, RequestRow)]
        outcomes = outcomes_of(storage, handed_in_again(storage, everyone))
        assert len(everyone) == synthetic.requests
        assert len(outcomes) == 6 * synthetic.requests
        assert set(outcomes.values()) == {"identical_existing"}
        assert mender.rows() == mend.rows, "the service had something left to write"
        assert mender.verify().findings_total == 0
