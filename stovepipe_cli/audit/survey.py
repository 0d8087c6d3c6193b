"""Which tables and rules a verify can use: what is there, what is absent, what may not be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES, PassName, select_codes
from stovepipe_cli.audit.rules.rule import Judge
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.errors import UsageError
from stovepipe_cli.storage.contract import AuditReader, AuditSnapshot, StorageUnavailable, TableView, UnreadableRow
from stovepipe_cli.storage.contract.rows import TABLE_OF, RequestRow
from stovepipe_cli.storage.contract.tables import TABLES

PASS_TABLES: Mapping[PassName, str] = {
    "requests": "request",
    "builds": "build",
    "facts": "validation_fact",
    "acceptances": "request_acceptance",
    "uris": "request_uri",
    "queue": "queue",
    "issues": "open_issue",
    "degrees": "project_fact_by_degree",
}

FOREIGN = "H114"

# Needed for what every verify tells: legacy requests, and A401 beside a mapping at another time.
ALWAYS_JUDGED = frozenset({"H101", "A403", "A404"})


@dataclass(frozen=True, slots=True)
class Survey:
    """`chosen` are the codes asked for, `checked` those of them whose tables can be read."""

    views: Mapping[str, TableView]
    absent: frozenset[str]
    unreadable: Mapping[str, str]
    chosen: frozenset[str]
    checked: frozenset[str]
    notes: tuple[str, ...]
    blocking: tuple[str, ...]

    def has(self, *tables: str) -> bool:
        """Whether all these tables can be read."""
        return all(table in self.views for table in tables)

    def runs(self, name: PassName) -> bool:
        """Whether a pass has a table to walk over and something to check."""
        view = self.views.get(PASS_TABLES[name])
        if view is None:
            return False
        codes = self.checked
        if view.is_queue_exact and name != "requests":
            # There can be no foreign rows, and a walk to find them would be for nothing.
            codes -= {FOREIGN}
        return any(name in RULES[code].passes for code in codes)

    def checks(self, *codes: str) -> bool:
        """Whether any of these rules is checked."""
        return not self.checked.isdisjoint(codes)

    def judges(self, *names: PassName, is_by_entry: bool | None = None) -> tuple[Judge, ...]:
        """The functions of the rules that these passes look for, each once; all, or only those of one kind."""
        codes = self.checked | {code for code in ALWAYS_JUDGED if self.has(*RULES[code].tables)}
        found: dict[Judge, None] = {}
        for code in RULES:
            rule = RULES[code]
            if is_by_entry is not None and rule.is_by_entry != is_by_entry:
                continue
            if code in codes and any(name in rule.passes for name in names):
                found[rule.judge] = None
        return tuple(found)

    def tables_of(self, *names: PassName) -> frozenset[str]:
        """The tables that the rules of these passes read, those included that they can do without."""
        return frozenset(
            table
            for code in self.checked
            if any(name in RULES[code].passes for name in names)
            for table in (*RULES[code].tables, *RULES[code].also_reads)
        )


def survey(reader: AuditReader, options: VerifyOptions) -> Survey:
    """Look at every table once. `StorageUnavailable` where the database, or its request table, cannot be read."""
    chosen = select_codes(options.select, options.ignore)
    views, absent, unreadable = _views(reader)
    unknown = [table for table in options.expect_tables if table not in TABLES]
    if unknown:
        raise UsageError(
            f"expect_tables names '{unknown[0]}', which is no table of the service",
            hint=f"known tables: {', '.join(TABLES)}",
        )
    expected = {table.name for table in TABLES.values() if table.expected} | set(options.expect_tables)
    if options.select:
        expected |= {table for code in chosen for table in RULES[code].tables}
    notes: list[str] = []
    blocking: list[str] = []
    missing: list[str] = []
    for table in TABLES:
        if table in absent:
            unchecked = _unchecked(chosen, table)
            if table in expected:
                blocking.append(f"table '{table}' is absent{unchecked}")
            elif unchecked:
                missing.append(table)
        elif table in unreadable and (table in expected or _unchecked(chosen, table)):
            blocking.append(f"table '{table}' may not be read{_unchecked(chosen, table)}")
    if missing:
        names = ", ".join(f"'{table}'" for table in missing)
        noun = f"table {names} is" if len(missing) == 1 else f"tables {names} are"
        notes.append(f"{noun} absent{_unchecked(chosen, *missing)}")
    checked = frozenset(code for code in chosen if all(table in views for table in RULES[code].tables))
    return Survey(views, frozenset(absent), unreadable, chosen, checked, tuple(notes), tuple(blocking))


def _views(reader: AuditReader) -> tuple[dict[str, TableView], set[str], dict[str, str]]:
    views: dict[str, TableView] = {}
    absent: set[str] = set()
    unreadable: dict[str, str] = {}
    for table in TABLES:
        try:
            view = reader.view(table)
        except StorageUnavailable as error:
            # Trying again helps a lost connection; a refusal of one table leaves the others to be read.
            if error.retryable or table == "request":
                raise
            unreadable[table] = error.message
            continue
        if view is None:
            absent.add(table)
        else:
            views[table] = view
    return views, absent, unreadable


def _unchecked(chosen: frozenset[str], *tables: str) -> str:
    codes = [code for code in RULES if code in chosen and not set(tables).isdisjoint(RULES[code].tables)]
    if not codes:
        return ""
    noun = "rule" if len(codes) == 1 else "rules"
    return f": {noun} {', '.join(codes)} {'was' if len(codes) == 1 else 'were'} not checked"


def is_empty(snapshots: Snapshots, views: Mapping[str, TableView]) -> bool:
    """Whether the queue has no row in any table that can be read."""

    def has_row(snapshot: AuditSnapshot) -> bool:
        # Which row type it is does not matter: only whether there is one.
        return any(
            snapshot.page(cast("type[RequestRow]", row_type), limit=1).rows
            for row_type, table in TABLE_OF.items()
            if table.name in views
        )

    try:
        return not snapshots.read(has_row)
    except UnreadableRow:
        # There is one, whatever it holds.
        return False
