"""The rows that a run wrote, as the ledger keeps them with each attempt at a step.

An attempt's document lists under `written` what it wrote, and under `intended` what it is about to write next. A killed
attempt leaves both, and nobody can tell from it how far it came with the latter.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.repair.sql_script import columns_of
from stovepipe_cli.repair.sql_words import Dialect, comment
from stovepipe_cli.repair.undo_script import undo_script
from stovepipe_cli.reports import JsonValue, Written, canonical_json, json_form
from stovepipe_cli.reports.json_form import text_of
from stovepipe_cli.reports.repair import Action
from stovepipe_cli.reports.runs import WrittenRow
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE, REQUEST_SUMMARY
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.mapping_rows import MappingRows, pairs

INTENDED, WRITTEN = "intended", "written"

_PAGE = 200


def rows_document(written: Iterable[Written]) -> list[JsonValue]:
    """Rows as an attempt's document holds them."""
    return [json_form(row) for row in written]


def kept_rows(ledger: QueueLedger, run_id: str) -> Iterator[WrittenRow]:
    """Every row of the run in plan order: what attempts wrote, and what unfinished ones were about to."""
    after: tuple[int, int, str] | None = None
    while page := ledger.runs.invocations_of(run_id, limit=_PAGE, after=after):
        for invocation in page:
            yield from _rows(invocation)
        last = page[-1]
        after = (last.step_index, last.attempt, last.invocation_id)


def written_of(row: WrittenRow) -> Written:
    """The row as a receipt has it, bytes that are no text included."""
    return revived(row.action, row.table, key=row.key, before=row.before, after=row.after)


def revived(
    action: str,
    table: str,
    *,
    key: Mapping[str, JsonValue],
    before: Mapping[str, JsonValue] | None,
    after: Mapping[str, JsonValue],
) -> Written:
    """A row from its JSON form."""
    return Written(
        action=cast("Action", action),
        table=table,
        key={name: value for name, value in _revived(key).items() if isinstance(value, str | int | float)},
        before=None if before is None else _revived(before),
        after=_revived(after),
    )


def _rows(invocation: Invocation) -> Iterator[WrittenRow]:
    document = invocation.document
    written = _listed(document, WRITTEN)
    known = {(str(row["table"]), canonical_json(row["key"])) for row in written}
    for row in written:
        yield _kept(invocation, row, is_certain=True)
    for row in _listed(document, INTENDED):
        if (str(row["table"]), canonical_json(row["key"])) not in known:
            yield _kept(invocation, row, is_certain=False)
    yield from _mappings(invocation)


def _mappings(invocation: Invocation) -> Iterator[WrittenRow]:
    rows = MappingRows.of(invocation.document)
    for accepted_at_ms, request_id in pairs(rows.learned):
        after: dict[str, JsonValue] = {"request_id": request_id, "accepted_at_ms": accepted_at_ms}
        written = Written(
            "advance-summary", REQUEST_SUMMARY.name, {"request_id": request_id}, {"accepted_at_ms": 0}, after
        )
        yield _kept(invocation, _document(written), is_certain=True)
    mapped = pairs(rows.mapped)
    done = frozenset(mapped)
    for some, is_certain in ((mapped, True), (pairs(rows.intended), False)):
        for accepted_at_ms, request_id in some:
            if is_certain or (accepted_at_ms, request_id) not in done:
                key: dict[str, str | int | float] = {"accepted_at_ms": accepted_at_ms, "request_id": request_id}
                written = Written("create-acceptance", REQUEST_ACCEPTANCE.name, key, None, {**key})
                yield _kept(invocation, _document(written), is_certain=is_certain)


def _document(row: Written) -> Mapping[str, Any]:
    document = json_form(row)
    return document if isinstance(document, Mapping) else {}


def _listed(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = document.get(name)
    return [*rows] if isinstance(rows, list | tuple) else []


def _kept(invocation: Invocation, row: Mapping[str, Any], *, is_certain: bool) -> WrittenRow:
    return WrittenRow(
        step_index=invocation.step_index,
        attempt=invocation.attempt,
        is_certain=is_certain,
        action=str(row["action"]),
        table=str(row["table"]),
        key=row["key"],
        before=row["before"],
        after=row["after"],
    )


def _revived(cells: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: _value(value) for name, value in cells.items()}


def _value(value: JsonValue) -> JsonValue:
    text = text_of(value)
    if text is not None:
        return text
    return _revived(value) if isinstance(value, Mapping) else value


def undo_of_run(ledger: QueueLedger, run_id: str, storage: Storage, dialect: Dialect) -> tuple[int, str]:
    """How many inserts of a run can be taken out again, and the guarded SQL that does it.

    What an attempt that died was about to insert is taken out only where it carries the run's own mark, as entries do;
    other rows of such an attempt are named in comments, since somebody else may have written the same.
    """
    rows: dict[tuple[str, str], list[Written]] = {}
    doubtful: dict[tuple[str, str], Written] = {}
    for kept in kept_rows(ledger, run_id):
        written = written_of(kept)
        place = written.table, canonical_json(written.key)
        if not kept.is_certain:
            if written.before is None:
                doubtful[place] = written
            continue
        # Repeated by a later attempt, an insert is one all the same; updates of the row follow it.
        known = rows.setdefault(place, [])
        if written.before is not None or not any(each.before is None for each in known):
            known.append(written)
    for place, written in doubtful.items():
        if place not in rows and _is_marked(written, run_id):
            rows[place] = [written]
    every = [each for known in rows.values() for each in known]
    script = undo_script(every, ledger.queue, dialect, columns_of(storage))
    unsure = [each for place, each in doubtful.items() if place not in rows]
    lines = [
        comment(f"perhaps inserted, look at it yourself: {each.table} {canonical_json(each.key)}") for each in unsure
    ]
    return sum(1 for each in every if each.before is None), script + "".join(f"{line}\n" for line in lines)


def _is_marked(row: Written, run_id: str) -> bool:
    """Whether the row is an entry that only this run can have written; no mark is left where the plan forbids it."""
    metadata = row.after.get("metadata")
    return isinstance(metadata, Mapping) and metadata.get(REPAIR_RUN_ID) == run_id
