"""The rows of an SQL ledger behind its stores."""

import contextlib
import sqlite3
from typing import Any

import pymysql

from stovepipe_cli.storage.ledger.contract import Ledger

RAW_ERRORS = (sqlite3.Error, pymysql.Error)
Row = tuple[Any, ...]


class RawLedger:
    """A connection of its own to a ledger that was written to."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        ledger.admin.init()
        place, _, database = ledger.place.partition("/")
        self.is_file = ledger.is_private
        self._connection: Any
        if ledger.is_private:
            self._connection = sqlite3.connect(ledger.place, isolation_level=None)
        else:
            host, _, port = place.partition(":")
            self._connection = pymysql.connect(
                host=host, port=int(port), user="root", database=database, autocommit=True
            )

    def execute(self, sql: str) -> list[Row]:
        """Run one statement; its rows."""
        with contextlib.closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def forbid_changes_of(self, table: str) -> None:
        """Let every update and delete of a table's rows fail."""
        failing = (
            "SELECT RAISE(ABORT, 'rows are never changed')"
            if self.is_file
            else "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'rows are never changed'"
        )
        for number, change in enumerate(("UPDATE", "DELETE")):
            name = f"forbid_{table}_{number}"
            self.execute(f"CREATE TRIGGER {name} BEFORE {change} ON {table} FOR EACH ROW BEGIN {failing}; END")

    def close(self) -> None:
        self._connection.close()
