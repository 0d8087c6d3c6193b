"""The scenarios that come with the tool, by their names."""

import pytest

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names, near_miss_names
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario


def test_near_misses_go_by_the_names_of_their_folder() -> None:
    assert bundled("near-misses/h101").queue == "near/h101"
    assert all(name.startswith("near-misses/") for name in near_miss_names())


def test_near_misses_are_not_among_the_scenarios_of_damage() -> None:
    assert not set(near_miss_names()) & set(bundled_names())


def test_a_mistyped_near_miss_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput) as caught:
        bundled("near-mises/h101")
    assert caught.value.hint == "did you mean 'near-misses/h101'?"


def test_a_scenario_can_name_the_one_that_must_stand_beside_it() -> None:
    text = b"format: 1\nqueue: demo/main\nexpect: {beside: near-misses/h114}\n"
    assert read_scenario(text, "s.yaml").expectation.beside == "near-misses/h114"


def test_what_must_stand_beside_it_is_bundled_too() -> None:
    beside = {bundled(name).expectation.beside for name in bundled_names()} - {None}
    assert beside
    assert beside <= {*bundled_names(), *near_miss_names()}
