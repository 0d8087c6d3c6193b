"""What becomes of each entry of a plan when it is applied, and when applying stops."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities import RequestURI
from stovepipe_cli.errors import Refused, UsageError
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.repair.applier import apply
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.plan_digest import sealed
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.site import Site, require_site
from stovepipe_cli.repair.steps import steps_of
from stovepipe_cli.reports import PlanEntry, RepairPlan, Written
from stovepipe_cli.storage.contract import ServerState, StorageReadOnly
from stovepipe_cli.storage.contract.mapping import log_from, parse_metadata
from stovepipe_cli.storage.contract.rows import RequestLogRow
from tests.support.audits import queue_of
from tests.support.lifecycles import QUEUE, accepted, failed, processing, succeeded
from tests.support.repairs import ORIGIN, RUN, Repairs, number, outcomes, repairs_of

LATER = "0199a0b0-0000-7000-8000-000000000002"
LEAVE = PlanOptions(allow_retention_time=True)
SERVER = ServerState("mysql", "db1:3306", "stovepipe", "10.11", "server-1", read_only=False, driver="x", now_ms=1)
SITE = Site(ORIGIN.target, ORIGIN.schema_fingerprint, SERVER)


def without_accepted(count: int) -> Repairs:
    """A queue in which so many requests lack their accepted entry, whose time the summary has."""
    return Repairs(queue_of(succeeded(1), *(succeeded(each).drop("state/1") for each in range(2, 2 + count))))


def tags(repairs: Repairs) -> set[str | None]:
    rows = [row for row in repairs.rows().values() if isinstance(row, RequestLogRow)]
    return {(parse_metadata(row.metadata) or {}).get(REPAIR_RUN_ID) for row in rows}


def test_entries_that_are_inserted_carry_the_run() -> None:
    repairs = without_accepted(1)
    repairs.apply(repairs.plan())
    assert tags(repairs) == {None, RUN}


def test_entries_carry_nothing_where_no_tag_is_wanted() -> None:
    repairs = without_accepted(1)
    repairs.apply(repairs.plan(PlanOptions(no_tag=True)))
    assert tags(repairs) == {None}


def test_a_second_apply_finds_everything_and_writes_nothing() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/2", "state/3").without("uri")))
    made = repairs.plan(LEAVE)
    assert outcomes(repairs.apply(made)) == (5, 0, 0, 0, 0)
    after = repairs.rows()
    again = repairs.apply(made, run_id="another-run")
    assert outcomes(again) == (0, 5, 0, 0, 0)
    assert again.exit_code == 0
    assert again.receipt.written == ()
    assert repairs.rows() == after


def test_the_receipt_names_every_row_with_an_update_s_before_and_after() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/3")))
    report = repairs.apply(repairs.plan(LEAVE))
    assert [(row.action, row.table) for row in report.receipt.written] == [
        ("create-log", "request_log"),
        ("advance-summary", "request_summary"),
    ]
    update = report.receipt.written[1]
    assert update.before is not None
    assert (update.key, update.before["state"], update.after["state"]) == (
        {"request_id": number(2)},
        "processing",
        "succeeded",
    )


def test_each_row_is_told_of_as_it_is_written() -> None:
    repairs = without_accepted(3)
    heard: list[Written] = []
    options = ApplyOptions(verify=repairs.look)
    report = apply(repairs.storage, repairs.plan(), options, clock=repairs.clock, run_id=RUN, watch=Watch(heard.append))
    assert tuple(heard) == report.receipt.written


def test_a_request_that_has_moved_on_drifts() -> None:
    repairs = repairs_of(queue_of(queue_row=False), succeeded(1), processing(2).lose("state/2"))
    made = repairs.plan(PlanOptions(allow_retention_time=True, request_ids=(number(2),)))
    request = repairs.storage.requests.get(number(2))
    repairs.storage.requests.update(replace(request, state="failed"), old_version=2, new_version=3)
    report = repairs.apply(made)
    assert outcomes(report)[2] == report.drifted > 0
    assert report.applied == 0
    assert "has changed in" in report.problems[0]
    assert report.exit_code == 3


def test_drift_of_one_request_leaves_the_others_to_be_mended() -> None:
    repairs = without_accepted(3)
    made = repairs.plan()
    summary = repairs.storage.summaries.get(number(3))
    repairs.storage.summaries.update(
        replace(summary, accepted_at_ms=summary.accepted_at_ms + 1),
        old_version=summary.version,
        new_version=summary.version + 1,
    )
    report = repairs.apply(made)
    assert outcomes(report) == (2, 0, 1, 0, 0)


def test_an_entry_that_the_service_wrote_meanwhile_counts_as_there() -> None:
    life = succeeded(2)
    lost = life.log["state/1"]
    repairs = Repairs(queue_of(succeeded(1), life.drop("state/1")))
    made = repairs.plan()
    repairs.storage.request_log.create(log_from(QUEUE, lost))
    assert outcomes(repairs.apply(made)) == (0, 1, 0, 0, 0)


def test_an_entry_that_is_there_counts_as_there_whatever_became_of_its_evidence() -> None:
    repairs = without_accepted(1)
    made = repairs.plan()
    repairs.apply(made)
    request = repairs.storage.requests.get(number(2))
    repairs.storage.requests.update(replace(request, uri="git://elsewhere"), old_version=3, new_version=4)
    assert outcomes(repairs.apply(made, run_id=LATER)) == (0, 1, 0, 0, 0)


def test_what_the_same_run_wrote_before_it_died_counts_as_applied() -> None:
    repairs = without_accepted(1)
    made = repairs.plan()
    first = repairs.apply(made)
    again = repairs.apply(made)
    assert outcomes(again) == (1, 0, 0, 0, 0)
    assert again.receipt.written == first.receipt.written


def test_another_entry_in_its_place_is_a_conflict_and_stays() -> None:
    life = failed(2)
    lost = life.log["state/3"]._replace(outcome_reason="validation_timeout")
    repairs = Repairs(queue_of(succeeded(1), life.drop("state/3"), succeeded(3).drop("state/1")))
    made = repairs.plan()
    repairs.storage.request_log.create(log_from(QUEUE, lost))
    report = repairs.apply(made)
    assert outcomes(report) == (0, 0, 0, 1, 0)
    assert report.stopped_because is not None
    assert repairs.storage.request_log.get(number(2), "state/3").outcome_reason == "validation_timeout"


def test_a_conflict_stops_the_rest_unless_told_to_keep_going() -> None:
    life = failed(2)
    lost = life.log["state/3"]._replace(outcome_reason="validation_timeout")
    repairs = Repairs(queue_of(succeeded(1), life.drop("state/3"), succeeded(3).drop("state/1")))
    made = repairs.plan()
    repairs.storage.request_log.create(log_from(QUEUE, lost))
    report = repairs.apply(made, ApplyOptions(keep_going=True))
    assert outcomes(report) == (1, 0, 0, 1, 0)
    assert report.exit_code == 3


def test_a_commit_that_leads_elsewhere_by_now_is_a_conflict() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).without("uri")))
    made = repairs.plan()
    uri = repairs.storage.requests.get(number(2)).uri
    repairs.storage.request_uris.create(RequestURI(QUEUE, uri, number(1)))
    assert outcomes(repairs.apply(made)) == (0, 0, 0, 1, 0)


def test_it_stops_before_the_next_step_when_asked_to_and_goes_on_later() -> None:
    repairs = without_accepted(4)
    made = repairs.plan()
    heard: list[Written] = []
    watch = Watch(heard.append, is_stopped=lambda: len(heard) == 2)
    report = apply(
        repairs.storage, made, ApplyOptions(verify=repairs.look), clock=repairs.clock, run_id=RUN, watch=watch
    )
    assert (outcomes(report), report.exit_code) == ((2, 0, 0, 0, 0), 4)
    assert report.stopped_because is not None
    assert outcomes(repairs.apply(made, run_id=LATER)) == (2, 2, 0, 0, 0)


def test_a_dry_run_writes_nothing_for_a_request_that_is_gone() -> None:
    made = Repairs(queue_of(succeeded(1), succeeded(2).without("acceptance"))).plan()
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).without("acceptance", "request")))
    before = repairs.rows()
    repairs.apply(made, ApplyOptions(dry_run=True))
    assert repairs.rows() == before


def test_damage_that_appears_after_the_first_entry_stops_the_rest() -> None:
    repairs = without_accepted(4)
    made = repairs.plan()
    damage = made.entries[0].request_id

    def break_summary(written: Written) -> None:
        if written.key.get("request_id") == damage:
            summary = repairs.storage.summaries.get(damage)
            repairs.storage.summaries.update(
                replace(summary, state="cancelled"), old_version=summary.version, new_version=summary.version + 1
            )

    report = apply(
        repairs.storage,
        made,
        ApplyOptions(verify=repairs.look),
        clock=repairs.clock,
        run_id=RUN,
        watch=Watch(break_summary),
    )
    assert report.applied == 1
    assert report.stopped_because is not None
    assert "P304" in report.stopped_because
    assert len(report.remaining_findings) == 4


def test_only_takes_codes_or_requests() -> None:
    lives = (succeeded(1), succeeded(2).drop("state/1"), succeeded(3).without("uri"), succeeded(4).drop("state/1"))
    repairs = Repairs(queue_of(*lives))
    made = repairs.plan()
    assert repairs.apply(made, ApplyOptions(only=("U501", number(4)), dry_run=True)).applied == 2
    assert repairs.apply(made, ApplyOptions(only=(number(2),))).applied == 1
    assert repairs.apply(made, ApplyOptions(only=("4",))).applied == 1


def test_only_of_what_the_plan_has_not_is_a_usage_error() -> None:
    repairs = without_accepted(1)
    with pytest.raises(UsageError):
        repairs.apply(repairs.plan(), ApplyOptions(only=("U501",)))


def test_so_many_entries_are_taken_and_no_more() -> None:
    repairs = without_accepted(5)
    assert repairs.apply(repairs.plan(), ApplyOptions(max_entries=3)).applied == 3


def test_a_request_is_taken_whole_or_not_at_all() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).drop("state/1"), succeeded(3).lose("state/2", "state/3")))
    made = repairs.plan(LEAVE)
    assert repairs.apply(made, ApplyOptions(max_entries=3)).applied == 1


def test_fewer_entries_than_the_first_request_has_is_a_usage_error() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/2", "state/3")))
    with pytest.raises(UsageError, match="4 entries"):
        repairs.apply(repairs.plan(LEAVE), ApplyOptions(max_entries=2))


def large(plan: RepairPlan, count: int) -> RepairPlan:
    """The plan with its only entry repeated for so many requests."""
    entry = plan.entries[0]

    def of(position: int) -> PlanEntry:
        return replace(
            entry, request_id=number(position), entry={**(entry.entry or {}), "request_id": number(position)}
        )

    return sealed(replace(plan, entries=tuple(of(position) for position in range(count))))


def test_more_than_ten_thousand_entries_have_to_be_asked_for() -> None:
    made = large(without_accepted(1).plan(), 10_001)
    with pytest.raises(Refused, match="10001"):
        steps_of(made)
    assert len(steps_of(made, max_entries=10_001)) == 10_001


def test_a_projection_without_its_entry_is_no_plan() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).lose("state/3")))
    made = repairs.plan(LEAVE)
    with pytest.raises(Refused):
        repairs.apply(sealed(replace(made, entries=made.entries[1:])))


def test_a_plan_of_another_queue_is_refused() -> None:
    repairs = without_accepted(1)
    with pytest.raises(Refused):
        repairs.apply(replace(repairs.plan(), queue="other"))


def test_what_has_no_repair_is_left_and_reported() -> None:
    repairs = Repairs(queue_of(succeeded(1), succeeded(2).drop("state/1").lose("state/3"), accepted(3)))
    report = repairs.apply(repairs.plan())
    assert [finding.code for finding in report.remaining_findings] == ["H102", "H103"]
    assert report.exit_code == 0


def require_here(repairs: Repairs, site: Site, options: ApplyOptions) -> ApplyOptions:
    return require_site(repairs.plan(), QUEUE, options, site, repairs.clock.now_ms())


def test_a_read_only_server_is_refused() -> None:
    site = replace(SITE, server=replace(SERVER, read_only=True))
    with pytest.raises(StorageReadOnly):
        require_here(without_accepted(1), site, ApplyOptions())


def test_a_read_only_server_serves_a_dry_run() -> None:
    site = replace(SITE, server=replace(SERVER, read_only=True))
    assert require_here(without_accepted(1), site, ApplyOptions(dry_run=True)) == ApplyOptions(dry_run=True)


def test_a_foreign_database_is_refused() -> None:
    with pytest.raises(Refused):
        require_here(
            without_accepted(1), replace(SITE, target=replace(ORIGIN.target, identity="other")), ApplyOptions()
        )


def test_after_a_failover_all_evidence_must_be_equal() -> None:
    site = replace(SITE, target=replace(ORIGIN.target, identity="other"))
    assert require_here(without_accepted(2), site, ApplyOptions(accept_failover=True)).require_all_evidence


def test_after_a_failover_one_difference_refuses_the_whole_plan() -> None:
    repairs = without_accepted(2)
    made = repairs.plan()
    summary = repairs.storage.summaries.get(number(3))
    repairs.storage.summaries.update(
        replace(summary, accepted_at_ms=7), old_version=summary.version, new_version=summary.version + 1
    )
    before = repairs.rows()
    with pytest.raises(Refused, match="differ here"):
        repairs.apply(made, ApplyOptions(require_all_evidence=True))
    assert repairs.rows() == before
