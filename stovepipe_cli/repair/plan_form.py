"""A plan from its JSON document: every field is there, none beside it, and each has its type."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TypeVar, get_args

from stovepipe_cli.keys import key_text
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.recorded_options import options_from
from stovepipe_cli.repair.written_rows import table_written
from stovepipe_cli.reports import Evidence, JsonValue, PlanEntry, PlanTarget, RepairPlan
from stovepipe_cli.reports.repair import Action, Status
from stovepipe_cli.storage.contract.tables import TABLES, Column, Table

FORMAT = 1

Value = TypeVar("Value")
Word = TypeVar("Word", bound=str)

ACTIONS: tuple[Action, ...] = get_args(Action)
STATUSES: tuple[Status, ...] = get_args(Status)


def plan_from(document: Mapping[str, JsonValue]) -> RepairPlan:
    """The plan in a document; `Refused` names the first field that is not as it must be."""
    names = {field.name for field in fields(RepairPlan) if field.metadata.get("json", True)}
    _require_names(document, names, "the plan")
    if isinstance(document["format"], bool) or document["format"] != FORMAT:
        raise refused(f"has format {document['format']!r}, this version reads format {FORMAT}")
    target = _object(document["target"], "target")
    _require_names(target, {field.name for field in fields(PlanTarget)}, "target")
    queue = _text(document["queue"], "queue")
    return RepairPlan(
        plan_id=_text(document["plan_id"], "plan_id"),
        format=FORMAT,
        queue=queue,
        target=PlanTarget(
            profile=_optional(_text)(target["profile"], "target.profile"),
            host=_text(target["host"], "target.host"),
            database=_text(target["database"], "target.database"),
            identity=_text(target["identity"], "target.identity"),
        ),
        tool_version=_text(document["tool_version"], "tool_version"),
        schema_fingerprint=_text(document["schema_fingerprint"], "schema_fingerprint"),
        created_at_ms=_integer(document["created_at_ms"], "created_at_ms"),
        expires_at_ms=_integer(document["expires_at_ms"], "expires_at_ms"),
        options=options_from(document["options"], queue),
        entries=tuple(
            _entry(entry, f"entries[{position}]")
            for position, entry in enumerate(_array(document["entries"], "entries"))
        ),
        counts={
            name: _integer(count, f"counts.{name}") for name, count in _object(document["counts"], "counts").items()
        },
        digest=_text(document["digest"], "digest"),
    )


def _entry(value: JsonValue, place: str) -> PlanEntry:
    document = _object(value, place)
    _require_names(document, {field.name for field in fields(PlanEntry)}, place)
    action = _word(document["action"], ACTIONS, f"{place}.action")
    status = _word(document["status"], STATUSES, f"{place}.status")
    table = table_written(action)
    entry = _row(document["entry"], table, f"{place}.entry")
    if status == "ready" and entry is None:
        raise refused(f"has a ready entry without a row at {place}.entry")
    evidence = tuple(
        _evidence(each, f"{place}.evidence[{position}]")
        for position, each in enumerate(_array(document["evidence"], f"{place}.evidence"))
    )
    made = PlanEntry(
        action=action,
        code=_text(document["code"], f"{place}.code"),
        request_id=_identifier(document["request_id"], f"{place}.request_id"),
        log_id=_optional(_identifier)(document["log_id"], f"{place}.log_id"),
        entry=entry,
        before=_row(document["before"], table, f"{place}.before"),
        evidence=evidence,
        timestamp_source=_optional(_text)(document["timestamp_source"], f"{place}.timestamp_source"),
        status=status,
        reason=_text(document["reason"], f"{place}.reason"),
    )
    # A projection that a log entry brings along rests on that entry.
    if status == "ready" and not evidence and (action == "create-log" or made.log_id is None):
        raise refused(f"has a ready entry that nothing proves at {place}.evidence")
    _require_one_subject(made, place)
    return made


def _require_one_subject(entry: PlanEntry, place: str) -> None:
    """What an entry is said to be about, by which it is chosen, checked and looked at again, is what it writes."""
    rows = [row for row in (entry.entry, entry.before) if row is not None]
    if any(row.get("request_id", entry.request_id) != entry.request_id for row in rows):
        raise refused(f"has a row of another request than it names, at {place}")
    if entry.action == "create-log" and any(row["log_id"] != entry.log_id for row in rows):
        raise refused(f"has an entry of another id than it names, at {place}")


def _evidence(value: JsonValue, place: str) -> Evidence:
    document = _object(value, place)
    _require_names(document, {field.name for field in fields(Evidence)}, place)
    name = _text(document["table"], f"{place}.table")
    table = TABLES.get(name)
    if table is None:
        raise refused(f"names an unknown table at {place}.table")
    key = _object(document["key"], f"{place}.key")
    _require_names(key, set(table.key[1:]), f"{place}.key")
    values = document["values"]
    return Evidence(
        table=name,
        key={column: _key_part(part, table.column(column), f"{place}.key.{column}") for column, part in key.items()},
        values=None if values is None else _columns(values, table, f"{place}.values"),
    )


def _row(value: JsonValue, table: Table, place: str) -> Mapping[str, JsonValue] | None:
    if value is None:
        return None
    row = _columns(value, table, place)
    _require_names(row, {column.name for column in table.columns} - {table.queue_column}, place)
    return row


def _columns(value: JsonValue, table: Table, place: str) -> Mapping[str, JsonValue]:
    known = {column.name: column for column in table.columns if column.name != table.queue_column}
    columns = _object(value, place)
    for name in columns:
        if name not in known:
            raise refused(f"names an unknown column at {place}")
    return {name: _cell(cell, known[name], f"{place}.{name}") for name, cell in columns.items()}


def _cell(value: JsonValue, column: Column, place: str) -> JsonValue:
    if column.kind == "json":
        return {name: _text(text, f"{place}.{name}") for name, text in _object(value, place).items()}
    # A time that is only known when the row is written has no value in the plan.
    if value is None and column.kind == "bigint":
        return None
    return _key_part(value, column, place)


def _key_part(value: JsonValue, column: Column, place: str) -> str | int | float:
    if column.kind in ("text", "binary"):
        return _identifier(value, place)
    if column.kind == "double":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refused(f"has no number at {place}")
        return value
    return _integer(value, place)


def _require_names(document: Mapping[str, JsonValue], names: set[str], place: str) -> None:
    if document.keys() - names:
        raise refused(f"has a field that no plan has, in {place}")
    if names - document.keys():
        raise refused(f"lacks '{min(names - document.keys())}' in {place}")


def _object(value: JsonValue, place: str) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise refused(f"has no object at {place}")
    return value


def _array(value: JsonValue, place: str) -> list[JsonValue]:
    if not isinstance(value, list):
        raise refused(f"has no array at {place}")
    return value


def _text(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise refused(f"has no text at {place}")
    return value


def _identifier(value: JsonValue, place: str) -> str:
    if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
        try:
            return key_text(base64.b64decode(value["base64"], validate=True))
        except (binascii.Error, ValueError) as error:
            raise refused(f"has broken base64 at {place}") from error
    return _text(value, place)


def _integer(value: JsonValue, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise refused(f"has no whole number at {place}")
    return value


def _optional(read: Callable[[JsonValue, str], Value]) -> Callable[[JsonValue, str], Value | None]:
    return lambda value, place: None if value is None else read(value, place)


def _word(value: JsonValue, words: tuple[Word, ...], place: str) -> Word:
    for word in words:
        if word == value:
            return word
    raise refused(f"has an unknown word at {place}")
