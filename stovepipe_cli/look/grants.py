"""The rights that each role needs, as statements for a database administrator."""

from collections.abc import Callable, Collection
from typing import Literal, get_args

from stovepipe_cli.errors import UsageError
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import GrantItem
from stovepipe_cli.storage.contract import DatabaseAdmin
from stovepipe_cli.storage.contract.tables import TABLES

Role = Literal["audit", "repair", "ledger"]
ROLES: tuple[Role, ...] = get_args(Role)

INSERTED = ("request_log", "request_summary", "request_acceptance", "request_uri", "queue_summary")
UPDATED = ("request_summary", "queue_summary")
LEDGER_DATABASE = "stovepipe_ledger"

_LEDGER_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX"


def list_grants(
    connect: Callable[[], DatabaseAdmin], role: str, account: str, *, ledger_database: str | None
) -> ListReport[GrantItem]:
    """Statements for the tables that are there; `UsageError` for an unknown role or an account without a name.

    `audit` reads; `repair` also inserts what it repairs and moves the two projections; `ledger` has a database of its
    own, None for the usual name, and nothing of the service's.
    """
    if role not in ROLES:
        raise UsageError(f"there is no role '{role}'", hint=f"use one of {', '.join(ROLES)}")
    user = _account(account)
    if role == "ledger":
        of_ledger = _every_table(ledger_database or LEDGER_DATABASE)
        return _report([f"GRANT {_LEDGER_RIGHTS} ON {of_ledger} TO {user};"], ())
    admin = connect()
    state = admin.ping()
    if state.backend != "mysql":
        return _report([], ("an SQLite file has no accounts: whoever may write the file may write every table",))
    absent = {drift.table for drift in admin.drift() if drift.kind == "table-absent"}
    there = [name for name in TABLES if name not in absent]
    database = _quoted(state.database)
    # A server answers a read of a table that is absent with "denied" to who has no right on the whole database.
    selected = [_every_table(state.database)] if absent else [f"{database}.{_quoted(name)}" for name in there]
    statements = [f"GRANT SELECT ON {each} TO {user};" for each in selected]
    if role == "repair":
        statements += [
            f"GRANT {', '.join(rights)} ON {database}.{_quoted(name)} TO {user};"
            for name in there
            if (rights := _writes(name))
        ]
    return _report(statements, _about_absent(absent, role))


def _report(statements: list[str], notes: tuple[str, ...]) -> ListReport[GrantItem]:
    return ListReport(tuple(map(GrantItem, statements)), None, GrantItem, notes)


def _writes(table: str) -> list[str]:
    return [right for right, tables in (("INSERT", INSERTED), ("UPDATE", UPDATED)) if table in tables]


def _about_absent(absent: Collection[str], role: str) -> tuple[str, ...]:
    if not absent:
        return ()
    names = ", ".join(name for name in TABLES if name in absent)
    notes = [f"reads are granted on the whole database, without which nobody can tell that these are absent: {names}"]
    written = [name for name in TABLES if name in absent and name in INSERTED]
    if role == "repair" and written:
        notes.append(f"print the grants again once these tables are there: {', '.join(written)}")
    return tuple(notes)


def _account(text: str) -> str:
    name, has_host, host = text.rpartition("@")
    if not has_host:
        name, host = text, "%"
    if not name or not host:
        raise UsageError(f"'{text}' is not an account", hint="write a user name, or user@host")
    return f"{_literal(name)}@{_literal(host)}"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _every_table(database: str) -> str:
    """A database as a whole, where `_` and `%` would stand for other databases too."""
    exact = database.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")
    return f"{_quoted(exact)}.*"
