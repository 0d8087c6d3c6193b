"""Repetitions of a long history are counted, and what is kept does not grow with them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.history.folding import LEAST_ALIKE, LEAST_CYCLES, LONGEST_CYCLE, Folder
from stovepipe_cli.reports import Fold

Item = tuple[int, str]


def fold(kinds: Sequence[str | None]) -> Folder[Item]:
    folder: Folder[Item] = Folder()
    for number, kind in enumerate(kinds):
        folder.add((number, kind or ""), kind)
    folder.finish()
    return folder


def unfolded(folder: Folder[Item]) -> list[str]:
    """The kinds that a reader of what was kept knows to have been there."""
    kinds: list[str] = []
    at = 0
    for each in folder.folds:
        kinds += [kind for _, kind in folder.kept[at : each.start]]
        cycle = [kind for _, kind in folder.kept[each.start : each.start + each.period]]
        kinds += cycle * (each.count // each.period)
        at = each.end
    return kinds + [kind for _, kind in folder.kept[at:]]


def test_a_run_of_one_kind_keeps_its_first_and_its_last() -> None:
    folder = fold(["x", *("a" * 9412), "y"])
    assert folder.kept == [(0, "x"), (1, "a"), (9412, "a"), (9413, "y")]
    assert folder.folds == [Fold(1, 1, 9412)]


@pytest.mark.parametrize("cycle", ["ab", "abc", "abcd"])
def test_a_cycle_keeps_its_first_and_its_last_round(cycle: str) -> None:
    folder = fold(cycle * 500)
    size = len(cycle)
    assert "".join(kind for _, kind in folder.kept) == cycle * 2
    assert [number for number, _ in folder.kept] == [*range(size), *range(499 * size, 500 * size)]
    assert folder.folds == [Fold(0, size, 500 * size)]


def test_the_beginning_of_another_round_stands_behind_the_fold() -> None:
    folder = fold("ababababa")
    assert folder.folds == [Fold(0, 2, 8)]
    assert folder.kept[-1] == (8, "a")


def test_a_run_can_follow_a_run() -> None:
    assert fold("a" * 7 + "b" * 8).folds == [Fold(0, 1, 7), Fold(2, 1, 8)]


@pytest.mark.parametrize("kinds", ["a" * (LEAST_ALIKE - 1), "ab" * (LEAST_CYCLES - 1), "abcde" * 9, ""])
def test_what_is_short_or_does_not_repeat_stays_whole(kinds: str) -> None:
    folder = fold(kinds)
    assert [kind for _, kind in folder.kept] == list(kinds)
    assert folder.folds == []


def test_an_item_without_a_kind_stands_alone_and_ends_a_run() -> None:
    folder = fold([*("a" * 5), None, *("a" * 5)])
    assert folder.folds == [Fold(0, 1, 5), Fold(3, 1, 5)]
    assert folder.kept[2] == (5, "")


def test_a_cut_divides_a_run() -> None:
    folder: Folder[Item] = Folder()
    for number in range(10):
        if number == 5:
            folder.cut()
        folder.add((number, "a"), "a")
    folder.finish()
    assert folder.folds == [Fold(0, 1, 5), Fold(2, 1, 5)]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=80))
def test_nothing_is_lost_and_nothing_is_said_twice(kinds: list[str | None]) -> None:
    folder = fold(kinds)
    assert unfolded(folder) == [kind or "" for kind in kinds]
    assert [number for number, _ in folder.kept] == sorted({number for number, _ in folder.kept})
    assert all(kinds[number] == (kind or None) for number, kind in folder.kept)


@given(st.text("abc", min_size=1, max_size=LONGEST_CYCLE), st.integers(20, 300))
def test_what_is_kept_of_a_repetition_does_not_grow(cycle: str, times: int) -> None:
    assert len(fold(cycle * times).kept) <= 3 * LONGEST_CYCLE
