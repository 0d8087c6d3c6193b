"""The JSON Schema of the document around an answer, and of its line form."""

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args, get_origin

from stovepipe_cli.render.context import ErrorView, ReplicaView, TargetView
from stovepipe_cli.render.json_output import SCHEMA
from stovepipe_cli.render.projection import LINES
from stovepipe_cli.reports import JsonValue, Verdict
from stovepipe_cli.reports.exit_codes import EXIT_CODES
from stovepipe_cli.reports.json_schema import Definitions, Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_CODES: Sequence[JsonValue] = [each.code for each in EXIT_CODES]
_FAILED = "error"


def schema_id(command: str, *, is_line: bool) -> str:
    """The identifier of a schema: the same for every release that prints this shape."""
    return f"urn:{SCHEMA.replace('/', ':')}:{command.replace(' ', '-')}:{'line' if is_line else 'document'}"


def document_schema(command: str, spellings: Sequence[str], answers: Sequence[object]) -> Schema:
    """What `-o json` prints: `answers` are the classes that `data` may be of, `spellings` the words for the command."""
    definitions = Definitions()
    data = _one_of([definitions.of(each) for each in answers])
    return {
        **_head(command, spellings, is_line=False),
        **_document(spellings, data, definitions, {}),
        "$defs": definitions.form(),
    }


def line_schema(command: str, spellings: Sequence[str], answers: Sequence[object]) -> Schema:
    """What each line of `-o ndjson` is: an item by its `kind`, or the summary, which is the last."""
    definitions = Definitions()
    kinds: dict[str, list[Schema]] = {}
    for answer in answers:
        for kind, item in _items(answer):
            kinds.setdefault(kind, []).append(definitions.properties(item, fixed={"kind": kind}))
    summary = _one_of([_without_items(answer, definitions) for answer in answers])
    forms = [form for same in kinds.values() for form in same]
    forms.append(_document(spellings, summary, definitions, {"kind": {"const": "summary"}}))
    return {
        **_head(command, spellings, is_line=True),
        "anyOf": forms,
        "$defs": definitions.form(),
    }


def _head(command: str, spellings: Sequence[str], *, is_line: bool) -> Schema:
    what = "A line of" if is_line else "The document of"
    return {
        "$schema": DIALECT,
        "$id": schema_id(command, is_line=is_line),
        "title": f"{what} 'stovepipe {spellings[0]} -o {'ndjson' if is_line else 'json'}'",
    }


def _document(spellings: Sequence[str], data: Schema, definitions: Definitions, before: Schema) -> Schema:
    """The envelope: either with an answer, whatever its verdict, or with what went wrong."""
    properties: dict[str, JsonValue] = {
        **before,
        "schema": {"const": SCHEMA},
        "command": {"enum": list(spellings)},
        "queue": definitions.of(str | None),
        "target": definitions.of(TargetView | ReplicaView | None),
        "verdict": {"enum": list(get_args(Verdict))},
        "exit_code": {"enum": _CODES},
        "data": {"anyOf": [data, {"type": "null"}]},
        "errors": {"type": "array", "items": definitions.of(ErrorView)},
    }
    answered: Schema = {"data": {"not": {"type": "null"}}, "errors": {"maxItems": 0}}
    failed: Schema = {
        "verdict": {"const": _FAILED},
        "exit_code": {"not": {"const": 0}},
        "data": {"type": "null"},
        "errors": {"minItems": 1},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "oneOf": [{"properties": answered}, {"properties": failed}],
    }


def _items(answer: object) -> Iterator[tuple[str, type[object]]]:
    """The lines of an answer: their kinds, and the classes of their items."""
    origin = get_origin(answer) or answer
    kinds = LINES.get(getattr(origin, "__name__", ""), {})
    for field, kind in kinds.items():
        yield kind, (get_args(answer) or (_item_type(_types(origin)[field]),))[0]


def _item_type(kind: object) -> type[object]:
    """The class of the items in a tuple or sequence, which nobody may have asked for."""
    found = get_args(kind)[0]
    return found if isinstance(found, type) and not get_args(found) else _item_type(found)


def _without_items(answer: object, definitions: Definitions) -> Schema:
    origin = get_origin(answer) or answer
    if not isinstance(origin, type):
        message = f"{answer} is no class"
        raise TypeError(message)
    return definitions.properties(origin, but=LINES.get(origin.__name__, ()))


def _types(kind: object) -> Mapping[str, object]:
    return {name: each.type for name, each in getattr(kind, "__dataclass_fields__", {}).items()}


def _one_of(forms: Sequence[Schema]) -> Schema:
    return forms[0] if len(forms) == 1 else {"anyOf": list(forms)}
