"""The JSON Schema of what `json_form` makes of a type: its counterpart, written from the fields of the same classes."""

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from stovepipe_cli.reports.json_form import JsonValue

Schema = Mapping[str, JsonValue]

_PLAIN: Mapping[object, Schema] = {
    JsonValue: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    NoneType: {"type": "null"},
}
_NAMED: Mapping[object, str] = {str: "Text", float: "Number"}
_INSTANT = r"^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|-?\d+)$"
_VALUES = re.compile(r"\b(?:None|True|False)\b")
_DEFINITIONS: Mapping[str, Schema] = {
    "Text": {
        "description": "Text, or the bytes of an identifier that is no UTF-8.",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"base64": {"type": "string", "contentEncoding": "base64"}},
                "required": ["base64"],
                "additionalProperties": False,
            },
        ],
    },
    "Number": {
        "description": "A number, as text where JSON has none for it.",
        "anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}],
    },
    "Instant": {
        "description": "RFC 3339 in UTC with milliseconds; the number itself where no calendar has it.",
        "type": "string",
        "pattern": _INSTANT,
    },
}


class Definitions:
    """Collects the classes that a schema refers to, so that each is spelled out once, under `$defs`.

    Objects of a class are closed and hold every key; mappings are open. `TypeError` for a type without a JSON form,
    and for two classes of one name.
    """

    def __init__(self) -> None:
        self._made: dict[str, Schema] = {}
        self._kinds: dict[str, object] = {}

    def of(self, kind: object) -> Schema:
        """The schema of a type."""
        return self._of(kind, {})

    def properties(
        self, kind: type[object], *, but: Collection[str] = (), fixed: Mapping[str, JsonValue] | None = None
    ) -> Schema:
        """The closed object of a class, spelled out here, without the fields of `but`.

        `fixed` are keys with one value each that come first; a field of the same name appears as `item_` and its name.
        """
        return self._object(kind, {}, but, fixed or {})

    def form(self) -> Schema:
        """What stands under `$defs`, by name."""
        return dict(sorted(self._made.items()))

    def _of(self, kind: object, bound: Mapping[object, object]) -> Schema:
        kind = bound.get(kind, kind) if isinstance(kind, TypeVar) else kind
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind in _NAMED:
            return self._known(_NAMED[kind])
        return self._built(kind, bound)

    def _built(self, kind: object, bound: Mapping[object, object]) -> Schema:
        """The schema of a type that is made of others."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in {Union, UnionType}:
            return _any_of([self._of(each, bound) for each in arguments])
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(arguments, bound)
        if origin is not None and issubclass(origin, Sequence):
            return {"type": "array", "items": self._of(arguments[0], bound)}
        return self._class(kind, bound)

    def _mapping(self, arguments: Sequence[object], bound: Mapping[object, object]) -> Schema:
        key, value = arguments
        form: dict[str, JsonValue] = {"type": "object", "additionalProperties": self._of(value, bound)}
        if get_origin(key) is Literal:
            form["propertyNames"] = {"enum": list(get_args(key))}
        return form

    def _class(self, kind: object, bound: Mapping[object, object]) -> Schema:
        origin = get_origin(kind) or kind
        if not isinstance(origin, type) or not is_dataclass(origin):
            message = f"no JSON Schema for {kind}"
            raise TypeError(message)
        arguments = [bound.get(each, each) for each in get_args(kind)]
        name = "Of".join([origin.__name__, *(getattr(each, "__name__", str(each)) for each in arguments)])
        if self._kinds.setdefault(name, kind) != kind:
            message = f"two classes are called {name}"
            raise TypeError(message)
        if name not in self._made:
            # Before its fields are looked at, which may hold the class again.
            self._made[name] = {}
            own = dict(zip(getattr(origin, "__parameters__", ()), arguments, strict=True))
            self._made[name] = self._object(origin, own)
        return {"$ref": f"#/$defs/{name}"}

    def _object(
        self,
        kind: type[object],
        bound: Mapping[object, object],
        but: Collection[str] = (),
        fixed: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> Schema:
        shown = [each for each in _fields(kind) if each.metadata.get("json", True) and each.name not in but]
        names = {each.name for each in shown}
        properties: dict[str, JsonValue] = {name: {"const": value} for name, value in fixed.items()}
        for each in shown:
            form = self._instant(each, bound) if _tells_time(each.name, names) else self._of(each.type, bound)
            properties[f"item_{each.name}" if each.name in fixed else each.name] = form
        return {
            "description": _in_words_of_json(" ".join(inspect.cleandoc(kind.__doc__ or "").split())),
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def _instant(self, field: "Field[object]", bound: Mapping[object, object]) -> Schema:
        instant = self._known("Instant")
        return instant if field.type is str else _any_of([instant, self._of(NoneType, bound)])

    def _known(self, name: str) -> Schema:
        self._made[name] = _DEFINITIONS[name]
        return {"$ref": f"#/$defs/{name}"}


def _fields(kind: Any) -> tuple["Field[object]", ...]:  # noqa: ANN401 - a class whose being a dataclass was checked
    return fields(kind)


def _in_words_of_json(text: str) -> str:
    return _VALUES.sub(lambda match: {"None": "null", "True": "true", "False": "false"}[match[0]], text)


def _tells_time(name: str, names: set[str]) -> bool:
    """Whether a field is the text of the milliseconds beside it."""
    return f"{name}_ms" in names or (name == "time" and "timestamp_ms" in names)


def _any_of(forms: Sequence[Schema]) -> Schema:
    """One `type` of several names where that says it all."""
    if all(set(form) == {"type"} for form in forms):
        return {"type": [form["type"] for form in forms]}
    return {"anyOf": list(forms)}
