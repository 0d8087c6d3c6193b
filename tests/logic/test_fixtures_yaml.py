"""Strict YAML: text stays text, and what could mean two things is refused with its line."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io import yaml_document
from stovepipe_cli.fixtures_io.nodes import Fields, Items, Node, Text
from stovepipe_cli.fixtures_io.quick_yaml import quick_events
from stovepipe_cli.fixtures_io.values import as_fields, as_text
from stovepipe_cli.fixtures_io.yaml_document import parse_yaml

TRAPS = ("007", "1e3", "0x10", "no", "12:30:45", "2024-01-01", "~", "null", "yes", ".inf", "1_000", "=", "<<", "0o7")


def refusal(content: bytes | str) -> InvalidInput:
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(InvalidInput) as caught:
        parse_yaml(raw, "s.yaml")
    return caught.value


@pytest.mark.parametrize("text", TRAPS)
def test_a_scalar_stays_the_text_that_was_written(text: str) -> None:
    fields = as_fields(parse_yaml(f"id: {text}\n".encode(), "s.yaml"), "x")
    assert as_text(fields.require("id"), "id") == text


@pytest.mark.parametrize("text", TRAPS)
def test_a_key_stays_the_text_that_was_written(text: str) -> None:
    fields = as_fields(parse_yaml(f"{text}: 1\n".encode(), "s.yaml"), "x")
    assert list(fields.entries) == [text]


def test_an_empty_value_is_refused_where_text_is_wanted() -> None:
    fields = as_fields(parse_yaml(b"a: 1\nid:\n", "s.yaml"), "x")
    with pytest.raises(InvalidInput, match=r"^s\.yaml:2: id has no value$"):
        as_text(fields.require("id"), "id")


def test_an_empty_text_in_quotes_is_an_empty_text() -> None:
    assert as_text(as_fields(parse_yaml(b"id: ''\n", "s.yaml"), "x").require("id"), "id") == ""


def test_a_duplicate_key_is_refused_with_both_lines() -> None:
    error = refusal("rows:\n  - id: 1\n    uri: a\n    id: 2\n")
    assert error.message == "s.yaml:4: key 'id' already stands on line 2"
    assert error.exit_code == 2


def test_a_duplicate_key_is_refused_however_it_is_quoted() -> None:
    assert refusal("id: 1\n'id': 2\n").message == "s.yaml:2: key 'id' already stands on line 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nb: !!int 3\n", "s.yaml:2: tag 'tag:yaml.org,2002:int' is not read here"),
        ("a: !!python/object/apply:os.system [x]\n", "is not read here"),
        ("a: ! b\n", "s.yaml:1: tag '!' is not read here"),
        ("a: &x 1\nb: *x\n", "s.yaml:1: anchor '&x' is not read here"),
        ("a: 1\nb: *x\n", "s.yaml:2: alias '*x' is not read here"),
        ("a: 1\n---\nb: 2\n", "s.yaml:2: a second document starts here"),
        ("? [1, 2]\n: 3\n", "s.yaml:1: a key is not text"),
        ("a: [1\nb: 2\n", "s.yaml:2: this is not YAML: "),
        ("a: 1\n\tb: 2\n", "s.yaml:2: this is not YAML: "),
        ("a: 1\nb: \x07\n", "s.yaml:2: character U+0007 is not allowed in YAML"),
        ("a: 1\nb: x\0y\n", "s.yaml:2: there is a NUL character"),
        ("", "s.yaml is empty"),
        ("# nothing\n", "s.yaml is empty"),
    ],
)
def test_what_could_mean_something_else_is_refused(content: str, message: str) -> None:
    assert message in refusal(content).message


def test_bytes_that_are_not_utf_8_are_refused_with_their_line() -> None:
    assert refusal(b"a: 1\nb: \xff\xfe\n").message == "s.yaml:2: byte 0xff is not UTF-8"


def test_a_file_of_utf_16_is_refused() -> None:
    assert "is not UTF-8" in refusal("a: 1\n".encode("utf-16")).message


def test_a_byte_order_mark_is_skipped() -> None:
    assert list(as_fields(parse_yaml(b"\xef\xbb\xbfa: 1\n", "s.yaml"), "x").entries) == ["a"]


def test_an_expansion_bomb_is_refused_at_its_first_anchor() -> None:
    levels = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert refusal("\n".join(levels)).message == "s.yaml:1: anchor '&a0' is not read here"


def test_nesting_without_end_is_refused() -> None:
    assert refusal("a: " + "[" * 5000 + "]" * 5000).message == "s.yaml:1: nested more than 20 levels deep"


def test_a_file_beyond_the_limit_is_refused_unread() -> None:
    assert "the limit is" in refusal(b"#" * (yaml_document.MAX_BYTES + 1)).message


def test_every_node_knows_its_line() -> None:
    fields = as_fields(parse_yaml(b"a:\n  - 1\n  - {b: 2}\nc: |\n  text\n", "s.yaml"), "x")
    items = fields.require("a")
    assert isinstance(items, Items)
    assert [node.place.line for node in items] == [2, 3]
    assert fields.key_places["c"].line == 4


def outcome(content: bytes) -> str:
    try:
        return type(parse_yaml(content, "s.yaml")).__name__
    except InvalidInput as error:
        return error.message[: len("s.yaml")]


@given(st.binary(max_size=200))
def test_no_bytes_end_in_anything_but_a_node_or_a_refusal(content: bytes) -> None:
    assert outcome(content) in {"s.yaml", "Text", "Items", "Fields"}


@given(st.text(alphabet=":-[]{}#&*!|>'\"%@`,? \n\tab01~<=", max_size=60))
def test_no_punctuation_ends_in_anything_but_a_node_or_a_refusal(content: str) -> None:
    assert outcome(content.encode()) in {"s.yaml", "Text", "Items", "Fields"}


@pytest.mark.parametrize("content", ['id: "\\ud800"\n', '"\\udcff": x\n'])
def test_half_of_a_character_is_refused_with_its_line(content: str) -> None:
    assert refusal(content).message == "s.yaml:1: an escape stands for half of a character"


PIECES = (
    *"ab1{}[],#?%@~:-\"'\\\t\r\n\x85\u2028\ufeff\x7f\x01é\U0001f600",
    *(": ", "- ", ", ", " #", "? ", "    ", "---", "--- ", "...", "\n  ", "\n- ", "\r\n", "|\n", ">-\n", "&a ", "*a"),
    *("!x ", "\\n", "\\x", "\\u0041", "\\ud800", '"a"', "'b'", "''", "a: b", "key: v\n", "{a: b}", '{"c": d}'),
    *('"x\\"y"', "<<", ":a", "a:b", "[a, b]"),
)


def what_it_says(node: Node) -> object:
    """The whole of a node, with the line of each part."""
    if isinstance(node, Text):
        return node.value, node.is_quoted, node.place
    if isinstance(node, Items):
        return node.place, [what_it_says(each) for each in node.items]
    assert isinstance(node, Fields)
    return node.place, [(key, node.key_places[key], what_it_says(each)) for key, each in node.entries.items()]


def answer(text: str) -> object:
    try:
        return what_it_says(parse_yaml(text.encode(), "f.yaml"))
    except InvalidInput as error:
        return error.message, error.hint


@settings(max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=16).map("".join))
def test_the_quick_reader_changes_no_answer(text: str) -> None:
    found = answer(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(yaml, "CBaseLoader", raising=False)
        assert found == answer(text)


@pytest.mark.skipif(not hasattr(yaml, "CBaseLoader"), reason="the library was built without its C part")
def test_a_dump_is_read_by_the_quick_reader_alone() -> None:
    line = '- {id: "1", state: succeeded, version: 3, uri: "git://origin/main?x", note: "tab\\there"}\n'
    events = quick_events(f"format: 1\nrows:\n  request:\n    {line}")
    assert events is not None
    assert sum(isinstance(event, yaml.ScalarEvent) for event in events) == 14
