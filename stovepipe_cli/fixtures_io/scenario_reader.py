"""Scenario files: strict YAML in, a queue's rows and what is expected of them out."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from stovepipe_cli.entities.limits import MAX_INT32, QUEUE_BYTES
from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.columns import read_row
from stovepipe_cli.fixtures_io.expansion import expand
from stovepipe_cli.fixtures_io.lifecycle import PlacedRow
from stovepipe_cli.fixtures_io.lifecycle_reader import LifecycleReader, read_request
from stovepipe_cli.fixtures_io.nodes import Fields, Node, suggestion
from stovepipe_cli.fixtures_io.queue_bookmarks import derive_queue_row
from stovepipe_cli.fixtures_io.row_types import row_types
from stovepipe_cli.fixtures_io.scenario import Expectation, ExpectedFinding, ExpectedRemainder, Scenario
from stovepipe_cli.fixtures_io.values import (
    as_choice,
    as_fields,
    as_integer,
    as_items,
    as_name,
    as_text,
)
from stovepipe_cli.fixtures_io.yaml_document import MAX_BYTES, parse_yaml
from stovepipe_cli.request_id import IdForm
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row, key_of

FORMAT = 1

_KEYS = ("format", "queue", "description", "ids", "lifecycles", "rows", "expect")
_EXPECT_KEYS = ("findings", "legacy_requests", "after_repair", "show", "beside")
_FORMS: tuple[IdForm, ...] = ("decimal", "path")
_CODE_CHARACTERS = 8


def read_scenario_file(path: Path) -> Scenario:
    """The scenario in a file; `InvalidInput` with file and line where it is not one, or cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be read: {error.strerror}", hint="check the path and its rights") from None
    return read_scenario(content, str(path))


def read_scenario(content: bytes, source: str) -> Scenario:
    """The scenario in a file's content; `source` names it in errors, all of them `InvalidInput`."""
    fields = as_fields(parse_yaml(content, source), "a scenario")
    fields.refuse_unknown(_KEYS, "a scenario")
    as_integer(fields.require("format"), "format", lowest=FORMAT, highest=FORMAT)
    queue_node = fields.require("queue")
    queue = as_name(queue_node, "queue", characters=QUEUE_BYTES)
    as_text(queue_node, "queue", octets=QUEUE_BYTES)
    ids = _ids(fields)
    rows = _rows(fields, queue, ids)
    description = fields.get("description")
    return Scenario(
        source=source,
        queue=queue,
        description="" if description is None else as_text(description, "description").strip(),
        rows=rows,
        expectation=_expectation(fields, queue, ids),
        digest=f"sha256:{hashlib.sha256(content).hexdigest()}",
    )


def _ids(fields: Fields) -> IdForm:
    node = fields.get("ids")
    if node is None:
        return "decimal"
    chosen = as_choice(node, "ids", _FORMS)
    return next(form for form in _FORMS if form == chosen)


def _rows(fields: Fields, queue: str, ids: IdForm) -> tuple[Row, ...]:
    placed: list[PlacedRow] = []
    lifecycles = fields.get("lifecycles")
    if lifecycles is not None:
        reader = LifecycleReader(queue, ids)
        for node in as_items(lifecycles, "lifecycles"):
            reader.add(node)
        for lifecycle in reader.read:
            placed += expand(queue, lifecycle)
    tables = fields.get("rows")
    given = set[str]()
    if tables is not None:
        named = as_fields(tables, "rows")
        given = set(named.entries)
        placed += _exact_rows(named)
    rows = _distinct(placed)
    if "queue" not in given and rows:
        rows = (*rows, derive_queue_row(queue, rows))
    return rows


def _exact_rows(tables: Fields) -> list[PlacedRow]:
    types = row_types()
    placed = []
    for name, node in tables.entries.items():
        if name not in types:
            raise tables.key_places[name].refuse(f"there is no table '{name}'", hint=suggestion(name, types))
        placed += [PlacedRow(read_row(types[name], item), item.place) for item in as_items(node, f"rows of '{name}'")]
    return placed


def _distinct(placed: Iterable[PlacedRow]) -> tuple[Row, ...]:
    seen: dict[tuple[str, Key], PlacedRow] = {}
    for each in placed:
        table = TABLE_OF[type(each.row)].name
        first = seen.setdefault((table, key_of(each.row)), each)
        if first is not each:
            key = ", ".join(f"'{part}'" for part in key_of(each.row))
            raise each.place.refuse(
                f"row ({key}) of table '{table}' already stands at line {first.place.line}", hint="keep one of the two"
            )
    return tuple(each.row for each in seen.values())


def _expectation(fields: Fields, queue: str, ids: IdForm) -> Expectation:
    node = fields.get("expect")
    if node is None:
        return Expectation()
    expect = as_fields(node, "expect")
    expect.refuse_unknown(_EXPECT_KEYS, "expect")
    legacy, show, beside = expect.get("legacy_requests"), expect.get("show"), expect.get("beside")
    findings = [_finding(item, queue, ids) for item in _list(expect, "findings")]
    return Expectation(
        findings=tuple(ExpectedFinding(code, request_id) for code, request_id, _ in findings),
        legacy_requests=0 if legacy is None else as_integer(legacy, "legacy_requests", lowest=0, highest=MAX_INT32),
        after_repair=tuple(_remainder(item, queue, ids) for item in _list(expect, "after_repair")),
        show=None if show is None else read_request(as_fields(show, "show"), queue, ids),
        beside=None if beside is None else as_name(beside, "beside"),
    )


def _list(fields: Fields, key: str) -> tuple[Node, ...]:
    node = fields.get(key)
    return () if node is None else as_items(node, key).items


def _finding(node: Node, queue: str, ids: IdForm) -> tuple[str, str | None, Fields]:
    fields = as_fields(node, "an expected finding")
    fields.refuse_unknown(("code", "number", "id", "why"), "an expected finding")
    code = as_name(fields.require("code"), "code", characters=_CODE_CHARACTERS)
    return code, read_request(fields, queue, ids), fields


def _remainder(node: Node, queue: str, ids: IdForm) -> ExpectedRemainder:
    code, request_id, fields = _finding(node, queue, ids)
    return ExpectedRemainder(code, request_id, as_name(fields.require("why"), "why").strip())
