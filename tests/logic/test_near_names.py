"""What a mistyped name was meant to be."""

import pytest

from stovepipe_cli.near_names import did_you_mean, near_names

CODES = ("H101", "H102", "H110", "H111", "E101", "U501")


@pytest.mark.parametrize(
    ("wanted", "known", "expected"),
    [
        ("H1O1", CODES, ("H101",)),
        ("h1o1", CODES, ("H101",)),
        ("Hl11", CODES, ("H111",)),
        ("MAIN", ("main", "mane"), ("main",)),
        ("Demo/Main", ("demo/main", "Demo/Main2"), ("demo/main",)),
        ("shwo", ("list", "show"), ("show",)),
        ("xyz", ("list", "show"), ()),
        ("", ("list",), ()),
        ("a", (), ()),
    ],
)
def test_the_names_that_look_like_it_are_near(wanted: str, known: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert near_names(wanted, known) == expected


def test_names_that_look_the_same_are_all_named() -> None:
    assert near_names("main", ("Main", "MAIN", "mine")) == ("Main", "MAIN")


def test_no_more_are_named_than_asked_for() -> None:
    assert len(near_names("H1", CODES, cutoff=0.1, most=2)) == 2


def test_the_question_names_each_in_quotes() -> None:
    assert did_you_mean("main", ("Main", "MAIN")) == "did you mean 'Main' or 'MAIN'?"
    assert did_you_mean("zzz", ("Main",)) is None
