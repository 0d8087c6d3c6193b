"""What rows prove of each kind of missing entry, and what they do not."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities import Build, Request, RequestAcceptance, RequestSummary, ValidationFact
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_triggered_entry,
    processing_entry,
    record_abandoned_entry,
)
from stovepipe_cli.repair.decision import Decision, OperatorDecisions
from stovepipe_cli.repair.evidence import (
    decide_accepted,
    decide_build_finished,
    decide_build_triggered,
    decide_completion,
    decide_current,
    decide_fact_recorded,
    decide_other_event,
    decide_outcome,
    decide_processing,
)
from stovepipe_cli.repair.request_rows import RequestRows

QUEUE, ID, URI, BASE = "monorepo/main", "request/monorepo/main/41", "git://a/41", "git://a/40"
AT = 1_790_000_000_000
ALONE = OperatorDecisions()
WITH_LEAVE = OperatorDecisions(allow_retention_time=True)

SUCCEEDED = Request(QUEUE, ID, URI, "succeeded", 3, "incremental_since_green", BASE)
FAILED = replace(SUCCEEDED, state="failed")
CANCELLED = replace(SUCCEEDED, state="cancelled")
PROCESSING = replace(SUCCEEDED, state="processing", version=2)
ACCEPTED = Request(QUEUE, ID, URI, "accepted", 1)
SUPERSEDED = Request(QUEUE, ID, URI, "superseded", 2)
SUMMARY = RequestSummary(
    QUEUE, ID, URI, BASE, "succeeded", 3, AT + 3, version=3, accepted_at_ms=AT, outcome_reason="build_succeeded"
)
BUILD = Build(QUEUE, "bk-41", ID, "succeeded", 2)
FACT = ValidationFact(QUEUE, URI, "", 0.0, ID, AT + 4)
MAPPING = RequestAcceptance(QUEUE, AT, ID)


def summary(request: Request, **changes: str | int) -> RequestSummary:
    """A summary at the request's own version."""
    at_ms = AT if request.version == 1 else SUMMARY.state_timestamp_ms
    base = replace(SUMMARY, state=request.state, request_version=request.version, state_timestamp_ms=at_ms)
    base = replace(base, outcome_reason="")
    return replace(base, **changes)  # type: ignore[arg-type]  # tests name fields with their types


def short(decision: Decision) -> tuple[str, str, str | None]:
    return decision.log_id, decision.status, decision.time_from


def time_of(decision: Decision) -> int:
    assert decision.entry is not None
    return decision.entry.timestamp_ms


class TestAccepted:
    def test_the_summary_tells_when(self) -> None:
        decision = decide_accepted(RequestRows(SUCCEEDED, summary=SUMMARY))
        assert short(decision) == ("state/1", "ready", "request_summary.accepted_at_ms")
        assert decision.entry == accepted_entry(SUCCEEDED, timestamp_ms=AT)
        assert decision.proved_by == ("request",)

    def test_the_mapping_tells_when_the_summary_does_not(self) -> None:
        decision = decide_accepted(RequestRows(SUCCEEDED, acceptances=(MAPPING,)))
        assert short(decision) == ("state/1", "ready", "request_acceptance.accepted_at_ms")
        assert time_of(decision) == AT

    def test_a_summary_at_version_1_tells_when(self) -> None:
        rows = RequestRows(ACCEPTED, summary=summary(ACCEPTED, accepted_at_ms=0, state_timestamp_ms=AT, base_uri=""))
        assert short(decide_accepted(rows)) == ("state/1", "ready", "request_summary.state_timestamp_ms")
        assert time_of(decide_accepted(rows)) == AT

    def test_no_time_is_ever_invented(self) -> None:
        decision = decide_accepted(RequestRows(SUCCEEDED, summary=replace(SUMMARY, accepted_at_ms=0)))
        assert short(decision) == ("state/1", "not-derivable", None)
        assert decision.entry is None

    def test_two_rows_that_disagree_prove_nothing(self) -> None:
        rows = RequestRows(SUCCEEDED, summary=SUMMARY, acceptances=(replace(MAPPING, accepted_at_ms=AT + 1),))
        assert decide_accepted(rows).status == "not-derivable"

    def test_a_state_of_version_1_under_another_id_leaves_no_place(self) -> None:
        other = replace(accepted_entry(SUCCEEDED, timestamp_ms=AT), id="log/" + "0" * 64)
        assert decide_accepted(RequestRows(SUCCEEDED, (other,), SUMMARY)).status == "not-derivable"


class TestProcessing:
    def test_the_strategy_proves_the_version_before_the_outcome(self) -> None:
        decision = decide_processing(RequestRows(SUCCEEDED, summary=SUMMARY), WITH_LEAVE)
        assert short(decision) == ("state/2", "ready", "retention")
        assert decision.entry == processing_entry(SUCCEEDED)
        assert decision.proved_by == ("request.build_strategy",)

    def test_without_leave_it_waits_for_the_operator(self) -> None:
        decision = decide_processing(RequestRows(SUCCEEDED, summary=SUMMARY), ALONE)
        assert decision.status == "needs-operator"
        assert "--allow-retention-time" in decision.reason

    def test_at_the_summary_s_version_it_carries_the_summary_s_time(self) -> None:
        decision = decide_processing(RequestRows(PROCESSING, summary=summary(PROCESSING)), WITH_LEAVE)
        assert short(decision) == ("state/2", "ready", "request_summary.state_timestamp_ms")
        assert time_of(decision) == AT + 3

    def test_no_strategy_proves_nothing(self) -> None:
        rows = RequestRows(replace(SUCCEEDED, build_strategy="", base_uri=""), builds=(BUILD,))
        assert decide_processing(rows, WITH_LEAVE).status == "not-derivable"

    @pytest.mark.parametrize("request_row", [replace(ACCEPTED, build_strategy="full"), replace(FAILED, version=2)])
    def test_a_strategy_that_the_state_contradicts_proves_nothing(self, request_row: Request) -> None:
        assert decide_processing(RequestRows(request_row), WITH_LEAVE).status == "not-derivable"


class TestOutcome:
    def test_the_request_proves_that_it_succeeded(self) -> None:
        decision = decide_outcome(RequestRows(SUCCEEDED, summary=SUMMARY, uri_fact=FACT, builds=(BUILD,)), ALONE)
        assert short(decision) == ("state/3", "ready", "request_summary.state_timestamp_ms")
        assert decision.entry is not None
        assert (decision.entry.outcome_reason, dict(decision.entry.metadata)) == ("build_succeeded", {"base_uri": BASE})
        assert {each.table for each in decision.evidence} == {"request", "validation_fact", "request_summary"}

    def test_a_deciding_build_is_named_only_where_the_request_names_it(self) -> None:
        rows = RequestRows(replace(SUCCEEDED, terminal_build_id="bk-41"), summary=SUMMARY, builds=(BUILD,))
        entry = decide_outcome(rows, ALONE).entry
        assert entry is not None
        assert entry.metadata["build_id"] == "bk-41"

    def test_a_deciding_build_that_is_gone_is_not_named(self) -> None:
        entry = decide_outcome(RequestRows(replace(SUCCEEDED, terminal_build_id="bk-9"), summary=SUMMARY), ALONE).entry
        assert entry is not None
        assert "build_id" not in entry.metadata

    def test_cancelled_has_its_own_reason(self) -> None:
        entry = decide_outcome(RequestRows(CANCELLED, summary=summary(CANCELLED)), ALONE).entry
        assert entry is not None
        assert entry.outcome_reason == "build_cancelled"

    def test_a_fact_that_says_otherwise_proves_nothing(self) -> None:
        rows = RequestRows(SUCCEEDED, summary=SUMMARY, uri_fact=replace(FACT, degree=1.0))
        assert decide_outcome(rows, ALONE).status == "not-derivable"

    def test_a_deciding_build_that_says_otherwise_proves_nothing(self) -> None:
        request = replace(SUCCEEDED, terminal_build_id="bk-41")
        rows = RequestRows(request, summary=SUMMARY, builds=(replace(BUILD, status="failed"),))
        assert decide_outcome(rows, ALONE).status == "not-derivable"

    def test_a_baseline_that_no_row_tells_proves_nothing(self) -> None:
        rows = RequestRows(replace(SUCCEEDED, build_strategy="", base_uri=""))
        assert decide_outcome(rows, WITH_LEAVE).status == "not-derivable"

    def test_superseded_needs_no_superseding_request(self) -> None:
        decision = decide_outcome(RequestRows(SUPERSEDED, summary=summary(SUPERSEDED, base_uri="")), ALONE)
        assert decision.status == "ready"
        assert decision.entry is not None
        assert (decision.entry.outcome_reason, dict(decision.entry.metadata)) == ("superseded_by_newer_head", {})

    def test_superseded_names_the_request_that_the_operator_names(self) -> None:
        operator = OperatorDecisions(superseded_by="request/monorepo/main/42", allow_retention_time=True)
        entry = decide_outcome(RequestRows(SUPERSEDED), operator).entry
        assert entry is not None
        assert entry.metadata["superseded_by_request_id"] == "request/monorepo/main/42"

    def test_a_terminal_state_before_it_leaves_no_place(self) -> None:
        earlier = replace(processing_entry(SUCCEEDED, timestamp_ms=AT), state="superseded")
        assert decide_outcome(RequestRows(SUCCEEDED, (earlier,)), WITH_LEAVE).status == "not-derivable"

    def test_a_summary_ahead_of_the_request_leaves_no_place(self) -> None:
        rows = RequestRows(SUCCEEDED, summary=replace(SUMMARY, request_version=4))
        assert decide_outcome(rows, WITH_LEAVE).status == "not-derivable"


class TestCurrent:
    @pytest.mark.parametrize(
        ("request_row", "log_id"), [(ACCEPTED, "state/1"), (PROCESSING, "state/2"), (CANCELLED, "state/3")]
    )
    def test_it_is_the_state_that_the_request_is_in(self, request_row: Request, log_id: str) -> None:
        decision = decide_current(RequestRows(request_row, summary=summary(request_row)), WITH_LEAVE)
        assert decision.log_id == log_id
        assert decision.status == "ready"

    def test_an_unknown_state_has_no_entry(self) -> None:
        rows = RequestRows(replace(SUCCEEDED, state="recorded_green"))
        assert decide_current(rows, WITH_LEAVE).status == "not-derivable"


class TestBuildEvents:
    def test_a_build_proves_that_it_was_triggered_but_not_when(self) -> None:
        decision = decide_build_triggered(BUILD, ALONE)
        assert short(decision) == ("event/build_triggered/bk-41", "needs-operator", "retention")
        assert decision.entry == build_triggered_entry(BUILD)

    def test_with_leave_the_moment_of_insertion_is_its_time(self) -> None:
        decision = decide_build_triggered(BUILD, WITH_LEAVE)
        assert (decision.status, time_of(decision)) == ("ready", 0)

    def test_an_ended_build_proves_its_end(self) -> None:
        assert short(decide_build_finished(BUILD, WITH_LEAVE))[1:] == ("ready", "retention")

    def test_a_running_build_proves_no_end(self) -> None:
        assert decide_build_finished(replace(BUILD, status="running"), WITH_LEAVE).status == "not-derivable"


class TestFactRecorded:
    def test_the_fact_proves_everything(self) -> None:
        decision = decide_fact_recorded(RequestRows(SUCCEEDED, uri_fact=FACT))
        assert (decision.status, decision.time_from, time_of(decision)) == (
            "ready",
            "validation_fact.created_at",
            AT + 4,
        )
        assert decision.entry is not None
        assert decision.entry.metadata["fact_degree"] == "0"

    def test_another_request_s_fact_proves_nothing(self) -> None:
        rows = RequestRows(SUCCEEDED, uri_fact=replace(FACT, request_id="request/monorepo/main/40"))
        assert decide_fact_recorded(rows).status == "not-derivable"

    @pytest.mark.parametrize("request_row", [CANCELLED, SUPERSEDED, PROCESSING, FAILED])
    def test_a_fact_that_the_state_contradicts_proves_nothing(self, request_row: Request) -> None:
        assert decide_fact_recorded(RequestRows(request_row, uri_fact=FACT)).status == "not-derivable"


class TestCompletion:
    DONE = replace(SUMMARY, project_results_completed_at_ms=AT + 9, project_fact_count=2, broken_project_fact_count=1)
    FACTS = (replace(FACT, project="a"), replace(FACT, project="b", degree=0.5))

    def test_completion_time_and_counts_prove_the_recorded_facts(self) -> None:
        decision = decide_completion(RequestRows(SUCCEEDED, summary=self.DONE, facts=self.FACTS))
        assert decision is not None
        assert (decision.status, time_of(decision)) == ("ready", AT + 9)
        assert decision.entry is not None
        assert dict(decision.entry.metadata) == {"project_fact_count": "2", "broken_project_fact_count": "1"}

    def test_fewer_facts_than_counted_prove_nothing(self) -> None:
        decision = decide_completion(RequestRows(SUCCEEDED, summary=self.DONE, facts=self.FACTS[:1]))
        assert decision is not None
        assert decision.status == "not-derivable"

    def test_the_time_of_an_abandoned_record_is_not_theirs(self) -> None:
        abandoned = record_abandoned_entry(QUEUE, ID, timestamp_ms=AT + 9)
        decision = decide_completion(RequestRows(SUCCEEDED, (abandoned,), self.DONE, facts=self.FACTS))
        assert decision is not None
        assert decision.status == "not-derivable"

    def test_a_time_without_counts_tells_of_two_events_and_proves_none(self) -> None:
        done = replace(SUMMARY, project_results_completed_at_ms=AT + 9)
        decision = decide_completion(RequestRows(SUCCEEDED, summary=done))
        assert decision is not None
        assert short(decision) == ("event/record_abandoned/repository", "not-derivable", None)

    def test_without_a_completion_nothing_is_missed(self) -> None:
        assert decide_completion(RequestRows(SUCCEEDED, summary=SUMMARY)) is None


@pytest.mark.parametrize(
    "log_id",
    ["event/record_abandoned/repository", "event/issues_reconciled/bk-1", "event/fix_submitted/" + "0" * 64],
)
def test_events_without_a_trace_are_reported_only(log_id: str) -> None:
    assert short(decide_other_event(log_id)) == (log_id, "not-derivable", None)
