"""Frames that replace one another on a terminal."""

from dataclasses import replace

import pytest

from stovepipe_cli.render.following import frame, further_lines, redrawn, rows_taken
from stovepipe_cli.reports import HistoryReport, Mark
from tests.support.report_samples import PIPE, REQUEST_ID, TERMINAL, entry, request_view

TEN = [f"line {number}" for number in range(10)]


def test_a_history_that_fits_is_drawn_whole() -> None:
    assert frame(TEN, TERMINAL, 11, is_reversed=False) == TEN


def test_of_a_longer_one_the_latest_part_is_drawn_and_the_rest_counted() -> None:
    drawn = frame(TEN, TERMINAL, 6, is_reversed=False)
    assert drawn == ["… 6 more lines; leave out --follow to see them", *TEN[6:]]
    assert frame(TEN, TERMINAL, 6, is_reversed=True) == [*TEN[:4], "… 6 more lines; leave out --follow to see them"]


def test_a_terminal_of_no_height_gets_one_line() -> None:
    assert len(frame(TEN, replace(TERMINAL, ascii_only=True), 0, is_reversed=False)) == 1


def test_the_first_frame_moves_nowhere() -> None:
    assert redrawn(["a", "b"], [], 80) == "a\x1b[K\nb\x1b[K\n\x1b[J"


def test_a_frame_is_drawn_over_the_one_before() -> None:
    assert redrawn(["c"], ["a", "b"], 80) == "\x1b[2Fc\x1b[K\n\x1b[J"


def test_a_frame_takes_the_rows_that_a_narrowed_terminal_gave_it() -> None:
    assert redrawn(["c"], ["x" * 80, "b"], 40).startswith("\x1b[3F")


@pytest.mark.parametrize(
    ("line", "rows"), [("", 1), ("x" * 20, 1), ("x" * 21, 2), ("\x1b[31m" + "x" * 20 + "\x1b[0m", 1), ("界" * 11, 2)]
)
def test_rows_are_counted_in_cells(line: str, rows: int) -> None:
    assert rows_taken(line, 20) == rows


def report(**changes: object) -> HistoryReport:
    made = HistoryReport(REQUEST_ID, None, request_view(), (entry("state/1", state="accepted"),), ())
    return replace(made, **changes)  # type: ignore[arg-type]  # the fields are named by the tests


def test_rows_go_on_without_a_header() -> None:
    (line,) = further_lines(report(), replace(PIPE, output="tsv"))
    assert line.split("\t")[1:3] == ["state/1", "accepted"]


def test_lines_of_objects_go_on_without_a_summary() -> None:
    marks = (Mark("late", "state/1", "it came late"),)
    first, second = further_lines(report(marks=marks), replace(PIPE, output="ndjson"))
    assert first.startswith('{"kind":"entry"')
    assert second == '{"kind":"mark","code":"late","log_id":"state/1","message":"it came late"}\n'


def test_a_timeline_goes_on_without_its_head() -> None:
    assert "".join(further_lines(report(), PIPE)) == "2026-08-20T08:00:00.000Z    ● accepted  state/1\n"


def test_a_timeline_goes_on_with_what_is_found_about_earlier_entries() -> None:
    gaps = (Mark("E202", "event/build_finished/bk-1", "gone"),)
    late = report(entries=(), entries_total=0, gaps=gaps, gap_positions=(0,), marks=(Mark("H107", "state/1", "two"),))
    text = "".join(further_lines(late, PIPE))
    assert "○ missing  event/build_finished/bk-1  E202 gone" in text
    assert "! state/1  H107 two" in text
    assert "no entry is retained" not in text
