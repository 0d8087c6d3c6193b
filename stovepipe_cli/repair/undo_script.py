"""The rows of a receipt as guarded SQL that takes them out again; nothing in this tool ever runs it."""

from collections.abc import Mapping, Sequence

from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.repair.sql_script import BEGIN, Columns
from stovepipe_cli.repair.sql_words import Dialect, comment, equals, name, text
from stovepipe_cli.reports import Written, canonical_json
from stovepipe_cli.storage.contract.tables import TABLES


def undo_script(written: Sequence[Written], queue: str, dialect: Dialect, columns: Columns) -> str:
    """A DELETE for each row that was inserted, newest first, which holds only while the row is as it was written.

    Updates moved projections forward to what the log says, so they stand as comments alone. Nothing written gives
    comments alone.
    """
    # A summary that was inserted may have been moved forward by the same run.
    latest = {_place(row): row.after for row in written}
    inserted = {_place(row) for row in written if row.before is None}
    lines = [comment(f"takes back what a repair inserted into queue '{queue}': {len(inserted)} rows")]
    if dialect == "mysql":
        lines.append("SET NAMES utf8mb4;")
    if inserted:
        lines.append(BEGIN[dialect])
    for row in reversed(written):
        if row.before is not None:
            if _place(row) in inserted:
                continue
            lines.append(comment(f"{row.table} was updated, and is left: {canonical_json(row.before)} before"))
            continue
        table = TABLES[row.table]
        known = columns.get(row.table, frozenset())
        conditions = [equals(table, table.queue_column, queue, dialect)]
        for column, value in latest[_place(row)].items():
            if column in known and value is not None and column != "metadata":
                conditions.append(equals(table, column, value, dialect))
        conditions += _tagged(row.after.get("metadata"), dialect)
        lines.append(" ".join(("DELETE FROM", name(row.table, dialect) + "\n  WHERE", " AND ".join(conditions) + ";")))
    if inserted:
        lines.append("COMMIT;")
    return "\n".join(lines) + "\n"


def _place(row: Written) -> tuple[str, str]:
    return row.table, canonical_json(row.key)


def _tagged(metadata: object, dialect: Dialect) -> list[str]:
    """That an entry carries the run that inserted it, so that one which the service wrote is never meant."""
    if not isinstance(metadata, Mapping) or REPAIR_RUN_ID not in metadata:
        return []
    extracted = f"JSON_EXTRACT({name('metadata', dialect)}, '$.{REPAIR_RUN_ID}')"
    stored = f"JSON_UNQUOTE({extracted})" if dialect == "mysql" else extracted
    return [f"{stored} = {text(str(metadata[REPAIR_RUN_ID]), dialect)}"]
