"""Tables fit the terminal, and are whole everywhere."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import flow, fold_inks
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.table import grid

TERMINAL = RenderContext("x", output="table", is_terminal=True, width=80)
PIPE = RenderContext("x", output="table", width=20)
NARROW = replace(TERMINAL, width=40)
WHEN = "2025-11-26T08:19:54.940Z"


def test_columns_are_aligned_two_spaces_apart() -> None:
    text = grid(("id", "state"), [("request/1", "failed"), ("r/2", "ok")], TERMINAL)

    assert text == "id         state\nrequest/1  failed\nr/2        ok\n"


def test_numbers_can_stand_to_the_right() -> None:
    text = grid(("table", "insert"), [("request_log", "1"), ("build", "12")], TERMINAL, right=("insert",))

    assert text == "table        insert\nrequest_log       1\nbuild            12\n"


@pytest.mark.parametrize("first", ["漢字", "e\u0301a", "שלום", "🙂", "a\u200bb"])
def test_the_second_column_starts_at_one_cell_whatever_the_first_holds(first: str) -> None:
    head, *rows = grid(("first", "second"), [(first, "Z"), ("plain", "Z")], TERMINAL).splitlines()

    starts = {cell_len(row[: row.rindex("Z")]) for row in rows}
    assert len(starts) == 1
    assert starts == {cell_len(head[: head.index("second")])}


def test_the_header_row_can_be_left_out() -> None:
    assert grid(("id",), [("a",)], replace(TERMINAL, headers=False)) == "a\n"


def test_a_long_cell_folds_within_its_column_on_a_terminal() -> None:
    long = "".join(f"{number:03d}" for number in range(34))
    text = grid(("id", "value"), [("a", long)], TERMINAL)

    assert all(cell_len(line) <= 80 for line in text.splitlines())
    assert text.replace("\n", "").replace(" ", "") == "idvaluea" + long


def test_a_narrow_terminal_gets_a_block_a_row() -> None:
    text = grid(("id", "unit", "build"), [("task" * 5, "", "b" * 30)], replace(TERMINAL, width=40))

    assert text == "id     tasktasktasktasktask\nbuild  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"


def test_too_many_columns_for_the_terminal_become_a_block_a_row() -> None:
    columns = [f"column{number}" for number in range(9)]
    text = grid(columns, [["v" * 30] * 9], TERMINAL)

    assert text.splitlines()[0] == "column0  " + "v" * 30


def test_off_a_terminal_no_width_folds_or_cuts() -> None:
    text = grid(("id", "uri"), [("a", "u" * 300)], PIPE)

    assert text.splitlines()[1] == "a   " + "u" * 300


def test_spaces_at_the_end_of_the_last_cell_are_kept() -> None:
    assert grid(("id",), [("req/1 ",), ("req/1",)], PIPE) == "id\nreq/1 \nreq/1\n"


def test_chunks_that_do_not_fit_move_to_a_line_of_their_own() -> None:
    text = flow([Ink("a" * 50), Ink("b" * 40), Ink("c")], TERMINAL, head=[Ink("-> ")], hang=3)

    assert text == f"-> {'a' * 50}\n   {'b' * 40}  c\n"


def test_prose_breaks_at_words() -> None:
    text = flow([prose("one two three four five six seven")], replace(TERMINAL, width=20), hang=2)

    assert text == "one two three four\n  five six seven\n"


@given(st.text(alphabet="ab 漢e\u0301[]\\", max_size=60), st.integers(min_value=2, max_value=30))
def test_folding_data_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = ["".join(ink.text for ink in line) for line in fold_inks([Ink(text)], width)]

    assert "".join(lines) == text
    assert all(cell_len(line) <= width for line in lines)


@given(st.text(alphabet="ab 漢", max_size=60), st.integers(min_value=2, max_value=30))
def test_folding_prose_loses_only_spaces_and_fits(text: str, width: int) -> None:
    lines = ["".join(ink.text for ink in line) for line in fold_inks([prose(text)], width)]

    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert all(cell_len(line) <= width for line in lines)


def test_a_value_that_fits_below_its_name_is_not_broken_beside_it() -> None:
    text = fields_block([("commit leads to", [Ink(WHEN)]), ("builds", [prose("b-204 and no other")])], NARROW)

    assert text == f"commit leads to\n  {WHEN}\nbuilds           b-204 and no other\n"


def test_a_value_without_a_name_stands_below_without_an_empty_line() -> None:
    text = fields_block([("newest verdict is", [Ink("green")]), ("", [Ink(WHEN)])], NARROW)

    assert text == f"newest verdict is  green\n  {WHEN}\n"


def test_a_value_longer_than_the_line_is_broken_beside_its_name() -> None:
    text = fields_block([("schema", [Ink("x" * 50)])], NARROW)

    assert text == f"schema  {'x' * 32}\n        {'x' * 18}\n"


def test_cards_do_not_break_what_fits_on_a_line() -> None:
    text = grid(("project", "created_at (UTC)"), [("checkout of the shop", WHEN)], NARROW)

    assert text == f"project           checkout of the shop\ncreated_at (UTC)\n  {WHEN}\n"


def test_off_a_terminal_values_stand_beside_their_names() -> None:
    assert fields_block([("commit leads to", [Ink(WHEN)])], PIPE) == f"commit leads to  {WHEN}\n"
