"""A scope that the user asked for: what is in it is judged whole, and the verdict says what was left out."""

import pytest

from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.storage.contract import Storage
from tests.support.audits import Chosen, check, codes, names, queue_of
from tests.support.lifecycles import BETWEEN_MS, FIRST_MS, accepted, failed, put, succeeded, superseded


def damaged_queue(count: int = 30) -> Storage:
    """Requests 1 to 3 are legacy; 5, 15 and 25 lost an entry, 26 a build's, 27 a mapping."""
    lives = [succeeded(number) for number in range(1, count + 1)]
    for number in (1, 2, 3):
        lives[number - 1].legacy()
    for number in (5, 15, 25):
        lives[number - 1].lose("state/2")
    lives[25].drop("event/build_triggered/build-26")
    lives[26].without("acceptance")
    return queue_of(*lives)


def test_one_request() -> None:
    report = check(damaged_queue(), request_ids=("request/monorepo/main/15",))
    assert names(report) == [("H104", "request/monorepo/main/15")]
    assert report.scope == "request 'request/monorepo/main/15'"
    assert {name: part.checked for name, part in report.coverage.items()} == {
        "requests": 1,
        "facts": 1,
        "builds": 1,
        "acceptances": 1,
        "uris": 1,
    }


def test_a_sound_request_among_damaged_ones_is_clean() -> None:
    report = check(damaged_queue(), request_ids=("request/monorepo/main/16",))
    assert (codes(report), report.verdict, report.exit_code) == ([], "clean", 0)


def test_a_bare_number_finds_the_older_form() -> None:
    report = check(damaged_queue(), request_ids=("26",))
    assert names(report) == [("E201", "request/monorepo/main/26")]


def test_several_requests() -> None:
    report = check(damaged_queue(), request_ids=("5", "26", "27", "16"))
    assert codes(report) == ["A401", "E201", "H104"]
    assert report.scope == "4 requests"


def test_a_legacy_request_is_legacy_when_named_alone() -> None:
    report = check(damaged_queue(), request_ids=("2",))
    assert (codes(report), report.legacy_requests, report.verdict) == ([], 1, "clean")


def test_a_lost_history_is_damage_when_its_request_is_named_alone() -> None:
    lost = succeeded(4)
    report = check(queue_of(accepted(3), lost.drop(*lost.log), accepted(5)), request_ids=("4",))
    assert names(report) == [("H101", lost.id)]


def test_an_unknown_request_is_not_found() -> None:
    with pytest.raises(NothingFound, match="request '99' of queue 'monorepo/main' has no row"):
        check(damaged_queue(), request_ids=("99",))


def test_entries_without_their_request_can_be_named() -> None:
    storage = damaged_queue()
    storage.bulk.insert([accepted(99).log["state/1"]])
    assert names(check(storage, request_ids=("request/monorepo/main/99",))) == [("H109", "request/monorepo/main/99")]


def test_the_last_requests_go_by_number() -> None:
    report = check(damaged_queue(), last=6)
    assert names(report) == [
        ("A401", "request/monorepo/main/27"),
        ("E201", "request/monorepo/main/26"),
        ("H104", "request/monorepo/main/25"),
    ]
    assert (report.scope, report.coverage["requests"].checked) == ("last 6 requests", 6)


def test_the_last_requests_skip_gaps_in_the_numbers() -> None:
    lives = [succeeded(number) for number in (1, 2, 700, 2_000, 2_001)]
    lives[2].lose("state/2")
    report = check(queue_of(*lives), last=3)
    assert (names(report), report.coverage["requests"].checked) == ([("H104", lives[2].id)], 3)


def test_the_last_requests_are_found_though_numbers_are_sparse() -> None:
    lives = [succeeded(number) for number in (1, 2, 5_000_000, 9_000_000_000_000)]
    lives[1].lose("state/2")
    report = check(queue_of(*lives), last=3)
    assert (names(report), report.coverage["requests"].checked) == ([("H104", lives[1].id)], 3)


def test_more_than_there_are_is_all_of_them() -> None:
    assert check(damaged_queue(), last=1_000).coverage["requests"].checked == 30


def test_the_last_requests_do_not_depend_on_the_queue_row() -> None:
    lives = [succeeded(number) for number in range(1, 10)]
    lives[8].lose("state/2")
    report = check(queue_of(*lives, queue_row=False), last=2, select=("H",))
    assert names(report) == [("H104", lives[8].id)]


def test_requests_beyond_the_latest_id_are_among_the_last() -> None:
    storage = queue_of(*(succeeded(number) for number in range(1, 10)))
    put(storage, succeeded(11).lose("state/2"), queue_row=False)
    assert names(check(storage, last=1, select=("H",))) == [("H104", "request/monorepo/main/11")]


def accepted_at(number: int) -> int:
    return succeeded(number).log["state/1"].timestamp_ms


def test_since_starts_at_the_lowest_number_accepted_then() -> None:
    report = check(damaged_queue(), since_ms=accepted_at(15))
    assert (report.coverage["requests"].checked, codes(report)) == (16, ["A401", "E201", "H104", "H104"])
    assert report.scope == "accepted since 2026-01-01T00:15:01.000Z"


def test_a_damaged_request_without_an_acceptance_is_in_the_window() -> None:
    report = check(damaged_queue(), since_ms=accepted_at(26), until_ms=accepted_at(29))
    assert (report.coverage["requests"].checked, codes(report)) == (3, ["A401", "E201"])


def test_until_leaves_out_what_was_accepted_then_or_later() -> None:
    report = check(damaged_queue(), until_ms=accepted_at(15))
    assert (report.coverage["requests"].checked, names(report)) == (14, [("H104", "request/monorepo/main/5")])


def test_nothing_accepted_since_leaves_requests_behind_the_last_acceptance() -> None:
    storage = damaged_queue()
    late = superseded(31).lose("state/1")
    put(storage, late, queue_row=False)
    report = check(storage, since_ms=FIRST_MS + 1_000 * BETWEEN_MS, select=("H",))
    assert names(report) == [("H103", late.id)]


def test_selected_rules_narrow_the_scope() -> None:
    report = check(damaged_queue(), select=("H1", "A401"))
    assert (codes(report), report.scope) == (["A401", "H104", "H104", "H104"], "rules H1, A401")


def test_ignored_rules_narrow_the_scope() -> None:
    report = check(damaged_queue(), ignore=("H104",))
    assert (codes(report), report.scope) == (["A401", "E201"], "without rules H104")


def test_a_queue_is_not_clean_as_a_whole_where_its_damage_was_ignored() -> None:
    report = check(damaged_queue(), ignore=("H", "E201", "A4"))
    assert (report.verdict, report.scope) == ("clean", "without rules H, E201, A4")


def test_ignoring_some_of_what_is_selected_names_both() -> None:
    report = check(damaged_queue(), select=("H", "A"), ignore=("H104",))
    assert (codes(report), report.scope) == (["A401"], "rules H, A, without rules H104")


def test_ignoring_rules_leaves_no_request_out() -> None:
    report = check(damaged_queue(), ignore=("I", "D"))
    assert (report.coverage["requests"].checked, report.legacy_requests) == (30, 3)
    assert "queue" in report.coverage


def test_only_the_passes_of_the_selected_rules_run() -> None:
    assert set(check(damaged_queue(), select=("A402",)).coverage) == {"acceptances"}


@pytest.mark.parametrize(
    "options",
    [
        {"request_ids": ("5",), "last": 2},
        {"last": 2, "since_ms": 5},
        {"last": 0},
        {"since_ms": 9, "until_ms": 9},
        {"settle_ms": -1},
    ],
)
def test_options_that_contradict_themselves_are_refused(options: Chosen) -> None:
    with pytest.raises(UsageError):
        check(damaged_queue(), **options)


def test_a_queue_of_decimal_ids_is_narrowed_by_number() -> None:
    lives = [failed(1).legacy(), *(succeeded(number, form="decimal") for number in range(2, 12))]
    lives[9].lose("state/2")
    assert names(check(queue_of(*lives), last=3, select=("H",))) == [("H104", lives[9].id)]
