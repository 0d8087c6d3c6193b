"""A plan for people: everything that would be written, and the proof of it."""

from dataclasses import replace
from textwrap import dedent

import pytest

from stovepipe_cli.render.output import hints
from stovepipe_cli.reports import Evidence, PlanEntry, PlanTarget, RepairPlan
from tests.support.report_samples import FACT_ID, HOSTILE, PIPE, START_MS, TERMINAL, shown

ONE, TWO = "request/monorepo/main/1", "request/monorepo/main/2"
INSERT = PlanEntry(
    action="create-log",
    code="E206",
    request_id=ONE,
    log_id=FACT_ID,
    entry={
        "queue": "monorepo/main",
        "request_id": ONE,
        "id": FACT_ID,
        "timestamp_ms": START_MS,
        "event": "validation_fact_recorded",
        "outcome_reason": "",
        "metadata": {"fact_degree": "0.25"},
    },
    before=None,
    evidence=(
        Evidence("validation_fact", {"uri": "git://a", "project": ""}, {"degree": 0.25, "created_at": START_MS}),
        Evidence("request_log", {"request_id": ONE, "log_id": FACT_ID}, None),
    ),
    timestamp_source="validation_fact.created_at",
    status="ready",
    reason="",
)
UPDATE = PlanEntry(
    action="advance-summary",
    code="P302",
    request_id=TWO,
    log_id=None,
    entry={"state": "failed", "version": 3, "outcome_reason": "build_failed", "uri": "git://a"},
    before={"state": "processing", "version": 2, "outcome_reason": "", "uri": "git://a"},
    evidence=(),
    timestamp_source=None,
    status="ready",
    reason="",
)
UNDECIDED = replace(
    INSERT,
    request_id=TWO,
    log_id="state/2",
    code="H104",
    entry={"state": "processing"},
    evidence=(),
    timestamp_source=None,
    status="needs-operator",
    reason="no row keeps its time: --allow-retention-time",
)
UNPROVED = replace(
    UNDECIDED, log_id="state/1", code="H103", entry=None, status="not-derivable", reason="nothing proves it"
)
PLAN = RepairPlan(
    plan_id="plan-1",
    format=1,
    queue="monorepo/main",
    target=PlanTarget("production", "db1:3306", "stovepipe", "server-uuid"),
    tool_version="1",
    schema_fingerprint="sha256:1",
    created_at_ms=START_MS,
    expires_at_ms=START_MS + 86_400_000,
    options={"insert_only": False, "min_age_ms": 900_000},
    entries=(INSERT, UPDATE, UNDECIDED, UNPROVED),
    counts={},
    digest="sha256:2",
)


def test_a_plan_lists_inserts_updates_decisions_and_what_is_unproved_apart() -> None:
    assert shown(PLAN, TERMINAL) == dedent(
        """\
        plan      plan-1
        queue     monorepo/main
        database  db1:3306/stovepipe  profile production
        identity  server-uuid
        options   min_age_ms 900000

        ready to insert  1
          request/monorepo/main/1
            insert request_log
              event/validation_fact_recorded/f57b5dc59f9b52a2a9e498546cd07f1afa315db390a
              39a3a3ce22d22a4978ada  E206
              time    2026-08-20T08:00:00.000Z  from validation_fact.created_at
              row     event validation_fact_recorded  fact_degree 0.25
              proof   validation_fact  uri git://a  degree 0.25
                      created_at 2026-08-20T08:00:00.000Z
              proof   request_log
                      log_id
                      event/validation_fact_recorded/f57b5dc59f9b52a2a9e498546cd07f1afa3
                      15db390a39a3a3ce22d22a4978ada  is absent

        ready to update  1
          request/monorepo/main/2
            update request_summary  P302
              change  state processing → failed  version 2 → 3
                      outcome_reason (empty) → build_failed

        needs an operator  1
          request/monorepo/main/2
            insert request_log  state/2  H104
              row     state processing
              why     no row keeps its time: --allow-retention-time

        not derivable  1
          request/monorepo/main/2
            insert request_log  state/1  H103
              why     nothing proves it

        table            insert  update
        request_log           1       0
        request_summary       0       1

        digest  sha256:2
        valid   expires 2026-08-21T08:00:00.000Z (UTC), 1d after it was made

        1 row to insert, 1 row to update, 1 for an operator to decide, 1 not derivable
        """
    )


def test_an_empty_plan_says_that_there_is_nothing_to_repair() -> None:
    assert shown(replace(PLAN, entries=()), PIPE).splitlines()[-1] == "nothing to repair"


def test_entries_of_one_request_stand_together_in_the_order_of_the_plan() -> None:
    plan = replace(PLAN, entries=(INSERT, replace(INSERT, request_id=TWO), replace(INSERT, log_id="state/2")))
    text = shown(plan, PIPE)

    assert text.count("\n  request/monorepo/main/1\n") == 1
    assert text.index(FACT_ID) < text.index("state/2") < text.index("\n  request/monorepo/main/2\n")


def test_every_entry_is_shown_however_many_there_are() -> None:
    plan = replace(PLAN, entries=tuple(replace(INSERT, log_id=f"state/{number}") for number in range(300)))

    assert shown(plan, TERMINAL).count("insert request_log") == 300


def test_evidence_that_a_field_is_empty_is_shown() -> None:
    evidence = Evidence("request_summary", {"request_id": ONE}, {"outcome_reason": "", "accepted_at_ms": None, "n": 0})
    text = shown(replace(PLAN, entries=(replace(INSERT, evidence=(evidence,)),)), PIPE)

    assert "proof   request_summary  outcome_reason (empty)  accepted_at_ms (empty)  n 0\n" in text


def test_a_database_without_a_host_is_its_path() -> None:
    plan = replace(PLAN, target=PlanTarget(None, "", "/var/demo.db", "file-1"))

    assert "database  /var/demo.db\n" in shown(plan, PIPE)


def test_hints_tell_how_to_apply_and_what_waits_for_a_decision() -> None:
    apply, decide = hints(PLAN, TERMINAL)

    assert apply.startswith("next: stovepipe repair plan -q monorepo/main --out FILE, then stovepipe repair apply")
    assert decide.startswith("1 entry needs a decision")
    assert hints(replace(PLAN, entries=()), TERMINAL) == ()


@pytest.mark.parametrize("text", HOSTILE)
def test_data_is_shown_literally(text: str) -> None:
    entry = replace(INSERT, request_id=text, log_id=text, entry={"uri": text, "metadata": {text: text}}, reason=text)

    answer = shown(replace(PLAN, queue=text, entries=(entry,)), PIPE)
    assert answer.count(text) >= 6
    assert "\x1b" not in answer
    assert "…" not in answer
