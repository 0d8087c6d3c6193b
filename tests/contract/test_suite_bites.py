"""The suite is worth its time only if wrong stores fail it: each of these fails the check named beside it."""

from collections.abc import Callable

import pytest

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import Storage
from tests.contract import (
    test_acceptances,
    test_audit_reader,
    test_build_issues,
    test_bulk_writer,
    test_facts,
    test_facts_by_degree,
    test_isolation,
    test_issue_log,
    test_keys,
    test_open_issues,
    test_queue_enablement,
    test_queues,
    test_request_log,
    test_requests,
)
from tests.contract import wrong_row_stores as wrong_rows
from tests.contract import wrong_stores as wrong
from tests.contract.specimens import BY_NAME

Check = Callable[[Storage, Storage], None]

REQUEST_ID = BY_NAME["request.id"]
FACT = BY_NAME["fact.uri"]


def alone(check: Callable[[Storage], None]) -> Check:
    """The check of one storage."""
    return lambda storage, _: check(storage)


CASES: dict[str, tuple[wrong.Opener, Check]] = {
    "matches by collation": (
        wrong.opener(requests=wrong.MatchesByCollation),
        alone(lambda s: test_keys.test_a_key_that_differs_in_bytes_is_not_found(s, REQUEST_ID, ("main", "Main "))),
    ),
    "truncates": (
        wrong.opener(requests=wrong.Truncates),
        alone(lambda s: test_keys.test_a_key_over_its_limit_is_refused_and_not_truncated(s, REQUEST_ID)),
    ),
    "validates after writing": (
        wrong.opener(requests=wrong.ValidatesTooLate),
        alone(lambda s: test_requests.test_an_invalid_request_is_not_created(s, {"state": "recorded_green"})),
    ),
    "sees every queue": (
        wrong.opener(requests=wrong.SeesEveryQueue),
        lambda s, other: test_isolation.test_one_key_in_two_queues_is_two_rows(s, other, REQUEST_ID),
    ),
    "takes foreign entities": (
        wrong.opener(requests=wrong.TakesForeignEntities),
        alone(lambda s: test_isolation.test_an_entity_whose_queue_differs_only_in_case_is_refused(s, REQUEST_ID)),
    ),
    "counts versions itself": (
        wrong.opener(requests=wrong.CountsVersionsItself),
        alone(test_requests.test_the_new_version_is_written_as_given),
    ),
    "counts changed rows": (
        wrong.opener(requests=wrong.CountsChangedRows),
        alone(test_requests.test_an_update_that_changes_no_value_succeeds),
    ),
    "creates on update": (
        wrong.opener(requests=wrong.CreatesOnUpdate),
        alone(test_requests.test_a_missing_row_is_a_version_mismatch),
    ),
    "upserts": (
        wrong.opener(facts=wrong.Upserts),
        alone(test_facts.test_the_first_fact_stays_whoever_comes_later),
    ),
    "ignores a second creation": (
        wrong.opener(facts=wrong.IgnoresASecondCreation),
        alone(lambda s: test_keys.test_a_key_is_created_once(s, FACT)),
    ),
    "pages without order": (
        wrong.opener(facts=wrong.PagesWithoutOrder),
        alone(test_facts.test_facts_are_listed_in_byte_order_of_project),
    ),
    "orders ids by number": (
        wrong.opener(request_log=wrong.OrdersByNumber),
        alone(test_request_log.test_a_history_is_in_order_of_time_and_then_of_id_byte_for_byte),
    ),
    "includes the cursor": (
        wrong.opener(acceptances=wrong.IncludesTheCursor),
        alone(lambda s: test_acceptances.test_pages_of_any_size_give_every_mapping_once(s, 3)),
    ),
    "closes the window": (
        wrong.opener(acceptances=wrong.ClosesTheWindow),
        alone(test_acceptances.test_a_window_holds_its_first_millisecond_and_not_its_last),
    ),
    "creates a batch one by one": (
        wrong.opener(acceptances=wrong.CreatesABatchOneByOne),
        alone(lambda s: test_acceptances.test_one_invalid_mapping_refuses_the_whole_batch(s, "8", 0)),
    ),
    "returns what it holds": (
        wrong.opener(queues=wrong.ReturnsWhatItHolds),
        alone(test_queues.test_what_was_returned_stays_as_it_is_after_an_update),
    ),
    "deletes whoever opened it": (
        wrong.opener(open_issues=wrong.DeletesWhoeverOpenedIt),
        alone(lambda s: test_open_issues.test_an_opening_by_another_build_is_left_alone(s, "b8")),
    ),
    "needs the cursor's row": (
        wrong.opener(open_issues=wrong.NeedsTheCursorsRow),
        alone(test_open_issues.test_paging_goes_on_after_the_cursors_issue_was_removed),
    ),
    "observes tasks alone": (
        wrong.opener(build_issues=wrong_rows.ObservesTasksAlone),
        alone(lambda s: test_keys.test_what_was_created_is_read_back_whole(s, BY_NAME["build_issue.unit"])),
    ),
    "takes any cursor": (
        wrong.opener(build_issues=wrong_rows.TakesAnyCursor),
        alone(test_build_issues.test_a_cursor_of_a_unit_without_a_task_is_refused),
    ),
    "includes the transition": (
        wrong.opener(issue_log=wrong_rows.IncludesTheTransition),
        alone(lambda s: test_issue_log.test_the_transitions_of_one_issue_page_by_build_and_event(s, 3)),
    ),
    "moves the timestamp": (
        wrong.opener(issue_log=wrong_rows.MovesTheTimestamp),
        alone(test_issue_log.test_the_first_timestamp_stays),
    ),
    "orders sequences by text": (
        wrong.opener(queue_log=wrong_rows.OrdersSequencesByText),
        alone(lambda s: test_queue_enablement.test_occurrences_page_by_number_and_not_by_text(s, 5)),
    ),
    "counts projections by rows": (
        wrong.opener(queue_summaries=wrong_rows.CountsProjectionsByRows),
        alone(test_queue_enablement.test_the_three_numbers_move_apart),
    ),
    "rounds degrees": (
        wrong.opener(facts_by_degree=wrong_rows.RoundsDegrees),
        alone(lambda s: test_facts_by_degree.test_a_commit_pages_worst_first(s, 3)),
    ),
    "lists best first": (
        wrong.opener(facts_by_degree=wrong_rows.ListsBestFirst),
        alone(lambda s: test_facts_by_degree.test_a_commit_pages_worst_first(s, 100)),
    ),
    "inserts row by row": (
        wrong.opener(bulk=wrong.InsertsRowByRow),
        alone(test_bulk_writer.test_one_taken_key_refuses_every_row_of_every_table),
    ),
    "ends at a short page": (
        wrong.opener(audit=wrong.reads_with(wrong.EndsAtAShortPage)),
        alone(
            lambda s: test_audit_reader.test_a_bound_is_compared_with_as_many_key_parts_as_it_has(s, ("r1",), ("r2",))
        ),
    ),
    "compares whole bounds": (
        wrong.opener(audit=wrong.reads_with(wrong.ComparesWholeBounds)),
        alone(lambda s: test_audit_reader.test_a_bound_is_compared_with_as_many_key_parts_as_it_has(s, None, ("r2",))),
    ),
    "ascends by degree": (
        wrong.opener(audit=wrong.reads_with(wrong.AscendsByDegree)),
        alone(lambda s: test_audit_reader.test_facts_by_degree_descend_by_degree_within_a_uri(s, 19)),
    ),
    "reads what is there now": (
        wrong.opener(audit=wrong.reads_with(wrong.LiveSnapshot)),
        alone(test_audit_reader.test_a_snapshot_does_not_see_later_writes),
    ),
}


@pytest.mark.parametrize(("opener", "check"), CASES.values(), ids=CASES.keys())
def test_a_wrong_store_fails_its_check(opener: wrong.Opener, check: Check) -> None:
    with pytest.raises((AssertionError, StovepipeError, pytest.fail.Exception)):
        check(opener("main"), opener("other"))


@pytest.mark.parametrize("check", [check for _, check in CASES.values()], ids=CASES.keys())
def test_the_right_stores_pass_that_check(check: Check) -> None:
    right = wrong.opener()
    check(right("main"), right("other"))
