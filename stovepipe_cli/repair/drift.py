"""Whether the rows that a plan rests on still are what they were."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from stovepipe_cli.keys import is_text
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.written_rows import Cells
from stovepipe_cli.reports import Evidence, JsonValue, PlanEntry, RepairPlan
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    Key,
    QueueLogRow,
    QueueSummaryRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    Row,
    ValidationFactRow,
    key_of,
)
from stovepipe_cli.storage.contract.tables import REQUEST_LOG, REQUEST_SUMMARY, TABLES

Place = tuple[str, Key]

_EVIDENT: tuple[type[Row], ...] = (
    RequestRow,
    RequestLogRow,
    RequestSummaryRow,
    RequestAcceptanceRow,
    BuildRow,
    ValidationFactRow,
    QueueLogRow,
    QueueSummaryRow,
)


class Evidences:
    """Reads evidence again and compares it.

    A summary may also be what one of `entries`, the whole plan, makes of it, so that a plan that was applied in part
    can be applied again.
    """

    def __init__(self, storage: Storage, entries: Iterable[PlanEntry]) -> None:
        self._storage = storage
        self._forms: dict[str, list[PlanEntry]] = defaultdict(list)
        for entry in entries:
            if entry.action in ("create-summary", "advance-summary"):
                self._forms[entry.request_id].append(entry)

    def drift(self, entries: Sequence[PlanEntry]) -> list[str]:
        """For each entry what has changed of its evidence, empty where nothing has; read in one snapshot."""
        rows = self._read([each for entry in entries for each in entry.evidence])
        return [next(filter(None, (self._changed(each, rows) for each in entry.evidence)), "") for entry in entries]

    def is_past(self, entry: PlanEntry, summary: Cells) -> bool:
        """Whether a summary is what this entry makes of it, or a later entry of the plan."""
        forms = self._forms[entry.request_id]
        return any(agrees(form.entry or {}, summary) for form in forms[forms.index(entry) :])

    def _changed(self, evidence: Evidence, rows: Mapping[Place, Cells]) -> str:
        row = rows.get(_place(evidence))
        subject = f"{evidence.table.replace('_', ' ')} {', '.join(_shown(part) for part in evidence.key.values())}"
        if row is not None and evidence.table == REQUEST_SUMMARY.name:
            forms = self._forms.get(str(evidence.key["request_id"]), [])
            if any(agrees(form.entry or {}, row) for form in forms):
                return ""
        if evidence.values is None:
            return "" if row is None else f"{subject} exists by now"
        if row is None:
            return f"{subject} is gone"
        changed = [name for name, value in evidence.values.items() if row.get(name) != value]
        return f"{subject} has changed in {', '.join(changed)}" if changed else ""

    def _read(self, evidences: Sequence[Evidence]) -> dict[Place, Cells]:
        keys: dict[str, dict[Key, None]] = defaultdict(dict)
        for evidence in evidences:
            keys[evidence.table][_place(evidence)[1]] = None
        found: dict[Place, Cells] = {}
        there = [each for each in keys if self._storage.audit.view(each) is not None]
        with self._storage.audit.snapshot() as snapshot:
            for row_type in _EVIDENT:
                table = TABLE_OF[row_type].name
                if table in there:
                    rows: tuple[Row, ...] = snapshot.multi_get(row_type, list(keys[table]))
                    found |= {(table, key_of(row)): row_cells(table, row) for row in rows}
        return found


def require_unchanged(evidences: Evidences, entries: Sequence[PlanEntry]) -> None:
    """`Refused` where any of their evidence is not what it was."""
    changed = next(filter(None, evidences.drift(entries)), None)
    if changed is not None:
        raise refused(f"rests on rows that differ here: {changed}")


def require_all_evidence(storage: Storage, plan: RepairPlan) -> None:
    """The same for every ready entry of a plan."""
    ready = [entry for entry in plan.entries if entry.status == "ready"]
    require_unchanged(Evidences(storage, ready), ready)


def row_cells(table: str, row: Row) -> Cells:
    """A stored row as a plan shows rows: metadata as an object where it is one."""
    cells: dict[str, JsonValue] = dict(row._asdict())
    if table == REQUEST_LOG.name:
        metadata = parse_metadata(str(cells["metadata"]))
        cells["metadata"] = cells["metadata"] if metadata is None else dict(metadata)
    return cells


def agrees(planned: Cells, stored: Cells) -> bool:
    """Whether a stored row is the planned one; what the plan could not know may be anything."""
    return all(value is None or stored.get(name) == value for name, value in planned.items())


def _place(evidence: Evidence) -> Place:
    return evidence.table, tuple(evidence.key[name] for name in TABLES[evidence.table].key[1:])


def _shown(part: str | float) -> str:
    return f"'{part}'" if isinstance(part, str) and is_text(part) else str(part)
