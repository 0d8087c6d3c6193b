"""What a terminal would act on, or not show at all, is spelled out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.render.sanitise import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\nc\rd", "a\\tb\\nc\\rd"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202eevil", "\\u202eevil"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("a\u3164b\ufe0f", "a\\u3164b\\ufe0f"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("not utf-8: \udcff", "not utf-8: \\xff"),
        ("lone \ud800", "lone \\ud800"),
    ],
)
def test_a_character_that_acts_or_hides_is_spelled_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["[/x]", "[red]", ":smile:", "\\[", "漢字 é שלום", "a\u00a0b", "e\u0301"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_making_visible_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text())
def test_nothing_visible_is_a_control_or_a_surrogate(text: str) -> None:
    assert all(ord(character) >= 0x20 and not 0x7F <= ord(character) <= 0x9F for character in visible(text))
    assert not any(0xD800 <= ord(character) <= 0xDFFF for character in visible(text))
