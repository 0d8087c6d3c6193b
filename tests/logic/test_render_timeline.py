"""The timeline: every entry, and in place what is missing or doubtful."""

from dataclasses import replace
from datetime import timedelta, timezone
from textwrap import dedent

import pytest
from rich.cells import cell_len

from stovepipe_cli.render.output import hints
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark
from tests.support.report_samples import FACT_ID, HOSTILE, PIPE, REQUEST_ID, TERMINAL, entry, request_view, shown

BASE = "git://monorepo/1a2b"
REPORT = HistoryReport(
    request_id=REQUEST_ID,
    uri="git://monorepo/9f8e",
    request=request_view(base_uri=BASE),
    entries=(
        entry("state/1", state="accepted"),
        entry("state/2", 2113, state="processing", metadata={"base_uri": BASE}),
        entry("event/build_triggered/bk-1", 2500, metadata={"build_id": "bk-1"}),
        entry("state/3", 840_000, state="failed", reason="build_failed", metadata={"build_id": "bk-1"}),
        entry(FACT_ID, 841_123, metadata={"fact_degree": "0.25", "repair_run_id": "0192f0c1"}),
    ),
    gaps=(
        Mark("E202", "event/build_finished/bk-1", f"build 'bk-1' of request '{REQUEST_ID}' has no such entry"),
        Mark("A401", "", "there is no acceptance mapping"),
    ),
    marks=(
        Mark("H113", "state/3", "its time lies before that of state 2"),
        Mark("repaired", FACT_ID, "written by repair run '0192f0c1'"),
    ),
    gap_positions=(3, 5),
)


def events(count: int) -> tuple[HistoryEntry, ...]:
    return tuple(
        entry(f"event/build_triggered/bk-{number}", number * 1000, metadata={"build_id": f"bk-{number}"})
        for number in range(count)
    )


def history(*entries: HistoryEntry, gaps: tuple[Mark, ...] = (), positions: tuple[int, ...] = ()) -> HistoryReport:
    return HistoryReport(REQUEST_ID, None, request_view(), entries, gaps, gap_positions=positions)


def test_a_terminal_shows_entries_with_gaps_and_remarks_in_place() -> None:
    assert shown(REPORT, TERMINAL) == dedent(
        """\
        request     request/monorepo/main/107
        queue       monorepo/main
        uri         git://monorepo/9f8e
        state       failed  version 3
        strategy    incremental_since_green  from git://monorepo/1a2b
        decided by  build bk-1

        2026-08-20 UTC
        08:00:00.000           ● accepted  state/1
        08:00:02.113      +2s  ● processing  state/2
        08:00:02.500   +387ms    · build_triggered  event/build_triggered/bk-1
                                 ○ missing  event/build_finished/bk-1
                                   E202 build 'bk-1' has no such entry
        08:14:00.000  +13m57s  ● failed build_failed  state/3  build_id bk-1
                                 ! H113 its time lies before that of state 2
        08:14:01.123      +1s    · validation_fact_recorded
                                   event/validation_fact_recorded/f57b5dc59f9b52a2a9e498
                                   546cd07f1afa315db390a39a3a3ce22d22a4978ada
                                   fact_degree 0.25  repaired by 0192f0c1
                               ○ missing  A401 there is no acceptance mapping

        5 entries, 2 missing, 1 remark; times in UTC, + since the entry before
        """
    )


def test_a_pipe_gets_a_line_an_entry_with_the_whole_time_and_all_metadata() -> None:
    lines = shown(REPORT, PIPE).splitlines()

    assert lines[7] == "2026-08-20T08:00:00.000Z           ● accepted                    state/1"
    assert lines[11].endswith("● failed build_failed         state/3  build_id bk-1")
    assert lines[13].endswith(f"· validation_fact_recorded  {FACT_ID}  fact_degree 0.25  repaired by 0192f0c1")
    assert f"E202 build 'bk-1' of request '{REQUEST_ID}' has no such entry" in lines[10]


def test_a_terminal_without_unicode_gets_ascii_marks() -> None:
    text = shown(REPORT, replace(TERMINAL, ascii_only=True))

    assert text.isascii()
    assert "* accepted" in text
    assert "- build_triggered" in text
    assert "o missing" in text


@pytest.mark.parametrize("width", [24, 40, 59, 60, 80, 119, 120, 200])
def test_nothing_is_cut_and_nothing_is_wider_than_the_terminal(width: int) -> None:
    text = shown(REPORT, replace(TERMINAL, width=width))

    assert all(cell_len(line) <= width for line in text.splitlines())
    solid = "".join(text.split())
    assert all(each.log_id in solid for each in REPORT.entries)
    assert all(each.code in solid and each.log_id in solid for each in REPORT.gaps)


def test_a_run_of_like_entries_is_folded_on_a_terminal() -> None:
    text = shown(history(entry("state/1", state="accepted"), *events(9412)), TERMINAL)

    assert "build_triggered  x 9,412" in text
    assert "bk-9411" in text
    assert "bk-4711" not in text


def test_a_run_is_not_folded_off_a_terminal_nor_where_detail_is_asked_for() -> None:
    report = history(*events(10))

    assert shown(report, PIPE).count("· build_triggered") == 10
    assert shown(report, replace(TERMINAL, detail=True)).count("· build_triggered") == 10


def test_a_gap_divides_a_run() -> None:
    report = history(*events(10), gaps=(Mark("E202", "event/build_finished/bk-4", "gone"),), positions=(5,))

    assert shown(report, TERMINAL).count("x 5") == 2


def test_a_run_ends_where_entries_were_repaired() -> None:
    repaired = [replace(each, metadata={"repair_run_id": "r1"}) for each in events(12)[6:]]

    assert shown(history(*events(6), *repaired), TERMINAL).count("x 6") == 2


def test_reversed_entries_count_from_the_earlier_entry_all_the_same() -> None:
    text = shown(history(entry("state/2", 2000, state="processing"), entry("state/1", state="accepted")), TERMINAL)

    assert "08:00:02.000  +2s  ● processing" in text


def test_times_stand_in_the_zone_that_the_day_and_the_legend_name() -> None:
    zoned = replace(TERMINAL, zone=timezone(timedelta(hours=2)), zone_name="Europe/Berlin")
    text = shown(history(entry("state/1", state="accepted")), zoned)

    assert "2026-08-20 Europe/Berlin +02:00\n10:00:00.000" in text
    assert "times in Europe/Berlin" in text


def test_what_is_missing_at_the_beginning_stands_under_the_first_day() -> None:
    report = history(
        entry("state/2", state="processing"), gaps=(Mark("H103", "state/1", "it is gone"),), positions=(0,)
    )

    assert "2026-08-20 UTC\n                ○ missing  state/1  H103 it is gone\n08:00:00.000" in shown(
        report, TERMINAL
    )


def test_a_new_day_is_announced() -> None:
    report = history(entry("state/1", state="accepted"), entry("state/2", 86_400_000, state="processing"))

    assert "2026-08-21 UTC\n08:00:00.000  +1d  ● processing" in shown(report, TERMINAL)


def test_a_time_beyond_the_calendar_is_shown_as_its_number() -> None:
    late = replace(entry("state/1", state="accepted"), timestamp_ms=2**62)

    assert f"{2**62}" in shown(history(late), TERMINAL)


def test_a_request_without_entries_says_so() -> None:
    text = shown(history(gaps=(Mark("H101", "", "the request has no entry at all"),), positions=(0,)), TERMINAL)

    assert "no entry is retained\n" in text
    assert "○ missing  H101 the request has no entry at all" in text
    assert "0 entries, 1 missing" in text


def test_entries_without_a_request_say_so() -> None:
    report = HistoryReport(REQUEST_ID, None, None, (entry("state/1", state="accepted"),), (), gap_positions=())

    assert "unknown: there is no such request row" in shown(report, TERMINAL)


def test_metadata_that_is_no_object_is_shown_as_it_is_stored() -> None:
    assert "metadata [1, 2]" in shown(history(entry("state/1", state="accepted", metadata="[1, 2]")), TERMINAL)


def test_metadata_that_says_nothing_known_is_counted_on_a_terminal_and_shown_with_detail() -> None:
    report = history(entry("state/1", state="accepted", metadata={"note": "a", "other": "b"}))

    assert "2 more metadata keys" in shown(report, TERMINAL)
    assert "note a  other b" in shown(report, replace(TERMINAL, detail=True))


def test_a_base_that_differs_from_the_requests_own_is_shown() -> None:
    other = replace(REPORT, entries=(entry("state/2", state="processing", metadata={"base_uri": "git://else"}),))

    assert "base_uri git://else" in shown(replace(other, gaps=(), gap_positions=()), TERMINAL)


@pytest.mark.parametrize("text", HOSTILE)
def test_data_is_shown_literally(text: str) -> None:
    report = HistoryReport(
        text,
        text,
        request_view(request_id=text),
        (entry("state/1", state=text, reason=text, metadata={text: text}),),
        (),
    )

    answer = shown(report, PIPE)
    assert answer.count(text) >= 5
    assert "\x1b" not in answer
    assert "…" not in answer


def test_colour_comes_only_with_the_context() -> None:
    assert "\x1b[1maccepted\x1b[0m" in shown(REPORT, replace(TERMINAL, colour=True))
    assert "\x1b[31mmissing\x1b[0m" in shown(REPORT, replace(TERMINAL, colour=True))
    assert "\x1b" not in shown(REPORT, TERMINAL)


def test_the_next_command_is_the_reports_own_or_a_plan_of_the_request() -> None:
    assert hints(REPORT, TERMINAL) == (
        "next: stovepipe repair plan -q monorepo/main --request request/monorepo/main/107",
    )
    assert hints(replace(REPORT, repairs=("stovepipe x",)), TERMINAL) == ("next: stovepipe x",)
    assert hints(history(entry("state/1", state="accepted")), TERMINAL) == ()
