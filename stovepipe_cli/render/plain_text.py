"""Answers that are a text already: a schema, and what a shell reads."""

from collections.abc import Iterator

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.json_output import document
from stovepipe_cli.reports import CompletionReport, SchemaReport


def schema_text(report: SchemaReport, _context: RenderContext) -> Iterator[str]:
    """The schema itself, for a file or a validator."""
    return iter([document(report.json_schema)])


def completion_text(report: CompletionReport, _context: RenderContext) -> Iterator[str]:
    """The script itself, for a shell to read."""
    return iter([report.script])
