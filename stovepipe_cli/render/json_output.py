"""The JSON envelope and its line form."""

import json
from collections.abc import Iterator, Mapping, Sequence

from stovepipe_cli.render.context import ErrorView, RenderContext
from stovepipe_cli.render.projection import as_lines
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
    items: Sequence[tuple[str, JsonValue]], tail: Mapping[str, JsonValue], *, ascii_only: bool = False
) -> Iterator[str]:
    """One object a line: the items, each with its `kind`, then the summary with the envelope's fields.

    An item's own field of the name `kind` appears as `item_kind`.
    """
    for kind, item in items:
        fields: dict[str, JsonValue] = dict(item) if isinstance(item, Mapping) else {"value": item}
        if "kind" in fields:
            fields["item_kind"] = fields.pop("kind")
        yield _line({"kind": kind, **fields}, ascii_only=ascii_only)
    yield _line({"kind": "summary", **tail}, ascii_only=ascii_only)


def report_lines(report: Report, context: RenderContext) -> Iterator[str]:
    """A report's items a line each, then the envelope without them."""
    parts = as_lines(report)
    form = json_form(report)
    rest = (
        {name: value for name, value in form.items() if name not in parts.replaced}
        if isinstance(form, Mapping)
        else form
    )
    summary = envelope(context, verdict=report.verdict, exit_code=report.exit_code, data=rest)
    return lines(parts.items, summary, ascii_only=context.ascii_only)


def error_line(error: ErrorView, exit_code: int, context: RenderContext) -> str:
    """The only line of a failure: a summary."""
    summary = envelope(context, verdict="error", exit_code=exit_code, data=None, errors=(error,))
    return "".join(lines((), summary, ascii_only=context.ascii_only))


def _line(value: Mapping[str, JsonValue], *, ascii_only: bool) -> str:
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
