"""tsv and csv: complete, unwrapped, uncoloured rows for pipes."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stovepipe_cli.errors import UsageError
from stovepipe_cli.render.projection import Projection, cell
from stovepipe_cli.render.sanitise import visible


def tsv(projection: Projection, *, headers: bool) -> Iterator[str]:
    """A line a row; tab and newline inside a value are escaped."""
    if headers:
        yield "\t".join(projection.columns) + "\n"
    for row in projection.rows:
        yield "\t".join(visible(cell(row.get(name))) for name in projection.columns) + "\n"


def comma_separated(projection: Projection, *, headers: bool) -> Iterator[str]:
    """RFC 4180 rows with a newline at the end of each."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if headers:
        writer.writerow(projection.columns)
    for row in projection.rows:
        writer.writerow([visible(cell(row.get(name))) for name in projection.columns])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def with_columns(projection: Projection, columns: Sequence[str]) -> Projection:
    """The projection with the columns asked for, all where none are; `UsageError` for an unknown one."""
    for name in columns:
        if name not in projection.columns:
            raise UsageError(
                f"there is no column '{name}' in this output", hint=f"columns: {', '.join(projection.columns)}"
            )
    return replace(projection, columns=tuple(columns) or projection.columns)
