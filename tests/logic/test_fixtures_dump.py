"""Dumping: a scenario that loads to the same rows, whatever stands in them."""

import gc
import tracemalloc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from stovepipe_cli.audit.rules.sensitive import kinds_of_secret
from stovepipe_cli.errors import NothingFound, Refused
from stovepipe_cli.fixtures_io import dump as dump_module
from stovepipe_cli.fixtures_io import paged_rows
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.dump import Dump, DumpTally
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.pseudonyms import Pseudonyms
from stovepipe_cli.fixtures_io.row_text import quoted
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.fixtures_io.yaml_document import parse_yaml
from stovepipe_cli.storage.contract import (
    AuditReader,
    AuditSnapshot,
    StatementTimeout,
    Storage,
    StorageError,
    StorageReadOnly,
    StorageUnavailable,
    TableView,
)
from stovepipe_cli.storage.contract import rows as r
from stovepipe_cli.storage.contract.mapping import metadata_text
from stovepipe_cli.storage.contract.rows import Row
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.any_rows import HOSTILE_TEXTS, any_rows
from tests.support.audits import StandingClock
from tests.support.row_dump import dump_rows

QUEUE = 'demo/"main"'
NOON_MS = 1_754_000_000_000


def filled(rows: Collection[Row], queue: str = QUEUE) -> Storage:
    storage = MemoryFactory().for_queue(queue)
    storage.bulk.insert(list(rows))
    return storage


def dumped(storage: Storage, requests: Collection[str] | None = None) -> str:
    return "".join(Dump(storage, StandingClock(), requests).text(DumpTally()))


def loaded(text: str, into: Storage | None = None) -> Storage:
    scenario = read_scenario(text.encode(), "dump.yaml")
    storage = into or MemoryFactory().for_queue(scenario.queue)
    load_scenario(storage, scenario, into_existing=False)
    return storage


def exactly(rows: Collection[Row]) -> list[str]:
    return sorted(map(repr, rows))


@given(any_rows)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_load_of_a_dump_gives_the_same_rows_to_the_byte(rows: list[Row]) -> None:
    text = dumped(filled(rows))
    again = loaded(text)
    assert exactly(dump_rows(again)) == exactly(rows)
    assert dumped(again) == text


@pytest.mark.parametrize("backend", ["sqlite", "mariadb"])
def test_a_dump_goes_through_a_database_unchanged(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    ids = [f"{number}{text}" for number, text in enumerate(HOSTILE_TEXTS)]
    rows: list[Row] = [r.RequestRow(each, each, "accepted", "", "", 1, "") for each in ids]
    rows += [r.OpenIssueRow(each, "\udcff\udc80", "b") for each in ids]
    rows += [r.RequestLogRow("7", each, 1, "x", "", 1, "", metadata_text({each: each})) for each in ids]
    url = f"sqlite:///{tmp_path / 'd.db'}" if backend == "sqlite" else request.getfixturevalue("mariadb_database")
    with open_storage(url) as factory:
        factory.admin.create_tables()
        storage = loaded(dumped(filled(rows)), factory.for_queue(QUEUE))
        assert exactly(dump_rows(storage)) == exactly(rows)
        assert exactly(dump_rows(loaded(dumped(storage)))) == exactly(rows)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_text_is_quoted_so_that_yaml_reads_the_same(text: str) -> None:
    document = parse_yaml(f"{{{quoted(text)}: {quoted(text)}}}".encode(), "s.yaml")
    assert {key: value.value for key, value in document.entries.items()} == {text: text}  # type: ignore[union-attr]  # a mapping of texts


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_quoted_text_prints_nothing_that_acts(text: str) -> None:
    assert quoted(text).isprintable()


def test_a_queue_without_a_row_of_its_own_gets_none_by_a_load() -> None:
    rows = [row for row in bundled("demo").rows if not isinstance(row, r.QueueRow)]
    assert exactly(dump_rows(loaded(dumped(filled(rows))))) == exactly(rows)


def test_a_dump_of_no_rows_loads_to_none() -> None:
    assert dump_rows(loaded(dumped(filled([])))) == []


def test_tables_of_many_pages_are_whole_and_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged_rows, "PAGE_ROWS", 50)
    rows = [row for batch in SyntheticQueue("load/test", 110, seed=3).batches() for row in batch]
    storage = filled(rows, "load/test")
    seen: list[int] = []
    text = "".join(Dump(storage, StandingClock(), listener=seen.append).text(DumpTally()))
    assert exactly(read_scenario(text.encode(), "s.yaml").rows) == exactly(rows)
    assert seen[-1] == len(rows)
    assert max(after - before for before, after in zip([0, *seen], seen, strict=False)) <= 50


def peak_of_a_dump(requests: int, database: Path) -> int:
    with open_storage(f"sqlite:///{database}") as factory:
        factory.admin.create_tables()
        storage = factory.for_queue("load/test")
        for batch in SyntheticQueue("load/test", requests, seed=3).batches():
            storage.bulk.insert(batch)
        names = Pseudonyms(b"key", storage.queue, kinds_of_secret)
        pieces = Dump(storage, StandingClock(), names=names).text(DumpTally())
        next(pieces)
        # A collection then looks at what the dump made and at nothing else.
        gc.freeze()
        tracemalloc.start()
        try:
            for number, _ in enumerate(pieces):
                # What is garbage already is not held.
                if number % 50 == 0:
                    gc.collect()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            gc.unfreeze()


def test_memory_does_not_grow_with_the_queue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paged_rows, "PAGE_ROWS", 20)
    small, large = peak_of_a_dump(80, tmp_path / "small.db"), peak_of_a_dump(480, tmp_path / "large.db")
    assert large < 1.5 * small


def test_absent_tables_are_left_out() -> None:
    rows = [row for row in bundled("healthy").rows if not isinstance(row, r.RequestAcceptanceRow)]
    storage = MemoryFactory(absent_tables=frozenset({"request_acceptance"})).for_queue("demo/main")
    storage.bulk.insert(rows)
    assert exactly(read_scenario(dumped(storage).encode(), "s.yaml").rows) == exactly(rows)


def test_the_digest_is_the_one_that_a_load_reports() -> None:
    storage, tally = filled(bundled("demo").rows), DumpTally()
    text = "".join(Dump(storage, StandingClock()).text(tally))
    assert tally.digest == read_scenario(text.encode(), "s.yaml").digest
    assert tally.size == len(text.encode())


def test_a_row_that_no_load_takes_stays_a_comment_and_the_rest_loads() -> None:
    storage, tally = filled([]), DumpTally()
    odd, even = r.ProjectFactByDegreeRow("u", float("inf"), "p"), r.ProjectFactByDegreeRow("u", 0.5, "p")
    storage.bulk.insert([odd, even])
    text = "".join(Dump(storage, StandingClock()).text(tally))
    assert (tally.unloadable, dict(tally.rows)) == (1, {"project_fact_by_degree": 1})
    assert "# not loadable into table 'project_fact_by_degree': \"degree is inf\"\n" in text
    assert dump_rows(loaded(text)) == [even]


def test_a_table_of_comments_alone_loads_to_none() -> None:
    storage = filled([r.ProjectFactByDegreeRow("u", float("inf"), "\n- {}")])
    assert dump_rows(loaded(dumped(storage))) == []


def test_a_dump_that_no_load_would_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_module, "MAX_BYTES", 5_000)
    with pytest.raises(Refused, match="more than 5,000 bytes"):
        dumped(filled(bundled("demo").rows))


def test_a_chosen_request_comes_with_its_commit_its_builds_and_what_they_observed() -> None:
    uri, other = "git://code/main/1", "git://code/main/2"
    own: list[Row] = [
        r.RequestRow("7", uri, "succeeded", "full", "", 3, "b1"),
        r.RequestURIRow(uri, "7", 1),
        r.RequestURIRow("git://stray", "7", 1),
        r.BuildRow("b1", "7", "succeeded", 3),
        r.BuildRow("b2", "7", "running", 1),
        r.BuildRow("b3", "8", "running", 1),
        r.ValidationFactRow(uri, "", 0.0, "7", NOON_MS),
        r.ValidationFactRow(uri, "web", 0.5, "7", NOON_MS),
        r.ProjectFactByDegreeRow(uri, 0.5, "web"),
        r.RequestLogRow("7", "event/build_triggered/b3", NOON_MS, "", "build_triggered", 0, "", "{}"),
        r.RequestSummaryRow("7", uri, "", "succeeded", 3, NOON_MS, 1, NOON_MS, "build_succeeded", 0, 0, 0),
        r.RequestAcceptanceRow(NOON_MS, "7"),
        r.RequestAcceptanceRow(NOON_MS + 5, "7"),
        r.BuildIssueRow("b1", "task", "unit"),
        r.OpenIssueRow("task", "unit", "b1"),
        r.IssueLogRow("task", "unit", "b1", "opened", NOON_MS),
    ]
    others: list[Row] = [
        r.RequestRow("8", other, "accepted", "", "", 1, ""),
        r.RequestURIRow(other, "8", 1),
        r.BuildRow("b9", "8", "running", 1),
        r.RequestLogRow("70", "state/1", NOON_MS, "accepted", "", 1, "", "{}"),
        r.RequestAcceptanceRow(NOON_MS, "8"),
        r.IssueLogRow("task", "unit", "b9", "resolved", NOON_MS),
        r.OpenIssueRow("task", "", "b9"),
    ]
    scenario = read_scenario(dumped(filled([*own, *others]), ["7"]).encode(), "s.yaml")
    assert exactly([row for row in scenario.rows if not isinstance(row, r.QueueRow)]) == exactly(own)


def test_chosen_requests_get_a_queue_row_that_fits_them() -> None:
    storage = loaded(dumped(filled(bundled("healthy").rows, "demo/main"), ["101"]))
    assert storage.queues.get().latest_request_id == "101"


def test_a_request_that_nothing_is_known_of_is_named() -> None:
    with pytest.raises(NothingFound, match="'999'"):
        dumped(filled(bundled("demo").rows), ["204", "999"])


def test_entries_without_a_request_can_be_chosen() -> None:
    row = r.RequestLogRow("7", "state/1", NOON_MS, "accepted", "", 1, "", "{}")
    text = dumped(filled([row]), ["7"])
    assert [each for each in read_scenario(text.encode(), "s.yaml").rows if not isinstance(each, r.QueueRow)] == [row]


def test_more_chosen_rows_than_a_load_takes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_module, "MAX_BYTES", 120)
    with pytest.raises(Refused, match="more than 3 rows"):
        dumped(filled(bundled("healthy").rows), ["101"])


class Losing:
    """An audit reader whose first snapshots are lost half way."""

    def __init__(self, reader: AuditReader, losses: int, error: StorageError) -> None:
        self._reader = reader
        self._error = error
        self.losses = losses

    def view(self, table: str) -> TableView | None:
        return self._reader.view(table)

    @contextmanager
    def snapshot(self) -> Iterator[AuditSnapshot]:
        with self._reader.snapshot() as snapshot:
            if self.losses:
                self.losses -= 1
                raise self._error
            yield snapshot


def losing(losses: int, error: StorageError) -> Storage:
    storage = filled(bundled("demo").rows)
    return replace(storage, audit=Losing(storage.audit, losses, error))  # type: ignore[arg-type]  # what is asked of it


@pytest.mark.parametrize("error", [StorageUnavailable("gone"), StatementTimeout("too long")])
def test_a_page_that_was_lost_is_read_again(error: StorageError) -> None:
    assert dumped(losing(3, error)) == dumped(filled(bundled("demo").rows))
    assert dumped(losing(2, error), ["204"]) == dumped(filled(bundled("demo").rows), ["204"])


def test_a_database_that_stays_away_ends_the_dump() -> None:
    with pytest.raises(StorageUnavailable):
        dumped(losing(4, StorageUnavailable("gone")))


def test_a_failure_that_no_repetition_mends_is_not_repeated() -> None:
    storage = losing(1, StorageReadOnly("no"))
    with pytest.raises(StorageReadOnly):
        dumped(storage)
