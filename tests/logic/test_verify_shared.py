"""A verify in steps tells what one walk tells, whatever the steps are and whoever does them."""

import contextlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.audit.baseline import KnownFinding
from stovepipe_cli.audit.bulk_pass import MOST_ENTRIES
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.shared_cells import cells_of, every_cell, uneven_text
from stovepipe_cli.audit.shared_job import Part
from stovepipe_cli.audit.shared_options import options_document, options_of, require_same_hashes
from stovepipe_cli.audit.shared_plan import shared_body
from stovepipe_cli.audit.shared_record import SharedRecord
from stovepipe_cli.audit.shared_state import LEFT, Gathered, take_left
from stovepipe_cli.audit.verifier import opened_case
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.errors import Refused
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import BuildRow
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import queue_of
from tests.support.lifecycles import failed, healthy, succeeded
from tests.support.shared_verify import OPTIONS, SharedRun, alone, memory_ledger, plant_everything, told

QUEUE = "load/shared"


@pytest.fixture
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    kind = getattr(request, "param", "memory")
    url = "memory://"
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'queue.db'}"
    elif kind != "memory":
        fixture = "mariadb_database" if kind == "mariadb" else "mariadb_service_database"
        url = request.getfixturevalue(fixture)
    with contextlib.closing(open_storage(url)) as factory:
        if kind in {"sqlite", "mariadb"}:
            factory.admin.create_tables()
        yield factory.for_queue(QUEUE)


@pytest.fixture
def ledger(storage: Storage) -> Iterator[QueueLedger]:
    with memory_ledger(storage.queue) as opened:
        yield opened


everywhere = pytest.mark.parametrize(
    "storage", ["memory", "sqlite", "mariadb", "mariadb-of-the-service"], indirect=True
)


@everywhere
def test_damage_of_every_kind_is_told_as_by_one_walk(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 400, 2)
    run = SharedRun(storage, ledger, 37)
    result, job = run.work()
    assert (result.stop, result.run.status) == (None, "COMPLETED")
    assert job.report is not None
    assert result.progress.completed > 400 / 37, "it was done in many steps"
    assert told(job.report) == told(alone(storage))


@pytest.mark.parametrize("step_rows", [1, 200, 10_000])
def test_the_size_of_the_steps_changes_nothing_at_the_first_look(
    storage: Storage, ledger: QueueLedger, step_rows: int
) -> None:
    plant_everything(storage, 60 if step_rows == 1 else 300, 1)
    at_once = replace(OPTIONS, settle_ms=0)
    _, job = SharedRun(storage, ledger, step_rows, at_once).work()
    assert job.report is not None
    assert told(job.report) == told(alone(storage, at_once))


@pytest.mark.parametrize("settle_ms", [0, 1])
def test_a_request_s_only_build_is_told_from_one_of_several_that_other_steps_meet(settle_ms: int) -> None:
    only, among = failed(2), failed(3)
    for life in (only, among):
        (name,) = life.builds
        life.builds[name] = life.builds[name]._replace(status="succeeded")
    among.builds["other"] = BuildRow("other", among.id, "failed", 2)
    storage = queue_of(*healthy(1), only, among, *(succeeded(number) for number in range(4, 40)))
    options = replace(OPTIONS, select=("H", "E", "P", "A", "U"), settle_ms=settle_ms)
    with memory_ledger(storage.queue) as ledger:
        _, job = SharedRun(storage, ledger, 1, options).work()
    assert job.report is not None
    assert [each.request_id for each in job.report.findings if each.code == "E211"] == [only.id]
    assert told(job.report) == told(alone(storage, options))


def test_what_is_even_is_read_once_though_old_requests_have_no_history() -> None:
    lives = healthy(60)
    for life in lives[:40]:
        life.legacy()
    storage = queue_of(*lives)
    with memory_ledger(storage.queue) as ledger:
        run = SharedRun(storage, ledger, 7)
        _, job = run.work()
        again = [step for step in ledger.steps.steps(run.run_id, limit=1000) if step.input.get("again")]
    assert job.report is not None
    assert (again, job.report.verdict, job.report.legacy_requests) == ([], "clean", 40)


@pytest.mark.parametrize("since", [None, "request/monorepo/main/25", "none"])
def test_requests_from_before_history_began_are_told_as_by_one_walk(since: str | None) -> None:
    lives = healthy(60)
    for life in lives[:20]:
        life.legacy()
    lives[30].lose("state/1")
    lives[40].without("summary", "acceptance")
    storage = queue_of(*lives)
    options = replace(OPTIONS, history_since=since)
    with memory_ledger(storage.queue) as ledger:
        _, job = SharedRun(storage, ledger, 7, options).work()
    assert job.report is not None
    assert told(job.report) == told(alone(storage, options))
    assert job.report.findings_total > 0


def test_what_steps_left_is_the_same_in_whatever_order_it_is_taken(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 300, 2)
    run = SharedRun(storage, ledger, 19)
    run.work()
    steps = [
        (step.output, invocation.document)
        for step in ledger.steps.steps(run.run_id, limit=1000)
        for invocation in ledger.runs.invocations_of(run.run_id, limit=1000)
        if step.output is not None and step.output.get("invocation") == invocation.invocation_id
    ]
    assert len(steps) > 20
    chance = random.Random(7)  # noqa: S311 - an order to try, not a secret
    first = merged(storage, steps)
    for _ in range(10):
        chance.shuffle(steps)
        assert merged(storage, steps) == first
    assert first["candidates"]


def merged(storage: Storage, steps: list[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> dict[str, object]:
    with opened_case(storage, OPTIONS, SystemClock(), None) as case:
        gathered = Gathered()
        for output, document in steps:
            gathered.take(output)
            take_left(case, output.get(LEFT) or document)
        gathered.tell_all(case)
        return {
            "boundary": case.boundary.as_json(),
            "tally": case.tally.as_json(),
            "candidates": sorted(map(repr, case.spill.ordered())),
            "coverage": dict(case.coverage),
            "sole_builds": dict(case.sole_builds),
            "oversized": set(case.oversized),
            "missing": case.lowest_missing,
            "project_facts": case.has_project_facts,
            "notes": set(case.notes),
        }


def test_the_sides_of_a_balance_are_compared_in_whatever_order_they_come() -> None:
    chance, cells = random.Random(3), 64  # noqa: S311 - digests to compare, not secrets
    sides = [chance.randbytes(8 * cells) for _ in range(5)]
    even = [*sides, *sides]
    chance.shuffle(even)
    assert uneven_text(even, cells) == ""
    other = bytearray(8 * cells)
    other[8 * 3 + 7] = other[8 * 63] = 1
    uneven = cells_of(uneven_text([*even, bytes(other)], cells))
    assert [cell for cell in range(2 * cells) if cell in uneven] == [3, 63, 64 + 3, 64 + 63]
    assert all(cell in cells_of(every_cell(cells)) for cell in (0, 1, cells, 100_000))


def test_who_reads_leaves_the_report_to_who_started_the_run(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 120, 1)
    run = SharedRun(storage, ledger, 50)
    result, reader = run.work(Part("reader"))
    assert (result.stop.kind if result.stop else None, reader.report) == ("left to others", None)
    assert result.run.status == "RUNNING"
    result, reporter = run.work(Part("reporter"))
    assert (result.stop, result.run.status) == (None, "COMPLETED")
    assert reporter.report is not None
    assert told(reporter.report) == told(alone(storage))


def test_a_report_without_anybody_to_read_is_given_up_and_never_clean(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 60, 0)
    result, reporter = SharedRun(storage, ledger, 50).work(Part("reporter"))
    assert result.stop is not None
    assert result.stop.kind == "deserted"
    interim = reporter.interim()
    assert interim.verdict == "incomplete"
    assert all(part.skipped for part in interim.coverage.values())


def test_a_pass_is_read_when_its_last_stretch_is(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 60, 0)
    run = SharedRun(storage, ledger, 50)
    names: tuple[PassName, ...] = ("builds",)
    record = SharedRecord(ledger, run.run_id, names, 60)
    assert record.unread() == ("requests", "builds")
    run.work(Part("reader"))
    assert record.unread() == ()
    assert not record.is_read("issues")


def test_a_narrowed_verify_is_for_one_process(storage: Storage) -> None:
    plant_everything(storage, 60, 0)
    body = shared_body(storage, replace(OPTIONS, last=5), clock=SystemClock())
    assert isinstance(body, str)
    assert shared_body(storage, OPTIONS, clock=SystemClock()) is not None


def test_options_come_back_as_they_were(tmp_path: Path) -> None:
    known = KnownFinding(QUEUE, "f1", "H101", None, {"a": [1]}, None, "accepted")
    options = VerifyOptions(select=("H", "E2"), known=(known,), findings_file=tmp_path, recorded_boundary=(7, "x/7"))
    assert options_of(options_document(options)) == options
    with pytest.raises(Refused, match="another version"):
        options_of({**options_document(options), "further": 1})


def test_an_interpreter_that_hashes_otherwise_is_refused(storage: Storage, ledger: QueueLedger) -> None:
    plant_everything(storage, 60, 0)
    run = SharedRun(storage, ledger, 50)
    kind = run.body["hash"]
    assert isinstance(kind, dict)
    require_same_hashes(kind)
    with pytest.raises(Refused, match=r"python cpython 3\.8, and this one has"):
        require_same_hashes({**kind, "python": "cpython 3.8"})


def test_a_stretch_that_is_judged_entry_by_entry_ends_where_the_next_one_begins() -> None:
    long = succeeded(2)
    for number in range(MOST_ENTRIES):
        long.event(f"note_{number}", "all")
    storage = queue_of(*healthy(1), long, *(succeeded(number) for number in range(3, 9)))
    at_once = replace(OPTIONS, settle_ms=0, ignore=("H112",))
    with memory_ledger(storage.queue) as ledger:
        _, job = SharedRun(storage, ledger, 2, at_once).work()
    assert job.report is not None
    assert told(job.report) == told(alone(storage, at_once))
    assert job.report.counts == {"H116": 1}
