"""What is new between looks is told by the set of log ids, once, and late entries are found too."""

from dataclasses import replace

from stovepipe_cli.history.follow import Follower, Look
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark
from tests.support.report_samples import REQUEST_ID, entry, request_view

ACCEPTED = entry("state/1", state="accepted")
PROCESSING = entry("state/2", 2000, state="processing")
TRIGGERED = entry("event/build_triggered/bk-1", 3000)
GAP = Mark("E202", "event/build_finished/bk-1", "its end is missing")


def history(*entries: HistoryEntry, gaps: tuple[Mark, ...] = (), marks: tuple[Mark, ...] = ()) -> HistoryReport:
    ordered = tuple(sorted(entries, key=lambda each: each.timestamp_ms))
    return HistoryReport(
        REQUEST_ID, None, request_view(), ordered, gaps, marks, (len(ordered),) * len(gaps), entries_total=len(ordered)
    )


def looks(*reports: HistoryReport) -> list[Look]:
    follower = Follower()
    return [follower.take(report) for report in reports]


def news(look: Look) -> list[str]:
    return [each.log_id for each in look.news.entries]


def codes(look: Look) -> list[str]:
    return [mark.code for mark in (*look.news.gaps, *look.news.marks)]


def test_the_first_look_has_every_entry_and_calls_none_new() -> None:
    (look,) = looks(history(ACCEPTED, PROCESSING))
    assert (news(look), dict(look.whole.fresh)) == (["state/1", "state/2"], {})


def test_an_entry_is_told_once() -> None:
    _, second, third = looks(history(ACCEPTED), history(ACCEPTED, PROCESSING), history(ACCEPTED, PROCESSING))
    assert (news(second), second.has_news) == (["state/2"], True)
    assert (news(third), third.has_news) == ([], False)


def test_what_came_stays_marked_on_the_whole_history() -> None:
    _, _, third = looks(history(ACCEPTED), history(ACCEPTED, PROCESSING), history(ACCEPTED, PROCESSING))
    assert dict(third.whole.fresh) == {"state/2": "new"}


def test_an_entry_from_before_the_last_one_shown_is_late() -> None:
    _, second = looks(history(ACCEPTED, TRIGGERED), history(ACCEPTED, PROCESSING, TRIGGERED))
    assert dict(second.whole.fresh) == {"state/2": "late"}
    assert (news(second), codes(second)) == (["state/2"], ["late"])


def test_a_late_entry_may_have_the_time_of_one_that_was_shown() -> None:
    twin = replace(TRIGGERED, log_id="event/build_triggered/bk-0")
    _, second = looks(history(TRIGGERED), history(twin, TRIGGERED))
    assert dict(second.whole.fresh) == {twin.log_id: "late"}


def test_a_repaired_entry_keeps_its_mark() -> None:
    repaired = Mark("repaired", "state/2", "written by repair run 'r'")
    _, second = looks(history(ACCEPTED, TRIGGERED), history(ACCEPTED, PROCESSING, TRIGGERED, marks=(repaired,)))
    assert codes(second) == ["late", "repaired"]


def test_a_gap_is_told_when_two_looks_have_seen_it_and_then_no_more() -> None:
    report = history(ACCEPTED, gaps=(GAP,))
    assert [codes(look) for look in looks(report, report, report)] == [[], ["E202"], []]


def test_a_gap_that_closes_at_once_is_never_told() -> None:
    seen = looks(history(ACCEPTED, gaps=(GAP,)), history(ACCEPTED, PROCESSING))
    assert [codes(look) for look in seen] == [[], []]


def test_a_contradiction_of_an_entry_that_was_shown_is_told_when_two_looks_have_seen_it() -> None:
    mark = Mark("H107", "state/1", "two of them")
    plain, marked = history(ACCEPTED), history(ACCEPTED, marks=(mark,))
    assert [codes(look) for look in looks(plain, marked, marked, marked)] == [[], [], ["H107"], []]


def test_a_contradiction_of_a_new_entry_comes_with_it() -> None:
    mark = Mark("H112", "state/1", "an unknown word")
    (look,) = looks(history(ACCEPTED, marks=(mark,)))
    assert codes(look) == ["H112"]
