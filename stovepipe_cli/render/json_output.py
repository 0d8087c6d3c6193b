"""The JSON envelope and its line form."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from itertools import chain
from typing import Any

from stovepipe_cli import reports
from stovepipe_cli.render.context import ErrorView, RenderContext
from stovepipe_cli.render.projection import LINES, Lines, as_lines
from stovepipe_cli.reports import JsonValue, Report, Verdict, json_form

SCHEMA = "stovepipe/v1"


def envelope(
    context: RenderContext,
    *,
    verdict: Verdict,
    exit_code: int,
    data: JsonValue,
    errors: Sequence[ErrorView] = (),
) -> dict[str, JsonValue]:
    """The one document around every answer."""
    return {
        "schema": SCHEMA,
        "command": context.command,
        "queue": json_form(context.queue),
        "target": json_form(context.target),
        "verdict": verdict,
        "exit_code": exit_code,
        "data": data,
        "errors": json_form(tuple(errors)),
    }


def document(value: Mapping[str, JsonValue], *, ascii_only: bool = False) -> str:
    """An indented JSON document that ends with a newline; characters that act on a terminal are escaped."""
    return _escape(json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False)) + "\n"


def report_document(report: Report, context: RenderContext) -> str:
    """The document of a report."""
    return document(
        envelope(context, verdict=report.verdict, exit_code=report.exit_code, data=json_form(report)),
        ascii_only=context.ascii_only,
    )


def error_document(error: ErrorView, exit_code: int, context: RenderContext) -> str:
    """The document of a failure."""
    return document(
        envelope(context, verdict="error", exit_code=exit_code, data=None, errors=(error,)),
        ascii_only=context.ascii_only,
    )


def lines(
    items: Iterable[tuple[str, JsonValue]], tail: Mapping[str, JsonValue], *, ascii_only: bool = False
) -> Iterator[str]:
    """One object a line: the items, each with its `kind`, then the summary with the envelope's fields.

    An item's own field of the name `kind` appears as `item_kind`.
    """
    yield from item_lines(items, ascii_only=ascii_only)
    yield json_line({"kind": "summary", **tail}, ascii_only=ascii_only)


def item_lines(items: Iterable[tuple[str, JsonValue]], *, ascii_only: bool = False) -> Iterator[str]:
    """The items alone, for an answer that goes on."""
    for kind, item in items:
        own: dict[str, JsonValue] = dict(item) if isinstance(item, Mapping) else {"value": item}
        if "kind" in own:
            own["item_kind"] = own.pop("kind")
        yield json_line({"kind": kind, **own}, ascii_only=ascii_only)


def report_lines(report: Report, context: RenderContext) -> Iterator[str]:
    """A report's items a line each, then the envelope without them."""
    parts = as_lines(report)
    # Without the items, of which there may be more than fit in memory.
    rest = {
        field.name: json_form(getattr(report, field.name))
        for field in _fields(report)
        if field.metadata.get("json", True) and field.name not in parts.replaced
    }
    summary = envelope(context, verdict=report.verdict, exit_code=report.exit_code, data=rest)
    return chain(
        _item_lines_of(report, parts, ascii_only=context.ascii_only), lines((), summary, ascii_only=context.ascii_only)
    )


def _item_lines_of(report: Report, parts: Lines, *, ascii_only: bool) -> Iterator[str]:
    if isinstance(report, reports.ListReport):
        from stovepipe_cli.render.flat_lines import flat_lines, is_flat  # noqa: PLC0415 - which needs this module

        (kind,) = LINES["ListReport"].values()
        if is_flat(report.item_type):
            return flat_lines(kind, report.item_type, report.items, ascii_only=ascii_only)
    return item_lines(parts.items, ascii_only=ascii_only)


def error_line(error: ErrorView, exit_code: int, context: RenderContext) -> str:
    """The only line of a failure: a summary."""
    summary = envelope(context, verdict="error", exit_code=exit_code, data=None, errors=(error,))
    return "".join(lines((), summary, ascii_only=context.ascii_only))


def _fields(report: Any) -> "tuple[Field[object], ...]":  # noqa: ANN401 - every report is a dataclass, save in its type
    return fields(report)


def json_line(value: JsonValue, *, ascii_only: bool) -> str:
    """A JSON value on a line of its own; characters that act on a terminal are escaped."""
    return _escape(json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"))) + "\n"


def _escape(text: str) -> str:
    # Such characters can only stand inside JSON strings, where an escape means the same.
    if text.replace("\n", "").isprintable():
        return text
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character == "\n" or character.isprintable():
        return character
    return json.dumps(character, ensure_ascii=True)[1:-1]
