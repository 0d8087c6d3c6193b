"""The timeline: every entry, and in place what is missing or doubtful."""

from dataclasses import replace
from datetime import timedelta, timezone
from textwrap import dedent

import pytest
from rich.cells import cell_len

from stovepipe_cli.history.arrangement import reverse
from stovepipe_cli.render.output import hints
from stovepipe_cli.reports import Fold, HistoryEntry, HistoryReport, Mark
from tests.support.report_samples import (
    FACT_ID,
    HOSTILE,
    PIPE,
    REQUEST_ID,
    START_MS,
    TERMINAL,
    entry,
    request_view,
    shown,
)

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
        accepted    2026-08-20T08:00:00.000Z
        ended       2026-08-20T08:14:00.000Z  after 14m

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

    assert lines[9] == "2026-08-20T08:00:00.000Z           ● accepted                    state/1"
    assert lines[13].endswith("● failed build_failed         state/3  build_id bk-1")
    assert lines[15].endswith(f"· validation_fact_recorded  {FACT_ID}  fact_degree 0.25  repaired by 0192f0c1")
    assert f"E202 build 'bk-1' of request '{REQUEST_ID}' has no such entry" in lines[12]


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
    report = history(entry("state/1", state="accepted"), entry("state/2", 2000, state="processing"))
    text = shown(reverse(report), TERMINAL)

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


MENDABLE = replace(REPORT, gaps=(replace(REPORT.gaps[0], is_mendable=True), *REPORT.gaps[1:]))


def test_the_next_command_is_the_reports_own_or_a_plan_of_the_request() -> None:
    assert hints(MENDABLE, TERMINAL) == (
        "next: stovepipe repair plan -q monorepo/main --request request/monorepo/main/107",
    )
    assert hints(replace(REPORT, repairs=("stovepipe x",)), TERMINAL) == ("next: stovepipe x",)
    assert hints(history(entry("state/1", state="accepted")), TERMINAL) == ()


def test_of_a_request_that_is_older_than_all_history_it_is_said_that_nothing_is_missing() -> None:
    (sentence,) = hints(replace(history(), is_legacy=True), TERMINAL)
    assert sentence == "the request is older than the history of its queue, and nothing is missing of it"


def test_what_cannot_be_mended_is_to_be_explained() -> None:
    codes = ("E202", "H105", "H113")
    report = replace(
        history(), marks=tuple(Mark(code, "state/1", "x") for code in (*codes, "H105", "repaired", "H106"))
    )
    assert hints(report, TERMINAL) == tuple(f"next: stovepipe rules explain {code}" for code in codes)


def test_no_plan_is_advised_where_nothing_can_be_mended() -> None:
    assert not [line for line in hints(REPORT, TERMINAL) if "repair plan" in line]


def test_where_the_request_may_be_older_than_all_history_verify_is_advised_and_no_plan() -> None:
    sentence, command = hints(replace(MENDABLE, is_legacy=None), TERMINAL)
    assert (
        sentence == "nothing is missing if the request is older than the history of its queue, which verify finds out"
    )
    assert command == "next: stovepipe verify -q monorepo/main --request request/monorepo/main/107"


NOW = replace(TERMINAL, now_ms=START_MS + 90_000_000)
WIDE = replace(NOW, width=160)


def test_a_terminal_tells_how_long_ago_it_was() -> None:
    text = shown(REPORT, NOW)

    assert "accepted    2026-08-20T08:00:00.000Z  1d1h ago\n" in text
    assert "2026-08-20 UTC  1d1h ago\n" in text
    assert "08:00:00.000           ● accepted" in text


def test_a_wide_terminal_tells_it_of_every_entry() -> None:
    assert "08:14:00.000  +13m57s    1d ago  ● failed build_failed" in shown(REPORT, WIDE)


def test_a_pipe_is_never_told_how_long_ago_it_was() -> None:
    assert " ago" not in shown(REPORT, replace(PIPE, now_ms=NOW.now_ms))


def test_an_entry_of_a_clock_ahead_is_to_come() -> None:
    assert "in 10s" in shown(history(entry("state/1", state="accepted")), replace(TERMINAL, now_ms=START_MS - 10_000))
    assert "just now" in shown(history(entry("state/1", state="accepted")), replace(TERMINAL, now_ms=START_MS + 900))


def test_the_head_tells_when_a_request_ended_and_how_long_it_took() -> None:
    assert "ended       2026-08-20T08:14:00.000Z  1d ago  after 14m\n" in shown(REPORT, NOW)


def test_the_head_of_a_request_under_way_tells_when_it_last_moved() -> None:
    running = replace(request_view(), state="processing", version=2)
    report = HistoryReport(REQUEST_ID, None, running, REPORT.entries[:3], ())

    assert "last entry  2026-08-20T08:00:02.500Z" in shown(report, NOW)


def test_an_accepted_state_of_another_version_is_no_acceptance() -> None:
    assert "accepted    2026" not in shown(history(entry("state/3", state="accepted")), NOW)


def test_the_end_of_a_build_tells_how_long_it_ran() -> None:
    report = history(entry("event/build_triggered/b/1"), entry("event/build_finished/b/1", 65_000))

    assert "build_finished  took 1m5s  event/build_finished/b/1" in shown(report, NOW)


def test_the_end_of_another_build_tells_nothing_of_it() -> None:
    report = history(entry("event/build_triggered/1"), entry("event/build_finished/2", 65_000))

    assert "took" not in shown(report, NOW)


def test_builds_that_follow_one_another_are_folded_as_one() -> None:
    builds = [
        entry(f"event/{name}/b-{number}", 2000 * number + 1000 * step)
        for number in range(4706)
        for step, name in enumerate(("build_triggered", "build_finished"))
    ]
    text = shown(history(*builds), replace(TERMINAL, width=100))

    assert "· build_triggered, build_finished  x 4,706  9,412 entries" in text
    assert "event/build_triggered/b-0" in text
    assert "… event/build_finished/b-4705" in text
    assert "until 10:36:51.000" in text
    assert "9,412 entries (9,408 folded, --all shows each)" in text


def test_a_fold_that_lasts_into_another_day_ends_with_its_whole_time() -> None:
    report = history(*(entry(f"event/sung/{number}", 86_400_000 * number) for number in range(9)))

    assert "until 2026-08-28T08:00:00.000Z" in shown(report, TERMINAL)


def test_what_is_said_of_each_folded_entry_is_said_once_and_counted() -> None:
    marks = tuple(Mark("E204", each.log_id, "no such build") for each in events(100))
    text = shown(replace(history(*events(100)), marks=marks), TERMINAL)

    assert text.count("E204") == 1
    assert "! E204 no such build, and alike in each" in text
    assert "100 remarks" in text


def test_an_entry_with_something_else_to_be_said_of_it_is_no_part_of_a_fold() -> None:
    report = replace(history(*events(20)), marks=(Mark("E204", "event/build_triggered/bk-9", "no such build"),))
    text = shown(report, TERMINAL)

    assert "x 9" in text
    assert "x 10" in text
    assert "· build_triggered  event/build_triggered/bk-9\n" in text


def test_nothing_folds_where_every_entry_was_asked_for() -> None:
    assert shown(replace(history(*events(20)), may_fold=False), TERMINAL).count("· build_triggered") == 20


def test_detail_can_be_the_reports_own_wish() -> None:
    assert "build_id bk-1" in shown(replace(REPORT, is_detailed=True), TERMINAL)


def test_what_came_while_somebody_looked_is_told() -> None:
    text = shown(replace(REPORT, fresh={"state/3": "late", FACT_ID: "new"}), replace(TERMINAL, width=100))

    assert "● failed build_failed  late  state/3" in text
    assert "· validation_fact_recorded  new\n" in text


def test_the_command_that_mends_stands_under_the_gaps_of_one_place() -> None:
    mendable = tuple(replace(gap, is_mendable=True) for gap in REPORT.gaps)
    text = shown(replace(REPORT, gaps=mendable, gap_positions=(5, 5)), replace(TERMINAL, width=120))

    command = "→ stovepipe repair plan -q monorepo/main --request request/monorepo/main/107"
    assert text.count(command) == 1
    assert text.index("A401") < text.index(command)


def test_a_command_on_a_narrow_terminal_breaks_between_its_words() -> None:
    mendable = tuple(replace(gap, is_mendable=True) for gap in REPORT.gaps)
    text = shown(replace(REPORT, gaps=mendable), replace(TERMINAL, width=40))

    assert "    → stovepipe repair plan -q\n      monorepo/main --request\n" in text


def test_bytes_that_nobody_can_type_are_in_no_command() -> None:
    report = HistoryReport("a\udcff", None, request_view(), (), (Mark("H103", "state/1", "gone", is_mendable=True),))

    assert "repair plan" not in shown(replace(report, gap_positions=(0,)), TERMINAL)


def test_a_gap_inside_a_fold_stands_before_it() -> None:
    folds = (Fold(1, 2, 100),)
    entries = (entry("state/1", state="accepted"), *events(4))
    report = replace(
        history(*entries, gaps=(Mark("E201", "event/build_triggered/x", "gone"),), positions=(2,)),
        folds=folds,
        entries_total=101,
    )
    text = shown(report, TERMINAL)

    assert text.index("accepted  state/1") < text.index("E201") < text.index("x 50")


def test_earlier_entries_that_are_not_shown_are_counted_where_they_would_stand() -> None:
    report = replace(history(entry("state/2", state="processing")), entries_total=8)
    lines = shown(report, TERMINAL).splitlines()
    newest_first = shown(reverse(report), TERMINAL).splitlines()

    assert "… 7 earlier entries not shown" in lines
    assert lines.index("… 7 earlier entries not shown") < next(at for at, line in enumerate(lines) if "●" in line)
    assert newest_first.index("… 7 earlier entries not shown") > next(
        at for at, line in enumerate(newest_first) if "●" in line
    )
