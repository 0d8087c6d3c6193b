"""Which entries a plan holds for which damage, in which order, and what it leaves alone."""

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.errors import InvalidInput, Refused, UsageError
from stovepipe_cli.repair.plan_digest import sealed
from stovepipe_cli.repair.plan_options import REPAIRABLE_CODES, PlanOptions
from stovepipe_cli.repair.planner import count_entries
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import queue_of
from tests.support.lifecycles import (
    LONG_AFTER_MS,
    QUEUE,
    accepted,
    failed,
    failed_early,
    processing,
    put,
    succeeded,
    superseded,
)
from tests.support.repairs import LOOK, Repairs, entries_for, number, ready

LEAVE = PlanOptions(allow_retention_time=True)


def test_a_healthy_queue_calls_for_nothing() -> None:
    made = Repairs(queue_of(succeeded(1), superseded(2), failed(3))).plan()
    assert made.entries == ()
    assert made.exit_code == 0


def test_planning_writes_nothing() -> None:
    repairs = Repairs(queue_of(succeeded(1), failed(2).lose("state/1"), succeeded(3).without("summary")))
    before = repairs.rows()
    repairs.plan(LEAVE)
    assert repairs.rows() == before


def test_an_entry_comes_before_what_follows_from_it() -> None:
    life = succeeded(2).without("summary", "acceptance")
    life.drop("state/3")
    made = Repairs(queue_of(succeeded(1), life)).plan(LEAVE)
    assert ready(made) == [
        ("create-summary", None),
        ("create-acceptance", None),
        ("create-log", "state/3"),
        ("advance-summary", "state/3"),
    ]


def test_what_follows_carries_the_code_of_what_it_follows_from() -> None:
    made = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/3"))).plan(LEAVE)
    assert [(entry.action, entry.code) for entry in made.entries] == [
        ("create-log", "H102"),
        ("advance-summary", "H102"),
    ]


def test_a_time_of_insertion_is_not_in_the_plan() -> None:
    log, summary = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/3"))).plan(LEAVE).entries
    assert log.entry is not None
    assert summary.entry is not None
    assert (log.entry["timestamp_ms"], summary.entry["state_timestamp_ms"]) == (None, None)
    assert log.timestamp_source == "retention"


def test_an_update_shows_the_row_before_and_after() -> None:
    life = succeeded(2)
    processed_ms = life.log["state/2"].timestamp_ms
    life.change_summary(state="processing", request_version=2, outcome_reason="", state_timestamp_ms=processed_ms)
    made = Repairs(queue_of(succeeded(1), life)).plan()
    (entry,) = made.entries
    assert (entry.action, entry.code) == ("advance-summary", "P302")
    assert entry.before is not None
    assert entry.entry is not None
    assert (entry.before["state"], entry.entry["state"]) == ("processing", "succeeded")
    assert (entry.before["version"], entry.entry["version"]) == (3, 4)


def test_requests_come_by_number() -> None:
    lives = [succeeded(each).drop("state/1") for each in (10, 9, 2)]
    made = Repairs(queue_of(succeeded(1), *lives)).plan()
    assert [entry.request_id for entry in made.entries] == [number(2), number(9), number(10)]


def test_everything_that_rows_prove_of_a_lost_history_comes_in_the_order_it_happened() -> None:
    life = succeeded(2, projects=()).drop(*succeeded(2, projects=()).log)
    made = Repairs(queue_of(succeeded(1), life)).plan(LEAVE)
    assert [entry.log_id for entry in made.entries] == [
        "state/1",
        "state/2",
        "event/build_triggered/build-2",
        "event/build_finished/build-2",
        "state/3",
        life.fact_log_id,
    ]
    assert {entry.code for entry in made.entries} == {"H101"}


def test_entries_that_wait_for_the_operator_are_shown_with_what_is_known() -> None:
    made = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/2"))).plan()
    (entry,) = made.entries
    assert entry.status == "needs-operator"
    assert entry.entry is not None
    assert entry.entry["metadata"] == {"base_uri": "git://code.example/base"}
    assert made.exit_code == 0


def test_the_detailed_exit_code_tells_that_there_is_something_to_do() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/2")))
    assert repairs.plan(PlanOptions(is_detailed=True)).exit_code == 3


def test_the_operator_s_reason_is_recorded() -> None:
    options = PlanOptions(allow_retention_time=True, failed_reasons={number(2): "processing_failed"})
    made = Repairs(queue_of(succeeded(1), failed_early(2).lose("state/2"))).plan(options)
    assert made.entries[0].entry is not None
    assert made.entries[0].entry["outcome_reason"] == "processing_failed"
    assert made.options["failed_reasons"] == {number(2): "processing_failed"}


def test_the_superseding_request_is_recorded() -> None:
    options = PlanOptions(allow_retention_time=True, superseded_by={number(2): number(3)})
    made = Repairs(queue_of(succeeded(1), superseded(2).lose("state/2"), succeeded(3))).plan(options)
    assert made.entries[0].entry is not None
    assert made.entries[0].entry["metadata"] == {"superseded_by_request_id": number(3)}


@pytest.mark.parametrize(
    "options",
    [
        PlanOptions(failed_reasons={number(2): "bad_luck"}),
        PlanOptions(failed_reasons={number(1): "build_failed"}),
        PlanOptions(failed_reasons={number(9): "build_failed"}),
        PlanOptions(superseded_by={number(3): number(9)}),
        PlanOptions(superseded_by={number(3): number(2)}),
        PlanOptions(superseded_by={number(1): number(3)}),
    ],
    ids=["no reason", "not failed", "no request", "no newer", "older", "not superseded"],
)
def test_an_answer_that_cannot_be_is_refused(options: PlanOptions) -> None:
    with pytest.raises(InvalidInput):
        Repairs(queue_of(succeeded(1), failed(2), superseded(3))).plan(options)


@pytest.mark.parametrize(
    "options",
    [
        PlanOptions(allow_retention_time=True, no_tag=True),
        PlanOptions(expires_ms=0),
        PlanOptions(select=("H105",)),
    ],
    ids=["no tag", "expires", "no repair"],
)
def test_options_that_exclude_each_other_are_refused(options: PlanOptions) -> None:
    with pytest.raises(UsageError):
        Repairs(queue_of(succeeded(1))).plan(options)


def test_selection_takes_codes_and_their_beginnings() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).drop("state/1"), succeeded(3).without("uri")))
    assert {entry.code for entry in repairs.plan(PlanOptions(select=("U5",))).entries} == {"U501"}
    assert {entry.code for entry in repairs.plan(PlanOptions(select=("H", "U501"))).entries} == {"H103", "U501"}


def test_codes_that_repair_knows_are_those_whose_rules_say_so() -> None:
    said = {code for code, rule in RULES.items() if "repair" in (rule.repaired_by or "")}
    # P307 leads to a lost entry, though nothing mends the summary.
    assert set(REPAIRABLE_CODES) == said | {"P307"}


def test_project_results_of_a_lost_event_lead_to_the_event() -> None:
    life = succeeded(2)
    lost = life.log["event/project_facts_recorded/all"]
    life.change_summary(
        project_results_completed_at_ms=lost.timestamp_ms, project_fact_count=2, broken_project_fact_count=1
    )
    repairs = Repairs(queue_of(succeeded(1), life.drop(lost.log_id)))
    made = repairs.plan()
    assert [(each.action, each.code, each.log_id) for each in made.entries] == [("create-log", "P307", lost.log_id)]
    assert repairs.apply(made).remaining_findings == ()


def test_project_results_that_disagree_with_the_event_lead_to_nothing() -> None:
    life = succeeded(2).change_summary(project_results_completed_at_ms=5, project_fact_count=2)
    assert Repairs(queue_of(succeeded(1), life)).plan().entries == ()


def test_one_request_alone_can_be_planned_for() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).drop("state/1"), succeeded(3).drop("state/1")))
    made = repairs.plan(PlanOptions(request_ids=(number(3),)))
    assert [entry.request_id for entry in made.entries] == [number(3)]


def test_a_step_that_the_service_may_still_write_is_not_planned() -> None:
    now_ms = LONG_AFTER_MS
    life = processing(2, start_ms=now_ms - 60_000)
    life.change_request(state="succeeded", version=3)
    repairs = Repairs(queue_of(succeeded(1), life, now_ms=now_ms))
    assert entries_for(repairs.plan(LEAVE), number(2)) == []


@pytest.mark.parametrize("options", [PlanOptions(), PlanOptions(request_ids=(number(1),))], ids=["whole", "one"])
def test_a_request_older_than_history_is_never_repaired(options: PlanOptions) -> None:
    made = Repairs(queue_of(succeeded(1).legacy().without("uri"), succeeded(2))).plan(options)
    assert [(entry.code, entry.status) for entry in made.entries] == [("U501", "not-derivable")]
    assert "older than the history" in made.entries[0].reason


def test_a_queue_without_any_history_is_refused() -> None:
    with pytest.raises(Refused, match="set history_since"):
        Repairs(queue_of(succeeded(1).legacy())).plan()


def test_projections_of_rows_that_contradict_each_other_are_left_alone() -> None:
    life = succeeded(2).without("summary", "acceptance").drop(succeeded(2).fact_log_id)
    life.change_entry("state/3", state="cancelled", outcome_reason="build_cancelled")
    entries = entries_for(Repairs(queue_of(succeeded(1), life)).plan(LEAVE), number(2))
    assert [(entry.action, entry.status) for entry in entries] == [
        ("create-summary", "not-derivable"),
        ("create-log", "ready"),
    ]
    assert "H105" in entries[0].reason
    assert entries[1].log_id == life.fact_log_id


def test_nothing_is_asked_of_the_operator_that_would_not_help() -> None:
    life = succeeded(2).drop("state/2").change_entry("state/3", state="cancelled", outcome_reason="build_cancelled")
    entries = entries_for(Repairs(queue_of(succeeded(1), life)).plan(), number(2))
    assert [(entry.log_id, entry.status) for entry in entries] == [("state/2", "not-derivable")]


def test_an_outcome_without_reason_and_time_asks_for_both() -> None:
    (entry,) = Repairs(queue_of(succeeded(1), failed(2).lose("state/3"))).plan().entries
    assert entry.status == "needs-operator"
    assert "--failed-reason" in entry.reason
    assert "--allow-retention-time" in entry.reason


def test_a_fact_without_a_time_proves_no_entry() -> None:
    life = succeeded(2).drop(succeeded(2).fact_log_id)
    life.facts = [fact._replace(created_at=0) for fact in life.facts]
    (entry,) = Repairs(queue_of(succeeded(1), life)).plan(LEAVE).entries
    assert (entry.log_id, entry.status) == (life.fact_log_id, "not-derivable")
    assert "validation_fact.created_at is 0" in entry.reason


def test_no_second_mapping_is_planned() -> None:
    life = succeeded(2).without("summary")
    assert life.acceptance is not None
    life.acceptance = life.acceptance._replace(accepted_at_ms=life.acceptance.accepted_at_ms + 5)
    made = Repairs(queue_of(succeeded(1), life)).plan()
    assert all(entry.status != "ready" for entry in made.entries if entry.action == "create-acceptance")


def test_a_uri_that_two_requests_have_is_not_mapped() -> None:
    lives = succeeded(2).without("uri"), succeeded(3).without("uri")
    assert lives[0].request is not None
    lives[1].change_request(uri=lives[0].request.uri).change_summary(uri=lives[0].request.uri)
    made = Repairs(queue_of(succeeded(1), *lives)).plan(PlanOptions(select=("U501",)))
    assert {entry.status for entry in made.entries} == {"not-derivable"}


def test_insert_only_leaves_out_what_an_update_would_follow() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/3"), succeeded(3).drop("state/1")))
    made = repairs.plan(PlanOptions(allow_retention_time=True, insert_only=True))
    assert ready(made) == [("create-log", "state/1")]
    (left_out,) = entries_for(made, number(2))
    assert left_out.status == "needs-operator"
    assert "--insert-only" in left_out.reason


def test_a_database_without_summaries_gets_the_log_alone() -> None:
    storage = MemoryFactory(
        clock=lambda: LONG_AFTER_MS, absent_tables=frozenset({"request_summary", "request_acceptance"})
    ).for_queue(QUEUE)
    put(storage, *(life.without("summary", "acceptance") for life in (succeeded(1), succeeded(2).drop("state/2"))))
    assert ready(Repairs(storage).plan(LEAVE)) == [("create-log", "state/2")]


def test_the_plan_is_bound_to_its_content() -> None:
    made = Repairs(queue_of(succeeded(1), succeeded(2).drop("state/1"), accepted(3))).plan()
    assert sealed(made) == made
    assert made.expires_at_ms - made.created_at_ms == 24 * 3_600_000
    assert (
        made.counts
        == count_entries(made.entries)
        == {
            "ready": 1,
            "needs-operator": 0,
            "not-derivable": 0,
            "create-log": 1,
        }
    )


def test_the_boundary_of_history_is_recorded() -> None:
    assert Repairs(queue_of(succeeded(3), succeeded(4))).plan().options["history_since"] == number(3)


def test_a_boundary_that_was_given_is_recorded() -> None:
    look = VerifyOptions(settle_ms=0, min_age_ms=LOOK.min_age_ms, history_since="none")
    assert Repairs(queue_of(succeeded(3)), look=look).plan().options["history_since"] == "none"
