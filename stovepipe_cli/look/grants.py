"""The rights that each role needs, as statements for a database administrator."""

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


def list_grants(admin: DatabaseAdmin, role: str, account: str) -> ListReport[GrantItem]:
    """Statements for the tables that are there; `UsageError` for an unknown role.

    `audit` reads; `repair` also inserts what it repairs and moves the two projections; `ledger` has a database of its
    own and nothing of the service's.
    """
    if role not in ROLES:
        raise UsageError(f"there is no role '{role}'", hint=f"use one of {', '.join(ROLES)}")
    user = _account(account)
    if role == "ledger":
        statement = (
            f"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON {_quoted(LEDGER_DATABASE)}.* TO {user};"
        )
        return ListReport((GrantItem(statement),), None, GrantItem)
    state = admin.ping()
    if state.backend != "mysql":
        note = "an SQLite file has no accounts: whoever may write the file may write every table"
        return ListReport((), None, GrantItem, (note,))
    absent = {drift.table for drift in admin.drift() if drift.kind == "table-absent"}
    items = []
    for name in TABLES:
        if name in absent:
            continue
        rights = ["SELECT"]
        if role == "repair":
            rights += ["INSERT"] if name in INSERTED else []
            rights += ["UPDATE"] if name in UPDATED else []
        items.append(GrantItem(f"GRANT {', '.join(rights)} ON {_quoted(state.database)}.{_quoted(name)} TO {user};"))
    notes = (f"not granted, since they are absent: {', '.join(sorted(absent))}",) if absent else ()
    return ListReport(tuple(items), None, GrantItem, notes)


def _account(text: str) -> str:
    name, _, host = text.partition("@")
    return f"{_literal(name)}@{_literal(host or '%')}"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
