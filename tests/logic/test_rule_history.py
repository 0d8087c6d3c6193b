"""H101 to H109, H113 and H116: each hit, and what comes near without being one."""

import pytest

from stovepipe_cli.instants import format_instant
from stovepipe_cli.storage.contract.rows import RequestLogRow
from tests.support.audits import check, found, queue_of
from tests.support.lifecycles import (
    FIRST_MS,
    Life,
    accepted,
    cancelled,
    failed,
    failed_early,
    polling_exhausted,
    processing,
    succeeded,
    superseded,
)


def test_h101_a_request_without_any_entry() -> None:
    life = succeeded(2).drop(*succeeded(2).log)
    report = check(queue_of(accepted(1), life))
    (finding,) = report.findings
    assert (finding.code, finding.name, finding.severity, finding.request_id) == (
        "H101",
        "history-missing",
        "error",
        life.id,
    )
    assert finding.subject.table == "request_log"
    assert finding.subject.key == {"request_id": life.id, "log_id": "state/1"}
    assert finding.message == f"request '{life.id}' is 'succeeded' at version 3 and has no entry at all"
    assert finding.repair == "stovepipe repair plan -q monorepo/main --request request/monorepo/main/2"


@pytest.mark.parametrize(
    ("life", "lost"), [(succeeded(2), "state/3"), (superseded(2), "state/2"), (processing(2), "state/2")]
)
def test_h102_no_entry_at_the_requests_version(life: Life, lost: str) -> None:
    assert found(accepted(1), life.lose(lost)) == [("H102", life.id)]


def test_h102_is_hit_as_well_where_the_summary_kept_the_state() -> None:
    life = succeeded(2).drop("state/3")
    assert found(accepted(1), life) == [("H102", life.id)]


def test_h103_no_accepted_entry() -> None:
    life = succeeded(2).lose("state/1")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id, finding.repair) == ("H103", life.id, None)


@pytest.mark.parametrize("settle_ms", [0, 1])
@pytest.mark.parametrize("select", [(), ("H",)])
@pytest.mark.parametrize(
    "life",
    [succeeded(2).drop("state/1"), succeeded(2).drop("state/1").change_summary(accepted_at_ms=0)],
    ids=["by the summary", "by the mapping alone"],
)
def test_h103_can_be_repaired_where_the_time_is_known(life: Life, select: tuple[str, ...], settle_ms: int) -> None:
    (finding,) = check(queue_of(accepted(1), life), select=select, settle_ms=settle_ms).findings
    assert finding.code == "H103"
    assert finding.repair is not None


@pytest.mark.parametrize(
    ("life", "code"),
    [
        (accepted(2).drop("state/1").without("summary", "acceptance"), "H101"),
        (processing(2).drop("state/2").change_request(build_strategy=""), "H102"),
        (succeeded(2).drop("state/2").change_request(build_strategy=""), "H104"),
    ],
)
def test_what_no_row_proves_cannot_be_repaired(life: Life, code: str) -> None:
    findings = {each.code: each for each in check(queue_of(accepted(1), life)).findings}
    assert findings[code].repair is None


def test_h104_no_entry_between_the_first_and_the_outcome() -> None:
    life = cancelled(2).lose("state/2")
    assert found(accepted(1), life) == [("H104", life.id)]


def test_h104_is_silent_for_a_request_that_was_never_processed() -> None:
    assert found(accepted(1), failed_early(2), superseded(3)) == []


def test_h105_the_entry_names_another_state() -> None:
    life = succeeded(2)
    life.change_entry("state/3", state="failed", outcome_reason="build_failed")
    life.change_summary(state="failed", outcome_reason="build_failed")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.expected, finding.found) == ("H105", "'succeeded' as the request says", "'failed'")
    assert finding.repair is None


def test_h106_an_entry_is_newer_than_the_request() -> None:
    life = failed(2)
    life.facts.clear()
    life.drop(life.fact_log_id).change_request(state="processing", version=2)
    assert found(accepted(1), life) == [("H106", life.id)]


def test_h107_two_entries_of_one_version() -> None:
    life = superseded(2)
    row = life.log["state/2"]
    life.log["log/x"] = row._replace(log_id="log/" + "0" * 64)
    report = check(queue_of(accepted(1), life))
    (finding,) = report.findings
    assert (finding.code, finding.subject.key["log_id"]) == ("H107", "log/" + "0" * 64)


def test_h108_an_impossible_step() -> None:
    life = superseded(2).change_request(state="succeeded")
    life.change_entry("state/2", state="succeeded", outcome_reason="build_succeeded")
    life.change_summary(state="succeeded", outcome_reason="build_succeeded")
    assert ("H108", life.id) in found(accepted(1), life)


def test_h108_never_counts_events_after_the_end() -> None:
    life = succeeded(2)
    life.event("build_triggered", "late", build_id="late").build("late", "running")
    assert found(accepted(1), life) == []


def test_h109_entries_without_a_request() -> None:
    life = succeeded(2)
    id_ = life.id
    life.without("request", "uri", "summary", "acceptance")
    life.builds.clear()
    life.facts.clear()
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id, finding.subject.table) == ("H109", id_, "request")
    assert finding.found == "none, and 7 entries"
    assert finding.repair is None


def test_h109_an_id_that_differs_in_case_is_another_one() -> None:
    life = accepted(2)
    row = life.log["state/1"]
    storage = queue_of(accepted(1), life)
    storage.bulk.insert([row._replace(request_id=row.request_id.upper()), row._replace(request_id=f"{life.id} ")])
    assert [(each.code, each.request_id) for each in check(storage).findings] == [
        ("H109", life.id.upper()),
        ("H109", f"{life.id} "),
    ]


def test_h113_a_later_version_at_an_earlier_time() -> None:
    life = superseded(2)
    early = life.log["state/1"].timestamp_ms - 5_001
    life.change_entry("state/2", timestamp_ms=early).change_summary(state_timestamp_ms=early)
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.severity) == ("H113", "warning")
    late = format_instant(life.log["state/1"].timestamp_ms)
    assert finding.expected == f"not before {late}, the time of 'state/1'"
    assert finding.found == format_instant(early)


def test_h113_allows_for_the_clock_skew() -> None:
    life = superseded(2)
    early = life.log["state/1"].timestamp_ms - 5_000
    life.change_entry("state/2", timestamp_ms=early).change_summary(state_timestamp_ms=early)
    assert found(accepted(1), life) == []
    assert found(accepted(1), life, clock_skew_ms=4_999) == [("H113", life.id)]


def test_h113_is_silent_about_an_entry_without_a_time() -> None:
    life = succeeded(2).change_entry("state/2", timestamp_ms=0)
    assert found(accepted(1), life) == [("H111", life.id)]


def test_h113_leaves_repaired_entries_out() -> None:
    life = succeeded(2)
    late = FIRST_MS + 10**9
    life.change_entry("state/2", timestamp_ms=late, metadata='{"base_uri":"","repair_run_id":"0190"}')
    assert found(accepted(1), life) == []


def test_h116_more_builds_than_the_limit() -> None:
    life = processing(2)
    for number in range(3):
        life.build(f"again-{number}")
    assert found(accepted(1), life, max_builds=4) == []
    assert found(accepted(1), life, max_builds=3) == [("H116", life.id)]


def test_h116_more_entries_than_the_builds_explain() -> None:
    life = accepted(2)
    for number in range(24):
        life.log[f"event/x/{number}"] = RequestLogRow(life.id, f"event/x/{number}", FIRST_MS, "", "x", 0, "", "{}")
    assert ("H116", life.id) in found(accepted(1), life)


def test_the_finding_id_is_the_same_in_every_run() -> None:
    life = succeeded(2).lose("state/2")
    first = check(queue_of(accepted(1), life)).findings
    second = check(queue_of(accepted(1), accepted(3), life), settle_ms=10).findings
    assert [each.id for each in first] == [each.id for each in second]
    assert first[0].id.startswith("H104:")
    assert len(first[0].id) == len("H104:") + 16


def test_an_exhausted_poll_with_a_live_build_has_no_finished_entry_to_miss() -> None:
    assert found(accepted(1), polling_exhausted(2)) == []


def test_every_rule_speaks_of_its_own_request_alone() -> None:
    damaged = [succeeded(2).lose("state/2"), succeeded(3).lose("state/3"), succeeded(4).lose("state/1")]
    storage = queue_of(accepted(1), *damaged, succeeded(5))
    assert [(each.code, each.request_id) for each in check(storage).findings] == [
        ("H102", damaged[1].id),
        ("H103", damaged[2].id),
        ("H104", damaged[0].id),
    ]
