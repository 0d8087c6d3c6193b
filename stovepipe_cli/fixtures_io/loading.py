"""Puts a scenario's rows into a store: all of them or none, and nothing the second time."""

import json
from collections.abc import Iterable, Sequence

from stovepipe_cli.errors import Refused
from stovepipe_cli.fixtures_io.row_types import row_types
from stovepipe_cli.fixtures_io.scenario import Scenario
from stovepipe_cli.reports.fixtures import FixturesLoadReport
from stovepipe_cli.storage.contract import AuditSnapshot, ForeignQueue, Storage
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row, key_of

GET_AT_ONCE = 500


def load_scenario(storage: Storage, scenario: Scenario, *, into_existing: bool) -> FixturesLoadReport:
    """Insert the rows that are not there yet, in one transaction.

    Rows that are there and equal count as unchanged. `Refused`, and nothing written, where a row of the same key
    differs, or where the queue holds rows that are not the scenario's, unless `into_existing`. `ForeignQueue` for a
    storage of another queue; `AlreadyExists` where somebody else inserted one of the rows meanwhile.
    """
    if storage.queue != scenario.queue:
        raise ForeignQueue(
            f"{scenario.source} is of queue '{scenario.queue}', the storage is bound to '{storage.queue}'",
            hint=f"load it into '{scenario.queue}'",
        )
    missing: list[Row] = []
    with storage.audit.snapshot() as snapshot:
        for row_type, rows in _by_type(scenario.rows).items():
            missing += _missing(storage, snapshot, row_type, rows)
        if not into_existing:
            _refuse_others(storage, snapshot, scenario)
    if missing:
        storage.bulk.insert(missing)
    return FixturesLoadReport(
        file=scenario.source,
        digest=scenario.digest,
        created=len(missing),
        unchanged=len(scenario.rows) - len(missing),
    )


def _by_type(rows: Iterable[Row]) -> dict[type[Row], list[Row]]:
    sorted_out: dict[type[Row], list[Row]] = {}
    for row in rows:
        sorted_out.setdefault(type(row), []).append(row)
    return sorted_out


def _missing(storage: Storage, snapshot: AuditSnapshot, row_type: type[Row], rows: Sequence[Row]) -> list[Row]:
    view = storage.audit.view(TABLE_OF[row_type].name)
    if view is None:
        return list(rows)
    stored: dict[Key, Row] = {}
    for start in range(0, len(rows), GET_AT_ONCE):
        keys = [key_of(row) for row in rows[start : start + GET_AT_ONCE]]
        found = snapshot.multi_get(row_type, keys) if all(keys) else snapshot.page(row_type, limit=1).rows
        stored.update((key_of(row), row) for row in found)
    missing = []
    for row in rows:
        other = stored.get(key_of(row))
        if other is None:
            missing.append(row)
        else:
            _refuse_difference(storage.queue, row, other, view.columns)
    return missing


def _refuse_difference(queue: str, wanted: Row, stored: Row, columns: frozenset[str]) -> None:
    """Refuse to load over a row that says something else; a column that the database lacks says nothing."""
    table = TABLE_OF[type(wanted)]
    for name, value, other in zip(wanted._fields, wanted, stored, strict=True):
        if name not in columns or value == other:
            continue
        if table.column(name).kind == "json" and _same_json(str(value), str(other)):
            continue
        key = ", ".join(f"'{part}'" for part in key_of(wanted))
        raise Refused(
            f"row ({key}) of table '{table.name}' in queue '{queue}' has {name} '{other}', not '{value}'",
            hint="nothing was loaded: use another database, or another queue name in the file",
        )


def _same_json(one: str, other: str) -> bool:
    """Whether two texts are the same JSON, as a database that keeps JSON in a form of its own gives it back."""
    try:
        first, second = (json.dumps(json.loads(text), sort_keys=True) for text in (one, other))
    except (ValueError, RecursionError):
        return False
    return first == second


def _refuse_others(storage: Storage, snapshot: AuditSnapshot, scenario: Scenario) -> None:
    known: dict[type[Row], set[Key]] = {row_type: set() for row_type in row_types().values()}
    for row in scenario.rows:
        known[type(row)].add(key_of(row))
    for row_type, keys in known.items():
        table = TABLE_OF[row_type].name
        if storage.audit.view(table) is not None and _holds_others(snapshot, row_type, keys):
            raise Refused(
                f"queue '{storage.queue}' holds rows that are not in {scenario.source}, in table '{table}'",
                hint="nothing was loaded: use an empty queue, or add '--into-existing'",
            )


def _holds_others(snapshot: AuditSnapshot, row_type: type[Row], keys: set[Key]) -> bool:
    """Whether any row has none of the keys; one row more than there are keys already tells."""
    after: Key | None = None
    while True:
        page = snapshot.page(row_type, after=after, limit=len(keys) + 1)
        if any(key_of(row) not in keys for row in page.rows):
            return True
        after = page.next_after
        if after is None:
            return False
