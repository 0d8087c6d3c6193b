"""How far a replica is behind, by the word that each server product and version has for it."""

from collections.abc import Sequence
from typing import Any

from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.session import Session

# MariaDB names every source at once by the first; MySQL has known the second since 8.0.22 and the third before.
QUESTIONS = ("SHOW ALL SLAVES STATUS", "SHOW REPLICA STATUS", "SHOW SLAVE STATUS")
LAG_COLUMNS = ("seconds_behind_source", "seconds_behind_master")


def replica_lag_ms(session: Session, errors: tuple[type[Exception], ...], *, alone_ms: int | None = None) -> int | None:
    """The lag behind the slowest source, `alone_ms` where there is none; None where the server does not know it."""
    for question in QUESTIONS:
        try:
            names, rows = _named_rows(session, question)
        except errors as error:
            # A statement that the product does not know, which is a fault of syntax and costs nothing.
            if fault_of(error) is Fault.OTHER and question != QUESTIONS[-1]:
                continue
            raise
        column = next((names.index(name) for name in LAG_COLUMNS if name in names), None)
        lags = [int(row[column]) for row in rows if column is not None and row[column] is not None]
        if not rows:
            return alone_ms
        return max(lags) * 1000 if lags and len(lags) == len(rows) else None
    return alone_ms


def _named_rows(session: Session, question: str) -> tuple[list[str], Sequence[tuple[Any, ...]]]:
    cursor = session.connection.cursor()
    try:
        cursor.execute(question, ())
        names = [str(column[0]).lower() for column in cursor.description or ()]
        return names, cursor.fetchall()
    finally:
        cursor.close()
