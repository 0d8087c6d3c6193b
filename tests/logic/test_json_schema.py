"""A schema made from a class is what `json_form` makes of its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from typing import Generic, Literal, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stovepipe_cli.reports import JsonValue, json_form
from stovepipe_cli.reports.json_schema import Definitions

T = TypeVar("T")
Colour = Literal["red", "green"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One; None where there is none, and True where there is."""

    name: str
    colour: Colour | None
    size: float


@dataclass(frozen=True, slots=True)
class Tree(Generic[T]):
    """Holds leaves."""

    kind: str
    items: tuple[T, ...]
    counts: Mapping[Colour, int]
    row: Mapping[str, JsonValue] | None
    is_whole: bool
    grown_at_ms: int | None
    grown_at: str | None
    hidden: int = field(default=0, metadata={"json": False})


@cache
def judge(kind: object) -> Draft202012Validator:
    definitions = Definitions()
    schema = {**definitions.of(kind), "$defs": definitions.form()}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


# Bytes that are no UTF-8 stand in a string as this does.
texts = st.text() | st.just("t\udcff")
leaves = st.builds(Leaf, texts, st.sampled_from(["red", "green", None]), st.floats())
json_values = st.none() | st.integers() | texts | st.dictionaries(texts, st.lists(st.integers()))
trees = st.builds(
    Tree,
    texts,
    st.lists(leaves).map(tuple),
    st.dictionaries(st.sampled_from(["red", "green"]), st.integers()),
    st.none() | st.dictionaries(texts, json_values),
    st.booleans(),
    st.none() | st.integers(),
    st.sampled_from(["2026-01-01T12:00:00.000Z", "-62135596800001", None]),
)


@given(trees)
def test_every_value_of_a_class_is_as_its_schema_says(tree: Tree[Leaf]) -> None:
    assert list(judge(Tree[Leaf]).iter_errors(json_form(tree))) == []


@given(leaves)
def test_a_value_of_another_class_is_not(leaf: Leaf) -> None:
    assert not judge(Tree[Leaf]).is_valid(json_form(leaf))


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "blue"},
        {"name": None},
        {"name": {"base64": 1}},
        {"size": "wide"},
        {"further": 1},
    ],
)
def test_a_value_of_another_type_is_not(change: dict[str, object]) -> None:
    form = {"name": "n", "colour": None, "size": 1.5}
    assert judge(Leaf).is_valid(form)
    assert not judge(Leaf).is_valid(form | change)


def test_a_field_that_is_left_out_of_json_is_left_out_of_the_schema() -> None:
    definitions = Definitions()
    definitions.of(Tree[Leaf])
    assert "hidden" not in str(definitions.form())


def test_a_fixed_key_takes_the_place_of_a_field_of_its_name() -> None:
    schema = Definitions().properties(Tree, fixed={"kind": "item"}, but={"items", "counts", "row"})
    assert schema["required"] == ["kind", "item_kind", "is_whole", "grown_at_ms", "grown_at"]


def test_a_description_speaks_of_json() -> None:
    definitions = Definitions()
    definitions.of(Leaf)
    assert "'One; null where there is none, and true where there is.'" in str(definitions.form())


def test_a_class_is_spelled_out_once() -> None:
    definitions = Definitions()
    assert definitions.of(Leaf) == definitions.of(Leaf) == {"$ref": "#/$defs/Leaf"}


def test_two_classes_of_one_name_are_refused() -> None:
    definitions = Definitions()
    definitions.of(make_dataclass("Same", [("a", int)]))
    with pytest.raises(TypeError, match="two classes are called Same"):
        definitions.of(make_dataclass("Same", [("b", int)]))


def test_a_type_without_a_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON Schema for"):
        Definitions().of(bytes)
