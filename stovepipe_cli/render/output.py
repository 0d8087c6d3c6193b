"""An answer, its hints or a failure as the text to write: the one entrance to rendering."""

from collections.abc import Iterator
from dataclasses import replace

from stovepipe_cli.keys import is_text
from stovepipe_cli.render.context import ErrorView, RenderContext
from stovepipe_cli.render.delimited import comma_separated, tsv, with_columns
from stovepipe_cli.render.json_output import error_document, error_line, report_document, report_lines
from stovepipe_cli.render.projection import project
from stovepipe_cli.render.same_place import in_same_place
from stovepipe_cli.render.sanitise import visible
from stovepipe_cli.render.texts import hints_of, text_of
from stovepipe_cli.reports import Report


def render_report(report: Report, context: RenderContext) -> Iterator[str]:
    """The answer in pieces, for stdout alone; `UsageError` at once for a column that it does not have."""
    if context.output == "json":
        return iter([report_document(report, context)])
    if context.output == "ndjson":
        return report_lines(report, context)
    return (_plain(piece, context) for piece in _text_or_rows(report, context))


def hints(report: Report, context: RenderContext) -> tuple[str, ...]:
    """Lines for stderr: notes, the next page, the next commands. Safe to print as they are."""
    lines = hints_of(report, context)
    if context.output in {"tsv", "csv", "table"} and not _is_told(report, context):
        # Rows are findings alone, and none says why a verify without any is not clean. Only a verify has reasons;
        # to name its class would be to load it.
        reasons: tuple[str, ...] = getattr(report, "blocking", ())
        notes: tuple[str, ...] = getattr(report, "notes", ()) if getattr(report, "is_incomplete", False) else ()
        told = dict.fromkeys((*reasons, *notes))
        lines = (*(f"{'incomplete' if each in reasons else 'note'}: {each}" for each in told), *lines)
    return tuple(_plain(visible(line), context) for line in lines)


def render_error(error: ErrorView, exit_code: int, context: RenderContext) -> tuple[str, str]:
    """What a failure puts on stdout and on stderr."""
    line = f"stovepipe: {visible(error.message)}\n"
    if context.output in {"json", "ndjson"}:
        # A sentence stays a string for its readers, also where it names an identifier that is no text.
        whole = replace(error, message=_as_text(error.message), hint=error.hint and _as_text(error.hint))
        answer = error_document if context.output == "json" else error_line
        return answer(whole, exit_code, context), _plain(line, context)
    hint = f"  {in_same_place(visible(error.hint), context.place)}\n" if error.hint else ""
    return "", _plain(line + hint, context)


def _text_or_rows(report: Report, context: RenderContext) -> Iterator[str]:
    if _is_told(report, context):
        return text_of(report, context)
    rows = with_columns(project(report), context.columns)
    if context.output == "table":
        from stovepipe_cli.render.listing_text import projection_text  # noqa: PLC0415 - rich is for tables alone

        return iter([projection_text(rows, context)])
    return (tsv if context.output == "tsv" else comma_separated)(rows, headers=context.headers)


def _is_told(report: Report, context: RenderContext) -> bool:
    # A pipe, which gets tsv unasked, is told a story like a terminal.
    return (report.is_story and context.output == "tsv") or (context.output == "table" and not context.columns)


def _as_text(sentence: str) -> str:
    return sentence if is_text(sentence) else visible(sentence)


def _plain(text: str, context: RenderContext) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii") if context.ascii_only else text
