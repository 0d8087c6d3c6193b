"""An apply that is cut short anywhere, or races with another one, ends like one that was left alone."""

from collections.abc import Callable

import pytest

from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.reports import RepairPlan
from stovepipe_cli.storage.contract import StorageUnavailable
from tests.support.audits import queue_of
from tests.support.faults import Disturbance, Disturbed
from tests.support.lifecycles import Life, failed, succeeded, superseded
from tests.support.repairs import Repairs, untagged
from tests.support.row_dump import Dump

LEAVE = PlanOptions(allow_retention_time=True)


class Killed(BaseException):
    """The process ends here."""


def kill() -> None:
    raise Killed


def lives() -> list[Life]:
    """Damage of every kind that can be mended."""
    return [
        succeeded(1),
        succeeded(2).drop("state/1", "state/2", "state/3"),
        succeeded(3).lose("state/3").without("uri"),
        failed(4).without("summary", "acceptance").drop("state/3"),
        superseded(5).without("acceptance"),
    ]


def damaged() -> tuple[Repairs, RepairPlan]:
    repairs = Repairs(queue_of(*lives()))
    options = PlanOptions(allow_retention_time=True, failed_reasons={"request/monorepo/main/4": "build_failed"})
    return repairs, repairs.plan(options)


def undisturbed() -> Dump:
    repairs, made = damaged()
    report = repairs.apply(made)
    assert report.exit_code == 0
    return untagged(repairs.rows())


def calls_of_an_apply() -> int:
    repairs, made = damaged()
    disturbed = Disturbed({})
    Repairs(disturbed.around(repairs.storage), repairs.clock).apply(made)
    return len(disturbed.calls)


def attempt(repairs: Repairs, made: RepairPlan, plan: dict[int, Disturbance]) -> None:
    storage = Disturbed(plan).around(repairs.storage)
    try:
        Repairs(storage, repairs.clock).apply(made, run_id="the-first-run")
    except (Killed, StorageUnavailable):
        return


@pytest.mark.parametrize("disturbance", ["fails", "answer lost", kill], ids=["fails", "answer lost", "killed"])
def test_applying_again_after_any_interruption_ends_the_same(disturbance: Disturbance) -> None:
    expected = undisturbed()
    for call in range(1, calls_of_an_apply() + 1):
        repairs, made = damaged()
        attempt(repairs, made, {call: disturbance})
        again = repairs.apply(made)
        assert again.exit_code == 0, (call, again.problems)
        assert untagged(repairs.rows()) == expected, call


def test_two_applies_that_race_end_the_same_and_neither_conflicts() -> None:
    expected = undisturbed()
    for call in range(1, calls_of_an_apply() + 1):
        repairs, made = damaged()
        ends: list[int] = []

        def other(repairs: Repairs = repairs, made: RepairPlan = made, ends: list[int] = ends) -> None:
            if not ends:
                ends.append(repairs.apply(made, run_id="the-other-run").exit_code)

        racing: dict[int, Callable[[], object]] = {call: other}
        report = Repairs(Disturbed(racing).around(repairs.storage), repairs.clock).apply(made)
        assert (report.conflicts, report.failed, ends) == (0, 0, [0]), (call, report.problems)
        assert untagged(repairs.rows()) == expected, call


def test_a_loss_of_the_database_before_anything_was_written_is_no_report() -> None:
    repairs, made = damaged()
    disturbed = Repairs(Disturbed({1: "fails"}).around(repairs.storage), repairs.clock)
    with pytest.raises(StorageUnavailable):
        disturbed.apply(made)


def test_what_was_written_before_the_database_was_lost_is_reported() -> None:
    repairs, made = damaged()
    last = calls_of_an_apply() - 1
    report = Repairs(Disturbed({last: "fails"}).around(repairs.storage), repairs.clock).apply(made)
    assert report.failed > 0
    assert report.stopped_because == "the database is away"
    assert report.exit_code == 3
    assert len(report.receipt.written) == report.applied
    assert report.applied > 0


def test_a_dry_run_writes_nothing_even_where_it_could() -> None:
    repairs, made = damaged()
    before = repairs.rows()
    disturbed = Disturbed({})
    Repairs(disturbed.around(repairs.storage), repairs.clock).apply(made, ApplyOptions(dry_run=True))
    assert repairs.rows() == before
    assert not [call for call in disturbed.calls if call.rpartition(".")[2] not in ("get", "list", "retains")]
