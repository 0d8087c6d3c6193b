"""The suite is worth its time only if wrong ledgers fail it: each of these fails the check named beside it."""

from collections.abc import Callable

import pytest

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.ledger.contract import QueueLedger
from tests.contract.ledger import (
    test_claims,
    test_events,
    test_invocations,
    test_leases,
    test_ledger_isolation,
    test_run_ends,
    test_run_headers,
    test_run_reads,
    test_steps,
)
from tests.contract.ledger import wrong_ledgers as wrong
from tests.contract.ledger.samples import claimed, started

Check = Callable[[QueueLedger, QueueLedger], None]


def alone(check: Callable[[QueueLedger], None]) -> Check:
    """The check of one queue."""
    return lambda book, _: check(book)


def a_release_leaves_what_a_rebuild_makes(book: QueueLedger) -> None:
    """What the property test of the projection would come upon."""
    started(book)
    book.steps.release_lease("r1", 0, "w1", fencing=claimed(book).fencing)
    live = book.steps.steps("r1", limit=9)
    book.steps.rebuild("r1")
    assert book.steps.steps("r1", limit=9) == live


CASES: dict[str, tuple[Callable[[], wrong.Opener], Check]] = {
    "overwrites the end": (
        lambda: wrong.opener(runs=wrong.OverwritesTheEnd),
        alone(lambda b: test_run_ends.test_no_run_moves_from_one_terminal_status_to_another(b, "COMPLETED", "FAILED")),
    ),
    "refuses replays": (
        lambda: wrong.opener(runs=wrong.RefusesReplays),
        alone(lambda b: test_run_ends.test_the_same_end_again_replays_and_changes_nothing(b, "FAILED")),
    ),
    "digests the counts": (
        lambda: wrong.opener(runs=wrong.DigestsTheCounts),
        alone(test_run_ends.test_counts_failures_and_the_rest_are_outside_the_fingerprint),
    ),
    "saves ended runs": (
        lambda: wrong.opener(runs=wrong.SavesEndedRuns),
        alone(lambda b: test_run_headers.test_save_rejects_a_run_that_is_not_running(b, "COMPLETED")),
    ),
    "reopens runs": (
        lambda: wrong.opener(runs=wrong.ReopensRuns),
        alone(lambda b: test_run_headers.test_a_terminal_run_takes_no_header(b, "COMPLETED")),
    ),
    "ignores versions": (
        lambda: wrong.opener(runs=wrong.IgnoresVersions),
        alone(lambda b: test_run_headers.test_an_update_at_another_version_changes_nothing(b, 0)),
    ),
    "forgets attempts on save": (
        lambda: wrong.opener(runs=wrong.ForgetsAttemptsOnSave),
        alone(test_run_headers.test_a_header_save_touches_no_attempt),
    ),
    "unlocks attempts": (
        lambda: wrong.opener(runs=wrong.UnlocksAttempts),
        alone(test_invocations.test_a_locked_attempt_does_not_move_to_another_terminal_status),
    ),
    "counts attempts in the version": (
        lambda: wrong.opener(runs=wrong.CountsAttemptsInTheVersion),
        alone(test_invocations.test_an_attempt_leaves_the_header_and_its_version),
    ),
    "filters after the limit": (
        lambda: wrong.opener(runs=wrong.FiltersAfterTheLimit),
        test_ledger_isolation.test_a_busy_neighbour_makes_no_page_shorter,
    ),
    "walks into other queues": (
        lambda: wrong.opener(runs=wrong.WalksIntoOtherQueues),
        test_run_reads.test_the_walk_stops_at_a_parent_that_only_another_queue_has,
    ),
    "breaks ties by chance": (
        lambda: wrong.opener(runs=wrong.BreaksTiesByChance),
        alone(lambda b: test_run_reads.test_runs_page_newest_first_and_those_of_one_millisecond_by_id(b, 100)),
    ),
    "matches by collation": (
        lambda: wrong.opener(runs=wrong.MatchesByCollation),
        alone(lambda b: test_ledger_isolation.test_ids_of_one_queue_that_only_compare_equal_are_two_runs(b, "R1")),
    ),
    "takes leases by force": (
        lambda: wrong.opener(steps=wrong.TakesLeasesByForce),
        alone(test_claims.test_a_step_that_another_holds_stays_with_it),
    ),
    "runs completed steps again": (
        lambda: wrong.opener(steps=wrong.RunsCompletedStepsAgain),
        alone(test_claims.test_a_completed_step_is_answered_with_its_output),
    ),
    "reuses fencing numbers": (
        lambda: wrong.opener(steps=wrong.ReusesFencingNumbers),
        alone(test_claims.test_a_lease_that_has_run_out_is_taken_over_and_the_log_tells_from_whom),
    ),
    "believes late workers": (
        lambda: wrong.opener(steps=wrong.BelievesLateWorkers),
        alone(test_events.test_a_late_workers_completion_is_refused_once_another_has_the_step),
    ),
    "believes expired leases": (
        lambda: wrong.opener(steps=wrong.BelievesExpiredLeases),
        alone(lambda b: test_events.test_an_event_under_a_lease_that_has_run_out_is_refused(b, "StepCompleted")),
    ),
    "renews lost leases": (
        lambda: wrong.opener(steps=wrong.RenewsLostLeases),
        alone(test_leases.test_a_lease_that_has_run_out_is_not_renewed),
    ),
    "forgets tokens": (
        lambda: wrong.opener(steps=wrong.ForgetsTokens),
        alone(test_events.test_an_equal_token_is_a_replay_also_where_the_lease_is_gone),
    ),
    "writes on after the end": (
        lambda: wrong.opener(steps=wrong.WritesOnAfterTheEnd),
        alone(lambda b: test_events.test_a_closed_workflow_takes_nothing_else(b, "WorkflowFailed")),
    ),
    "leaves gaps": (
        lambda: wrong.opener(steps=wrong.LeavesGaps),
        alone(test_events.test_events_are_numbered_from_1_without_gaps_whatever_was_refused_between),
    ),
    "projects what no event tells": (
        lambda: wrong.opener(steps=wrong.ProjectsWhatNoEventTells),
        alone(a_release_leaves_what_a_rebuild_makes),
    ),
    "writes the log alone": (
        lambda: wrong.opener(steps=wrong.WritesTheLogAlone),
        alone(test_leases.test_a_completion_ends_the_lease_at_once),
    ),
    "lists closed workflows": (
        lambda: wrong.opener(steps=wrong.ListsClosedWorkflows),
        alone(test_leases.test_steps_of_a_closed_workflow_are_no_expired_leases),
    ),
    "counts what is there": (
        lambda: wrong.opener(steps=wrong.CountsWhatIsThere),
        alone(test_steps.test_every_status_of_steps_is_counted_and_named),
    ),
    "makes steps anywhere": (
        lambda: wrong.opener(steps=wrong.MakesStepsAnywhere),
        alone(test_claims.test_a_step_is_made_only_behind_the_one_before_it),
    ),
}


@pytest.mark.parametrize(("opener", "check"), CASES.values(), ids=CASES.keys())
def test_a_wrong_ledger_fails_its_check(opener: Callable[[], wrong.Opener], check: Check) -> None:
    queues = opener()
    with pytest.raises((AssertionError, StovepipeError, pytest.fail.Exception)):
        check(queues("main"), queues("other"))


@pytest.mark.parametrize("check", [check for _, check in CASES.values()], ids=CASES.keys())
def test_the_right_ledger_passes_that_check(check: Check) -> None:
    right = wrong.opener()
    check(right("main"), right("other"))
