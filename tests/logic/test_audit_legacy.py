"""Where history begins: what older requests lack is no damage, and a queue without any history is never clean."""

import pytest

from stovepipe_cli.errors import UsageError
from tests.support.audits import check, codes, found, queue_of
from tests.support.lifecycles import Life, accepted, failed, processing, succeeded, superseded
from tests.support.repairs import Repairs


def old(count: int = 9) -> list[Life]:
    return [(succeeded, superseded, failed)[number % 3](number).legacy() for number in range(1, count + 1)]


def test_requests_below_the_lowest_first_entry_are_legacy() -> None:
    report = check(queue_of(*old(9), succeeded(10), superseded(11)))
    assert (codes(report), report.legacy_requests, report.verdict) == ([], 9, "clean")
    assert report.history_since == "request/monorepo/main/10"


def test_the_boundary_goes_by_number_and_not_by_text() -> None:
    report = check(queue_of(*old(8), accepted(9), accepted(10), accepted(100)))
    assert (report.history_since, report.legacy_requests) == ("request/monorepo/main/9", 8)


def test_a_request_above_the_boundary_without_history_is_damage() -> None:
    lost = succeeded(11)
    report = check(queue_of(*old(9), succeeded(10), lost.drop(*lost.log)))
    assert ([each.request_id for each in report.findings], report.legacy_requests) == ([lost.id], 9)


def test_a_legacy_request_with_some_entries_lacks_nothing_and_is_not_counted() -> None:
    life = processing(3).lose("state/1").drop("event/build_triggered/build-3")
    report = check(queue_of(*old(2), life, accepted(4)))
    assert (codes(report), report.legacy_requests) == ([], 2)


def test_contradictions_of_legacy_requests_are_reported() -> None:
    life = superseded(3).lose("state/1")
    life.change_entry("state/2", state="failed", outcome_reason="processing_failed")
    assert found(*old(2), life, accepted(4)) == [("H105", life.id)]


def test_a_missing_commit_mapping_of_a_legacy_request_is_reported() -> None:
    assert found(superseded(1).legacy().without("uri"), accepted(2)) == [("U501", "request/monorepo/main/1")]


def test_a_finding_about_a_legacy_request_names_no_repair_since_none_is_planned() -> None:
    behind = superseded(3).lose("state/1")
    behind.change_summary(request_version=1, state="accepted", outcome_reason="")
    repairs = Repairs(queue_of(superseded(1).legacy().without("uri"), behind, accepted(4)))
    found_now = check(repairs.storage).findings
    assert [(each.code, each.repair) for each in found_now] == [("P302", None), ("U501", None)]
    assert {entry.status for entry in repairs.plan().entries} == {"not-derivable"}


def test_any_entry_sets_the_boundary_where_no_request_has_its_first_one() -> None:
    life, later = superseded(3).lose("state/1"), superseded(4).lose("state/1")
    report = check(queue_of(*old(2), later, life))
    assert (report.history_since, report.legacy_requests) == (life.id, 2)
    assert [(each.code, each.request_id) for each in report.findings] == [("H103", life.id), ("H103", later.id)]


def test_entries_of_unknown_requests_set_no_boundary() -> None:
    storage = queue_of(*old(3), accepted(4))
    storage.bulk.insert([accepted(2).log["state/1"]._replace(request_id="request/monorepo/main/0")])
    assert check(storage).history_since == "request/monorepo/main/4"


def test_a_given_boundary_wins() -> None:
    life = succeeded(5)
    storage = queue_of(*old(4), life.drop(*tuple(life.log)), accepted(6))
    assert check(storage).legacy_requests == 5
    report = check(storage, history_since="request/monorepo/main/5")
    assert (codes(report), report.legacy_requests, report.history_since) == (
        ["H101"],
        4,
        "request/monorepo/main/5",
    )


def test_none_means_that_every_request_must_have_history() -> None:
    report = check(queue_of(*old(3), accepted(4)), history_since="none")
    assert (codes(report), report.legacy_requests) == (["H101"] * 3, 0)


def test_a_boundary_of_the_other_form_is_understood() -> None:
    assert check(queue_of(*old(3), accepted(4)), history_since="4").legacy_requests == 3


def test_a_boundary_that_is_no_request_id_is_refused() -> None:
    with pytest.raises(UsageError, match="history_since 'main' is no request id"):
        check(queue_of(accepted(1)), history_since="main")


def test_detecting_the_boundary_can_be_refused() -> None:
    with pytest.raises(UsageError, match="no history_since is set"):
        check(queue_of(accepted(1)), require_history_since=True)


def test_a_queue_with_requests_and_an_empty_log_is_incomplete() -> None:
    report = check(queue_of(*old(5)))
    assert (report.verdict, report.exit_code) == ("incomplete", 4)
    assert report.blocking == ("no request in this queue has history: set history_since",)
    assert (codes(report), report.legacy_requests) == ([], 5)


def test_an_empty_log_is_damage_once_the_boundary_is_given() -> None:
    report = check(queue_of(*old(5)), history_since="request/monorepo/main/3")
    assert (codes(report), report.blocking, report.legacy_requests) == (["H101"] * 3, (), 2)


def test_an_empty_log_is_incomplete_in_a_narrowed_scope_too() -> None:
    report = check(queue_of(*old(5)), last=2)
    assert (report.verdict, report.blocking) == (
        "incomplete",
        ("no request in this queue has history: set history_since",),
    )


def test_legacy_requests_are_counted_whatever_is_selected() -> None:
    assert check(queue_of(*old(5), accepted(6)), select=("H102",)).legacy_requests == 5


def test_a_queue_whose_log_alone_was_emptied_is_incomplete_and_no_more() -> None:
    lives = [succeeded(1), superseded(2), failed(3)]
    for life in lives:
        life.drop(*tuple(life.log))
    report = check(queue_of(*lives))
    assert (report.verdict, report.exit_code, report.findings) == ("incomplete", 4, ())


def test_a_boundary_above_every_request_is_incomplete_and_never_clean() -> None:
    report = check(queue_of(accepted(1), superseded(2).lose("state/2")), history_since="request/monorepo/main/9999")
    assert (report.verdict, report.exit_code) == ("incomplete", 4)
    assert report.blocking == (
        "no request is at or above history_since 'request/monorepo/main/9999': nothing was held to have a history",
    )


def test_a_boundary_at_the_newest_request_is_one() -> None:
    assert check(queue_of(*old(2), accepted(3)), history_since="request/monorepo/main/3").verdict == "clean"
