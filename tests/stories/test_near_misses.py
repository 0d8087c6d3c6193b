"""What comes near a rule without being damage stays silent, in one database that holds every near miss at once."""

from collections.abc import Iterator

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled, near_miss_names
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.storage.contract import StorageFactory
from tests.stories.story import LOOK, Mender, NewDatabase, load, named

# Each is damage by its columns alone, or by a value that a summary without the later columns cannot hold.
SILENT_WITHOUT_LATER_COLUMNS = ("a401", "a403", "p305", "p306", "p307")


@pytest.fixture(scope="module")
def near_misses(new_database: NewDatabase) -> Iterator[StorageFactory]:
    with new_database() as factory:
        for name in near_miss_names():
            load(factory, bundled(name))
        yield factory


@pytest.mark.parametrize("name", near_miss_names())
def test_it_is_clean(near_misses: StorageFactory, name: str) -> None:
    scenario = bundled(name)
    report = Mender(near_misses, scenario.queue).verify()
    assert named(report) == []
    assert (report.verdict, report.is_incomplete, report.pending) == ("clean", False, 0)
    assert report.legacy_requests == scenario.expectation.legacy_requests


@pytest.mark.parametrize("name", near_miss_names())
def test_there_is_nothing_to_plan_for_it(near_misses: StorageFactory, name: str) -> None:
    options = PlanOptions(verify=LOOK, allow_retention_time=True)
    assert Mender(near_misses, bundled(name).queue).plan(options).entries == ()


@pytest.mark.parametrize("name", near_miss_names())
def test_it_is_clean_where_summaries_lack_the_later_columns(first_near_misses: StorageFactory, name: str) -> None:
    report = Mender(first_near_misses, bundled(name).queue).verify()
    assert (named(report), report.verdict) == ([], "clean")


@pytest.fixture(scope="module")
def first_near_misses(database_of_first_summaries: NewDatabase) -> Iterator[StorageFactory]:
    with database_of_first_summaries() as factory:
        for name in near_miss_names():
            load(factory, bundled(name))
        yield factory


@pytest.mark.parametrize("name", SILENT_WITHOUT_LATER_COLUMNS)
def test_nothing_is_said_of_values_that_summaries_have_no_column_for(
    database_of_first_summaries: NewDatabase, name: str
) -> None:
    scenario = bundled(name)
    with database_of_first_summaries() as factory:
        load(factory, scenario)
        report = Mender(factory, scenario.queue).verify()
    assert (named(report), report.verdict) == ([], "clean")
    assert scenario.expectation.findings
