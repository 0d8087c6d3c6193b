"""Loading: all rows or none, and nothing the second time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario, read_scenario_file
from stovepipe_cli.storage.contract import ForeignQueue, SchemaMismatch, Storage, StorageFactory
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestRow
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.row_dump import dump_rows

QUEUE = "demo/main"


@pytest.fixture(params=["memory", "sqlite"])
def factory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageFactory]:
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'q.db'}"
    with open_storage(url) as opened:
        opened.admin.create_tables()
        yield opened
        assert opened.checked_out() == 0


@pytest.fixture
def storage(factory: StorageFactory) -> Storage:
    return factory.for_queue(QUEUE)


def test_every_row_is_stored_as_it_was_written(storage: Storage) -> None:
    scenario = bundled("healthy")
    report = load_scenario(storage, scenario, into_existing=False)
    assert (report.created, report.unchanged) == (len(scenario.rows), 0)
    assert sorted(dump_rows(storage), key=repr) == sorted(scenario.rows, key=repr)


def test_loading_again_changes_nothing(storage: Storage) -> None:
    scenario = bundled("demo")
    load_scenario(storage, scenario, into_existing=False)
    before = dump_rows(storage)
    report = load_scenario(storage, scenario, into_existing=False)
    assert (report.created, report.unchanged) == (0, len(scenario.rows))
    assert dump_rows(storage) == before


def test_rows_that_went_missing_are_loaded_again(storage: Storage) -> None:
    scenario = bundled("h109")
    storage.bulk.insert(scenario.rows[:5])
    report = load_scenario(storage, scenario, into_existing=False)
    assert (report.created, report.unchanged) == (len(scenario.rows) - 5, 5)


def test_a_row_that_differs_is_refused_with_its_key_and_nothing_is_written(storage: Storage) -> None:
    scenario = bundled("healthy")
    row = next(row for row in scenario.rows if isinstance(row, RequestRow))
    storage.bulk.insert([row._replace(state="failed")])
    before = dump_rows(storage)
    with pytest.raises(Refused) as caught:
        load_scenario(storage, scenario, into_existing=True)
    assert caught.value.message == (
        "row ('101') of table 'request' in queue 'demo/main' has state 'failed', not 'succeeded'"
    )
    assert dump_rows(storage) == before


def test_a_queue_that_holds_other_rows_is_refused(storage: Storage) -> None:
    load_scenario(storage, bundled("h101"), into_existing=False)
    before = dump_rows(storage)
    with pytest.raises(Refused) as caught:
        load_scenario(storage, bundled("h105"), into_existing=False)
    assert caught.value.exit_code == 7
    assert dump_rows(storage) == before


def test_other_rows_stay_when_loading_into_an_existing_queue(storage: Storage) -> None:
    storage.bulk.insert([RequestRow("9999", "git://x", "accepted", "", "", 1, "")])
    scenario = bundled("healthy")
    assert load_scenario(storage, scenario, into_existing=True).created == len(scenario.rows)
    assert storage.requests.get("9999").uri == "git://x"


def test_rows_of_another_queue_are_no_obstacle(factory: StorageFactory, storage: Storage) -> None:
    factory.for_queue("other/main").bulk.insert([RequestRow("101", "git://x", "accepted", "", "", 1, "")])
    assert load_scenario(storage, bundled("healthy"), into_existing=False).unchanged == 0


def test_a_storage_of_another_queue_is_refused(factory: StorageFactory) -> None:
    with pytest.raises(ForeignQueue):
        load_scenario(factory.for_queue("other/main"), bundled("healthy"), into_existing=False)


def test_columns_that_the_database_lacks_are_neither_written_nor_compared() -> None:
    absent = {"request": frozenset({"terminal_build_id"}), "request_summary": frozenset({"accepted_at_ms"})}
    storage = MemoryFactory(absent_columns=absent).for_queue(QUEUE)
    scenario = bundled("demo")
    load_scenario(storage, scenario, into_existing=False)
    assert load_scenario(storage, scenario, into_existing=False).unchanged == len(scenario.rows)


def test_a_table_that_the_database_lacks_is_named_and_nothing_is_written() -> None:
    storage = MemoryFactory(absent_tables=frozenset({"request_acceptance"})).for_queue(QUEUE)
    with pytest.raises(SchemaMismatch, match="request_acceptance"):
        load_scenario(storage, bundled("healthy"), into_existing=False)
    assert dump_rows(storage) == []


def test_a_scenario_without_rows_loads_into_anything(storage: Storage) -> None:
    report = load_scenario(storage, read_scenario(b"format: 1\nqueue: demo/main\n", "s.yaml"), into_existing=False)
    assert (report.file, report.created, report.unchanged) == ("s.yaml", 0, 0)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read: No such file or directory"):
        read_scenario_file(tmp_path / "absent.yaml")


def test_a_file_is_named_by_its_path_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("format: 1\nqueue: q\nrow: {}\n", "utf-8")
    with pytest.raises(InvalidInput) as caught:
        read_scenario_file(path)
    assert caught.value.message == f"{path}:3: a scenario has no 'row'"


def test_json_that_the_database_spells_otherwise_is_the_same(storage: Storage) -> None:
    row = RequestLogRow("101", "state/9", 5, "x", "", 9, "", '[1, {"a": null, "b": "x"}]')
    storage.bulk.insert([row])
    text = (
        "format: 1\nqueue: demo/main\nrows:\n  queue: []\n  request_log:\n    - {{request_id: '101', log_id: state/9, "
    )
    text += "timestamp_ms: 5, state: x, request_version: 9, metadata: '{}'}}\n"
    same = read_scenario(text.format('[1,{"b":"x","a":null}]').encode(), "s.yaml")
    assert load_scenario(storage, same, into_existing=False).unchanged == 1
    other = read_scenario(text.format('[1.5,{"b":"x","a":null}]').encode(), "s.yaml")
    with pytest.raises(Refused, match="has metadata"):
        load_scenario(storage, other, into_existing=False)
