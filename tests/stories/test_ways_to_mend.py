"""Ways to mend beside a plain plan: with the operator's leave, and by backfill."""

import pytest

from stovepipe_cli.backfill.acceptances import preview_acceptances
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import RequestLogRow
from tests.stories.story import Mender, NewDatabase, named, tell
from tests.support.backfills import backfilled

# Nothing but a time is missing of what these leave, which the operator may let be the time of the repair.
ONLY_A_TIME_IS_MISSING = ("e201", "e202", "h102", "h104")


@pytest.mark.parametrize("name", ONLY_A_TIME_IS_MISSING)
def test_with_the_operator_s_leave_the_time_of_the_repair_is_used(new_database: NewDatabase, name: str) -> None:
    with new_database() as factory:
        story = tell(factory, bundled(name), allow_retention_time=True)
    assert named(story.after) == []
    assert {place: story.mend.rows[place] for place in story.loaded if place[0] == "request_log"} == {
        place: row for place, row in story.loaded.items() if place[0] == "request_log"
    }
    assert story.anew.rows == story.mend.rows


def test_entries_of_a_repair_can_be_told_apart_for_ever(new_database: NewDatabase) -> None:
    with new_database() as factory:
        story = tell(factory, bundled("demo"))
    written = [
        row for place, row in story.mend.rows.items() if isinstance(row, RequestLogRow) and place not in story.loaded
    ]
    runs = {(parse_metadata(row.metadata) or {}).get(REPAIR_RUN_ID) for row in written}
    assert runs == {story.mend.applied.run_id}


def test_a_dry_backfill_counts_and_writes_nothing(new_database: NewDatabase) -> None:
    scenario = bundled("a401")
    with new_database() as factory:
        storage = factory.for_queue(scenario.queue)
        load_scenario(storage, scenario, into_existing=False)
        mender = Mender(factory, scenario.queue)
        before = mender.rows()
        report = preview_acceptances(storage, BackfillOptions(), clock=SystemClock())
        assert mender.rows() == before
    assert (report.dry_run, report.mapped, report.conflicts) == (True, 2, 0)


def test_a_backfill_maps_what_is_missing_and_a_second_one_nothing(new_database: NewDatabase) -> None:
    scenario = bundled("a401")
    with new_database() as factory:
        storage = factory.for_queue(scenario.queue)
        load_scenario(storage, scenario, into_existing=False)
        mender = Mender(factory, scenario.queue)
        before = mender.rows()
        first = backfilled(storage, BackfillOptions(), SystemClock())
        mapped = mender.rows()
        second = backfilled(storage, BackfillOptions(), SystemClock())
        assert named(mender.verify()) == []
        assert mender.rows() == mapped
    assert (first.dry_run, first.mapped, second.mapped) == (False, 2, 0)
    assert before.items() < mapped.items()
    assert {place[0] for place in mapped.keys() - before.keys()} == {"request_acceptance"}
