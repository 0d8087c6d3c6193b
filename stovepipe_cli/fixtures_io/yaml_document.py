"""Strict YAML: one document of mappings, lists and text, and nothing that changes what a text says.

Scalars are never given a type, so `007`, `no` and `2024-01-01` stay the text they are. Refused with their
line: keys that come twice, anchors and aliases, tags, a second document, deep nesting, NUL, and what is not UTF-8.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import yaml

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.nodes import Fields, Items, Node, Place, Text
from stovepipe_cli.fixtures_io.quick_yaml import Doubtful, quick_events
from stovepipe_cli.keys import is_text

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 20

_BOM = b"\xef\xbb\xbf"


def parse_yaml(content: bytes, file: str) -> Node:
    """The document in `content`; `file` names it in errors, all of them `InvalidInput`."""
    if len(content) > MAX_BYTES:
        raise InvalidInput(
            f"{file} has {len(content)} bytes, the limit is {MAX_BYTES}", hint="split it, or generate rows instead"
        )
    text = _decode(content.removeprefix(_BOM), file)
    quick = quick_events(text)
    if quick is not None:
        # Whatever is refused or in doubt is read once more by the strict reader, whose word and sentence count.
        with suppress(Doubtful, yaml.YAMLError, InvalidInput):
            return _Builder(quick, file).document()
    try:
        return _Builder(iter(yaml.parse(text, Loader=yaml.BaseLoader)), file).document()
    except yaml.reader.ReaderError as error:
        place = Place(file, text.count("\n", 0, error.position) + 1)
        raise place.refuse(f"character {_code(text, error.position)} is not allowed in YAML") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1 if mark is not None else 1)
        raise place.refuse(f"this is not YAML: {error.problem}", hint="check indentation, colons and quotes") from None


def _decode(content: bytes, file: str) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(file, content.count(b"\n", 0, error.start) + 1)
        raise place.refuse(f"byte 0x{content[error.start]:02x} is not UTF-8", hint="save the file as UTF-8") from None
    nul = text.find("\0")
    if nul >= 0:
        place = Place(file, text.count("\n", 0, nul) + 1)
        raise place.refuse("there is a NUL character", hint="this does not look like a text file")
    return text


def _code(text: str, position: int) -> str:
    return f"U+{ord(text[position]):04X}" if 0 <= position < len(text) else "beyond the end"


@dataclass(slots=True)
class _Builder:
    """Events into nodes. Nodes are built from events and not composed by the library, which would resolve aliases."""

    events: Iterator[yaml.Event]
    file: str

    def document(self) -> Node:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self._place(event).refuse("a second document starts here", hint="use one file a scenario")
                root = self._node(next(self.events), 0)
        if root is None:
            raise InvalidInput(f"{self.file} is empty", hint="write 'format: 1' and 'queue: NAME' first")
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        place = self._place(event)
        if isinstance(event, yaml.AliasEvent):
            raise place.refuse(f"alias '*{event.anchor}' is not read here", hint="write the value out again")
        if not isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent):
            raise place.refuse("a value is missing")
        if event.anchor is not None:
            raise place.refuse(f"anchor '&{event.anchor}' is not read here", hint="write the value out again")
        if event.tag is not None:
            raise place.refuse(f"tag '{event.tag}' is not read here", hint="leave the tag out: the field has a type")
        if depth > MAX_DEPTH:
            raise place.refuse(f"nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, yaml.ScalarEvent):
            # An escape such as \ud800 is half of a character, which no UTF-8 carries.
            if not is_text(event.value):
                raise place.refuse("an escape stands for half of a character", hint="write the whole character")
            return Text(event.value, is_quoted=event.style is not None, place=place)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._items(place, depth)
        return self._fields(place, depth)

    def _items(self, place: Place, depth: int) -> Items:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Items(tuple(items), place)

    def _fields(self, place: Place, depth: int) -> Fields:
        entries: dict[str, Node] = {}
        places: dict[str, Place] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key, Text):
                raise key.place.refuse("a key is not text", hint="keys are single words")
            if key.value in entries:
                raise key.place.refuse(
                    f"key '{key.value}' already stands on line {places[key.value].line}", hint="keep one of the two"
                )
            places[key.value] = key.place
            entries[key.value] = self._node(next(self.events), depth + 1)
        return Fields(entries, places, place)

    def _place(self, event: yaml.Event) -> Place:
        return Place(self.file, event.start_mark.line + 1 if event.start_mark is not None else 1)
