"""Mappings made from summaries, and from nothing else."""

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.backfill.acceptances import preview_acceptances
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.errors import UsageError
from stovepipe_cli.reports import BackfillReport
from stovepipe_cli.storage.contract import (
    CollationConflict,
    RequestAcceptanceStore,
    SchemaMismatch,
    Storage,
    StorageUnavailable,
)
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock, check, codes, queue_of
from tests.support.backfills import backfilled
from tests.support.faults import Disturbance, Disturbed
from tests.support.lifecycles import LONG_AFTER_MS, QUEUE, Life, accepted, failed, healthy, put, succeeded, superseded
from tests.support.mariadb import MariaDBServer
from tests.support.repairs import number
from tests.support.row_dump import dump_by_key
from tests.support.service_tables import create_service_tables
from tests.support.watched_storage import watched

APPLY = BackfillOptions()


class RefusingAcceptances(RequestAcceptanceStore):
    """A store whose table cannot hold the mapping of one request."""

    def __init__(self, inner: RequestAcceptanceStore, request_id: str) -> None:
        self._inner = inner
        self._request_id = request_id

    def create(self, acceptance: RequestAcceptance) -> None:
        self.create_missing([acceptance])

    def get(self, accepted_at_ms: int, request_id: str) -> RequestAcceptance:
        return self._inner.get(accepted_at_ms, request_id)

    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        if any(each.request_id == self._request_id for each in acceptances):
            raise CollationConflict("the table takes this key for another one")
        return self._inner.create_missing(acceptances)

    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        return self._inner.list_before(accepted_at_or_after_ms, accepted_before_ms, before, limit)


def fill(
    storage: Storage,
    options: BackfillOptions = APPLY,
    clock: StandingClock | None = None,
    *,
    rate: float | None = None,
) -> BackfillReport:
    return backfilled(storage, options, clock or StandingClock(), rate=rate)


def counts(report: BackfillReport) -> tuple[int, int, int, int, int]:
    """Scanned, mapped, already mapped, unknown, conflicts."""
    return (
        report.scanned,
        report.mapped,
        report.already_mapped,
        report.unknown_acceptance,
        report.conflicts,
    )


@pytest.fixture(params=["memory", "sqlite", "mariadb-service-tables"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "mariadb-service-tables":
        server: MariaDBServer = request.getfixturevalue("mariadb")
        name = server.unused_name("backfill")
        url = server.create_database(name)
        with contextlib.closing(server.connect(name)) as connection:
            create_service_tables(connection, "mysql")
        with open_storage(url) as factory:
            yield factory.for_queue(QUEUE)
        server.drop_database(name)
        return
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'backfill.db'}"
    with open_storage(url) as factory:
        factory.admin.create_tables()
        yield factory.for_queue(QUEUE)


def damaged() -> list[Life]:
    """Two requests whose summary knows the time, one whose entry does, one that nothing tells of, one in order."""
    return [
        succeeded(1),
        succeeded(2).without("acceptance"),
        failed(3).without("acceptance"),
        superseded(4).change_summary(accepted_at_ms=0).without("acceptance"),
        succeeded(5).drop("state/1").change_summary(accepted_at_ms=0).without("acceptance"),
        accepted(6).without("summary", "acceptance"),
    ]


@pytest.mark.parametrize("batch", [1, 2, 5, 1000])
def test_what_is_known_or_retained_is_mapped(storage: Storage, batch: int) -> None:
    put(storage, *damaged())
    assert counts(fill(storage, BackfillOptions(batch=batch))) == (6, 3, 1, 2, 0)
    mapped = storage.acceptances.list_before(0, 2**62, None, 100)
    assert sorted(each.request_id for each in mapped) == [number(each) for each in (1, 2, 3, 4)]
    assert storage.summaries.get(number(4)).accepted_at_ms == accepted(4).log["state/1"].timestamp_ms


def test_only_mappings_and_the_summaries_that_learned_change(storage: Storage) -> None:
    put(storage, *damaged())
    before = dump_by_key(storage)
    fill(storage)
    after = dump_by_key(storage)
    changed = {place for place, row in before.items() if after[place] != row}
    assert changed == {("request_summary", (number(4),))}
    assert {table for table, _ in after.keys() - before.keys()} == {"request_acceptance"}


def test_a_dry_run_counts_the_same_and_writes_nothing(storage: Storage) -> None:
    put(storage, *damaged())
    before = dump_by_key(storage)
    dry = preview_acceptances(storage, BackfillOptions(), clock=StandingClock())
    assert dump_by_key(storage) == before
    assert dry.dry_run
    assert counts(dry) == counts(fill(storage))


def test_summaries_that_learn_their_time_are_counted_apart(storage: Storage) -> None:
    put(storage, *damaged())
    planned = preview_acceptances(storage, BackfillOptions(), clock=StandingClock()).summaries_updated
    assert (planned, fill(storage).summaries_updated, fill(storage).summaries_updated) == (1, 1, 0)


@pytest.mark.parametrize("table", ["request", "request_acceptance"])
def test_a_connection_lost_once_in_the_middle_of_a_page_changes_nothing(table: str) -> None:
    storage, watch = watched(queue_of(*damaged()))
    lost: list[str] = []

    def lose(name: str, _: int) -> None:
        if name == table and not lost:
            lost.append(name)
            raise StorageUnavailable("the connection was lost")

    watch.before_page = lose
    assert counts(fill(storage)) == counts(fill(queue_of(*damaged())))
    assert lost == [table]


def test_a_second_run_maps_nothing(storage: Storage) -> None:
    put(storage, *damaged())
    fill(storage)
    before = dump_by_key(storage)
    assert counts(fill(storage)) == (6, 0, 4, 2, 0)
    assert dump_by_key(storage) == before


def test_the_damage_it_is_for_is_gone_afterwards() -> None:
    storage = queue_of(*damaged()[:4])
    assert codes(check(storage)) == ["A401", "A401", "P306"]
    fill(storage)
    assert codes(check(storage)) == []


def test_a_summary_that_its_accepted_entry_contradicts_is_not_mapped() -> None:
    life = succeeded(1).without("acceptance").change_summary(accepted_at_ms=LONG_AFTER_MS)
    storage = queue_of(life)
    report = fill(storage)
    assert counts(report) == (1, 0, 0, 0, 1)
    assert report.exit_code == 3
    assert number(1) in report.problems[0]
    assert storage.acceptances.list_before(0, 2**62, None, 1) == ()


def test_a_request_that_is_mapped_at_another_time_gets_no_second_mapping() -> None:
    life = succeeded(1)
    assert life.acceptance is not None
    life.acceptance = life.acceptance._replace(accepted_at_ms=7)
    storage = queue_of(life)
    assert counts(fill(storage)) == (1, 0, 0, 0, 1)
    assert len(storage.acceptances.list_before(0, 2**62, None, 10)) == 1


def test_unknown_times_are_no_damage() -> None:
    report = fill(queue_of(accepted(1).without("summary", "acceptance")))
    assert counts(report) == (1, 0, 0, 1, 0)
    assert report.exit_code == 0


def test_a_summary_without_the_column_is_mapped_to_nothing() -> None:
    factory = MemoryFactory(absent_columns={"request_summary": frozenset({"accepted_at_ms"})})
    storage = factory.for_queue(QUEUE)
    put(storage, succeeded(1).without("acceptance"))
    assert counts(fill(storage)) == (1, 0, 0, 1, 0)


@pytest.mark.parametrize("table", ["request_acceptance", "request_summary"])
def test_a_table_that_is_absent_is_named(table: str) -> None:
    storage = MemoryFactory(absent_tables=frozenset({table})).for_queue(QUEUE)
    with pytest.raises(SchemaMismatch, match=table):
        fill(storage)


def test_an_entry_under_an_obsolete_id_tells_the_time_as_well() -> None:
    life = accepted(1).change_entry("state/1", log_id="log/" + "0" * 64)
    life.change_summary(accepted_at_ms=0).without("acceptance")
    storage = queue_of(life.without("acceptance"))
    assert counts(fill(storage)) == (1, 1, 0, 0, 0)


def test_times_that_no_mapping_can_have_are_set_aside() -> None:
    life = succeeded(1).drop("state/1").without("acceptance").change_summary(accepted_at_ms=-5)
    report = fill(queue_of(life, succeeded(2).without("acceptance")))
    assert (report.mapped, report.quarantined, report.exit_code) == (1, 1, 4)


def test_a_row_that_the_store_refuses_is_set_aside_and_the_rest_is_mapped() -> None:
    storage = queue_of(*(succeeded(each).without("acceptance") for each in range(1, 9)))
    report = fill(replace(storage, acceptances=RefusingAcceptances(storage.acceptances, number(5))))
    assert (report.mapped, report.quarantined) == (7, 1)
    assert number(5) in report.problems[0]


@pytest.mark.parametrize("disturbance", ["fails", "answer lost"])
def test_cut_short_anywhere_and_run_again_it_ends_the_same(disturbance: Disturbance) -> None:
    undisturbed = queue_of(*damaged())
    counting = Disturbed({})
    fill(counting.around(undisturbed), BackfillOptions(batch=2))
    expected = dump_by_key(undisturbed)
    for call in range(1, len(counting.calls) + 1):
        storage = queue_of(*damaged())
        with contextlib.suppress(StorageUnavailable):
            fill(Disturbed({call: disturbance}).around(storage), BackfillOptions(batch=2))
        fill(storage)
        assert dump_by_key(storage) == expected, call


def of_all_kinds(seed: int, metadata: str = "{}") -> list[Life]:
    """Requests with this or that gone, and a last one in order whose accepted entry has the metadata."""
    chosen = random.Random(seed)  # noqa: S311  # a seed that gives the same requests each time
    kinds: list[Callable[[Life], Life]] = [
        lambda life: life,
        lambda life: life.without("acceptance"),
        lambda life: life.without("acceptance").drop("state/1"),
        lambda life: life.without("acceptance").change_summary(accepted_at_ms=0),
        lambda life: life.without("acceptance").change_summary(accepted_at_ms=0).drop("state/1"),
        lambda life: life.without("acceptance").change_summary(accepted_at_ms=LONG_AFTER_MS),
        lambda life: life.without("summary", "acceptance"),
    ]
    lives = [chosen.choice(kinds)(chosen.choice([succeeded, failed])(each)) for each in range(1, 60)]
    last = succeeded(60)
    last.log["state/1"] = last.log["state/1"]._replace(metadata=metadata)
    return [*lives, last]


@pytest.mark.parametrize("seed", range(4))
def test_what_whole_columns_tell_is_what_each_request_tells(storage: Storage, seed: int) -> None:
    with open_storage("memory://") as factory:
        singly = factory.for_queue(QUEUE)
        # Entries that are not alike are read one by one.
        put(singly, *of_all_kinds(seed, '{"base_uri":""}'))
        one_by_one = preview_acceptances(singly, APPLY, clock=StandingClock())
    put(storage, *of_all_kinds(seed))
    together = preview_acceptances(storage, APPLY, clock=StandingClock())
    assert replace(together, problems=()) == replace(one_by_one, problems=())
    assert {*together.problems} == {*one_by_one.problems}
    assert counts(fill(storage)) == counts(one_by_one)


def test_the_rate_bounds_the_rows_written_a_second() -> None:
    clock = StandingClock()
    storage = queue_of(*(succeeded(each).without("acceptance") for each in range(1, 16)))
    fill(storage, BackfillOptions(batch=5), clock, rate=10.0)
    assert sum(clock.slept) == pytest.approx(1.5)


def test_nothing_is_waited_for_where_nothing_is_written() -> None:
    clock = StandingClock()
    fill(queue_of(*healthy(10)), BackfillOptions(batch=5), clock, rate=1.0)
    assert sum(clock.slept) == 0


def test_counts_are_told_after_each_page() -> None:
    told: list[int] = []
    preview_acceptances(
        queue_of(*healthy(5)),
        BackfillOptions(batch=2),
        clock=StandingClock(),
        progress=lambda report: told.append(report.scanned),
    )
    assert told[-1] == 5
    assert told == sorted(told)


@pytest.mark.parametrize(
    "options",
    [BackfillOptions(batch=0), BackfillOptions(batch=10**6), BackfillOptions(since_ms=5, until_ms=5)],
    ids=range(3),
)
def test_options_that_cannot_be_are_refused(options: BackfillOptions) -> None:
    with pytest.raises(UsageError):
        fill(queue_of(succeeded(1)), options)


def test_only_requests_accepted_in_the_window_are_mapped() -> None:
    storage = queue_of(*(succeeded(each).without("acceptance") for each in (1, 2, 3)))
    first, second, third = (storage.summaries.get(number(each)).accepted_at_ms for each in (1, 2, 3))
    report = fill(storage, BackfillOptions(since_ms=second, until_ms=third))
    assert first < second < third
    assert (report.mapped, report.outside_window) == (1, 2)
    assert [each.request_id for each in storage.acceptances.list_before(0, 2**62, None, 9)] == [number(2)]


def test_a_window_leaves_out_what_is_mapped_outside_of_it() -> None:
    storage = queue_of(*(succeeded(each) for each in (1, 2)))
    second = storage.summaries.get(number(2)).accepted_at_ms
    report = fill(storage, BackfillOptions(since_ms=second))
    assert (report.scanned, report.already_mapped, report.outside_window) == (2, 1, 1)
