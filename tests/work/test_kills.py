"""A worker that is killed anywhere leaves nothing that going on does not bring to its end."""

import signal
from itertools import count

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from tests.work.jobs import mapped
from tests.work.processes import ENDED_WELL, Shape, Urls, exit_code, go_on, go_on_until, in_process

SHAPE = Shape(rows=8, step=4)
STEPS = [0, 1]


def statuses(ledger: QueueLedger) -> dict[str, str]:
    return {run.run_id: run.status for run in ledger.runs.runs_in_queue(limit=1000)}


def assert_at_its_end(ledger: QueueLedger, storage: Storage, before: dict[str, str]) -> None:
    """Every row is there; every run since then has ended, those that were given up without a step."""
    assert mapped(storage) == list(range(SHAPE.rows))
    new = {run_id: status for run_id, status in statuses(ledger).items() if before.get(run_id) != status}
    assert "COMPLETED" in new.values()
    for run_id, status in new.items():
        if status == "CANCELLED":
            assert ledger.steps.last_step(run_id) is None, "a run that had begun was given up"
            continue
        run, events = ledger.runs.find(run_id), ledger.steps.load_events(run_id, limit=1000)
        assert run is not None
        assert (run.status, run.finished_at_ms) == ("COMPLETED", events[-1].at_ms)
        kinds = [event.kind for event in events]
        assert (kinds.count("WorkflowCompleted"), kinds[-1]) == (1, "WorkflowCompleted")
        assert sorted(event.step_index for event in events if event.kind == "StepCompleted") == STEPS
        projected = ledger.steps.steps(run_id, limit=9)
        ledger.steps.rebuild(run_id)
        assert ledger.steps.steps(run_id, limit=9) == projected


def kill_and_go_on(urls: Urls, ledger: QueueLedger, storage: Storage, nth: int) -> bool:
    """Whether the kill came before the end."""
    before = statuses(ledger)
    code = exit_code(in_process(go_on_until, urls, SHAPE, nth))
    if code == ENDED_WELL:
        return False
    assert code == -signal.SIGKILL
    assert go_on(urls, SHAPE).run.status == "COMPLETED"
    assert_at_its_end(ledger, storage, before)
    return True


@pytest.mark.parametrize("nth", [1, 9, 23, 38, 52, 71, 95, 120])
def test_going_on_after_a_kill_ends_the_same(urls: Urls, ledger: QueueLedger, storage: Storage, nth: int) -> None:
    assert kill_and_go_on(urls, ledger, storage, nth)


@pytest.mark.soak
def test_going_on_after_a_kill_at_any_statement_ends_the_same(
    urls: Urls, ledger: QueueLedger, storage: Storage
) -> None:
    for nth in count(1):
        if not kill_and_go_on(urls, ledger, storage, nth):
            break
    assert nth > 100, "the work has more boundaries than that"
    assert_at_its_end(ledger, storage, {})
