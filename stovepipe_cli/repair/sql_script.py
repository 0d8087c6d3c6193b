"""A plan's ready entries as guarded SQL, for places where no tool may write.

Every statement looks at its own evidence, so that a script that runs late, or twice, writes nothing that is no longer
called for. Each request is one transaction.
"""

from collections.abc import Iterator, Mapping, Sequence

from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.instants import format_instant
from stovepipe_cli.repair.sql_words import Dialect, comment, equals, literal, name, now_ms, text
from stovepipe_cli.repair.steps import RequestSteps, Step, steps_of
from stovepipe_cli.repair.written_rows import Cells, key_cells, table_written
from stovepipe_cli.reports import Evidence, PlanEntry, RepairPlan, canonical_json
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import metadata_text
from stovepipe_cli.storage.contract.tables import REQUEST_LOG, REQUEST_SUMMARY, TABLES, Table

Columns = Mapping[str, frozenset[str]]

BEGIN: Mapping[Dialect, str] = {"mysql": "START TRANSACTION;", "sqlite": "BEGIN IMMEDIATE;"}


def sql_script(plan: RepairPlan, dialect: Dialect, columns: Columns) -> str:
    """The script; `columns` names the columns that each table has. An empty plan gives comments alone."""
    lines = [
        comment(f"stovepipe repair plan {plan.plan_id} for queue '{plan.queue}'"),
        comment(f"database {plan.target.database} on {plan.target.host}, identity {plan.target.identity}"),
        comment(f"made {format_instant(plan.created_at_ms)}, expires {format_instant(plan.expires_at_ms)}"),
        comment(f"digest {plan.digest}"),
    ]
    if dialect == "mysql":
        lines.append("SET NAMES utf8mb4;")
    script = _Script(plan, dialect, columns)
    for request in steps_of(plan, max_entries=len(plan.entries)):
        subject = f"request '{request.request_id}'" if request.request_id else "the queue itself"
        lines += ["", comment(subject), BEGIN[dialect], *script.request(request), "COMMIT;"]
    return "\n".join(lines) + "\n"


def columns_of(storage: Storage) -> Columns:
    """The columns of each table that is there."""
    views = {table: storage.audit.view(table) for table in TABLES}
    return {table: view.columns for table, view in views.items() if view is not None}


class _Script:
    def __init__(self, plan: RepairPlan, dialect: Dialect, columns: Columns) -> None:
        self._queue = plan.queue
        self._tag = None if plan.options.get("no_tag") else plan.plan_id
        self._dialect = dialect
        self._columns = columns

    def request(self, request: RequestSteps) -> Iterator[str]:
        """The statements of one request, in order."""
        forms: list[Cells] = []
        for step in request.steps:
            guards = [
                self._holds(evidence, forms)
                for evidence in step.lead.evidence
                # MySQL lets no update ask about its own table, and an update compares the whole row before it.
                if not step.lead.is_update or evidence.table != table_written(step.lead.action).name
            ]
            yield comment(f"{step.lead.code} {step.lead.action}: {step.lead.reason}")
            for evidence in step.lead.evidence:
                yield comment(f"evidence: {canonical_json(evidence)}")
            yield self._statement(step.lead, guards, step)
            forms += _summaries(step.lead)
            for entry in step.follows:
                yield comment(f"{entry.code} {entry.action}: {entry.reason}")
                yield self._statement(entry, [self._is_retained(step.lead)], step)
                forms += _summaries(entry)

    def _statement(self, entry: PlanEntry, guards: Sequence[str], step: Step) -> str:
        table, cells = table_written(entry.action), entry.entry or {}
        values = {
            column.name: self._value(table, column.name, cells, step)
            for column in table.columns
            if column.name != table.queue_column and self._has(table, column.name)
        }
        if entry.is_update:
            key = {*key_cells(table, cells), "uri"}
            changes = ", ".join(f"{self._name(each)} = {value}" for each, value in values.items() if each not in key)
            where = _all([self._where(table, entry.before or {}), *guards])
            return " ".join(("UPDATE", self._name(table.name), "SET", changes + "\n  WHERE", where + ";"))
        names = ", ".join(self._name(each) for each in (table.queue_column, *values))
        selected = ", ".join((literal(self._queue, table.column(table.queue_column), self._dialect), *values.values()))
        source = " FROM DUAL" if self._dialect == "mysql" else ""
        where = _all([f"NOT {self._exists(table, key_cells(table, cells))}", *guards])
        into = ("INSERT INTO", self._name(table.name), f"({names})\n  SELECT")
        return " ".join((*into, selected + source + "\n  WHERE", where + ";"))

    def _value(self, table: Table, column: str, cells: Cells, step: Step) -> str:
        value = cells[column]
        if column == "metadata" and isinstance(value, Mapping):
            tag = {} if self._tag is None else {REPAIR_RUN_ID: self._tag}
            return text(metadata_text({**{key: str(each) for key, each in value.items()}, **tag}), self._dialect)
        if value is not None:
            return literal(value, table.column(column), self._dialect)
        if table is REQUEST_LOG:
            return now_ms(self._dialect)
        entry = self._where(REQUEST_LOG, key_cells(REQUEST_LOG, step.lead.entry or {}))
        parts = ("SELECT", self._name("timestamp_ms"), "FROM", self._name(REQUEST_LOG.name), "WHERE", entry)
        return f"({' '.join(parts)})"

    def _holds(self, evidence: Evidence, forms: Sequence[Cells]) -> str:
        """The evidence as it was, or a summary as earlier statements of this script have made it."""
        table = TABLES[evidence.table]
        if evidence.values is None:
            holds = f"NOT {self._exists(table, evidence.key)}"
        else:
            holds = self._exists(table, {**evidence.key, **evidence.values})
        if table is not REQUEST_SUMMARY or not forms:
            return holds
        return f"({' OR '.join((holds, *(self._exists(table, form) for form in forms)))})"

    def _is_retained(self, lead: PlanEntry) -> str:
        cells = dict(lead.entry or {})
        cells.pop("metadata", None)
        return self._exists(REQUEST_LOG, cells)

    def _exists(self, table: Table, cells: Mapping[str, object]) -> str:
        parts = ("SELECT 1 FROM", self._name(table.name), "WHERE", self._where(table, cells))
        return f"EXISTS ({' '.join(parts)})"

    def _where(self, table: Table, cells: Mapping[str, object]) -> str:
        own = equals(table, table.queue_column, self._queue, self._dialect)
        # Metadata never changes once it is retained, and is not compared by any text that both servers agree on.
        compared = [
            equals(table, each, value, self._dialect)
            for each, value in cells.items()
            if value is not None and each != "metadata" and self._has(table, each)
        ]
        return _all([own, *compared])

    def _has(self, table: Table, column: str) -> bool:
        return column in self._columns.get(table.name, frozenset())

    def _name(self, word: str) -> str:
        return name(word, self._dialect)


def _summaries(entry: PlanEntry) -> list[Cells]:
    is_summary = table_written(entry.action) is REQUEST_SUMMARY
    return [entry.entry] if is_summary and entry.entry is not None else []


def _all(conditions: Sequence[str]) -> str:
    return " AND ".join(conditions)
