"""What kind of failure a driver reports, by its number wherever it has one."""

import sqlite3
import ssl
from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class Fault(Enum):
    """Kinds of failure that are handled differently."""

    DUPLICATE = auto()
    TABLE_ABSENT = auto()
    COLUMN_ABSENT = auto()
    DATABASE_ABSENT = auto()
    LOGIN_REFUSED = auto()
    RIGHT_MISSING = auto()
    DEADLOCK = auto()
    LOCK_WAIT = auto()
    BUSY = auto()
    LOST = auto()
    UNREACHABLE = auto()
    TLS = auto()
    SERVER_READ_ONLY = auto()
    SESSION_READ_ONLY = auto()
    OVERLOADED = auto()
    TIMEOUT = auto()
    VALUE_REFUSED = auto()
    FILE_ABSENT = auto()
    FILE_FOREIGN = auto()
    DISK = auto()
    OTHER = auto()


MYSQL_FAULTS: Mapping[int, Fault] = MappingProxyType(
    {
        **dict.fromkeys((1022, 1062, 1586), Fault.DUPLICATE),
        **dict.fromkeys((1146,), Fault.TABLE_ABSENT),
        **dict.fromkeys((1054,), Fault.COLUMN_ABSENT),
        **dict.fromkeys((1049,), Fault.DATABASE_ABSENT),
        **dict.fromkeys((1045, 1251, 1524, 1698, 1820, 1862, 2059, 2061, 3118, 4151), Fault.LOGIN_REFUSED),
        **dict.fromkeys((1044, 1142, 1143, 1227, 1370), Fault.RIGHT_MISSING),
        # 1020: the row changed under a snapshot, which MariaDB reports since 11.6 where it used to wait.
        **dict.fromkeys((1020, 1213), Fault.DEADLOCK),
        **dict.fromkeys((1205,), Fault.LOCK_WAIT),
        # 0: a driver's own word for a connection that it has already closed.
        **dict.fromkeys(
            (0, 1053, 1077, 1078, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 2014, 2055, 4031),
            Fault.LOST,
        ),
        **dict.fromkeys((1042, 1043, 1129, 1130, 2002, 2003, 2004, 2005), Fault.UNREACHABLE),
        **dict.fromkeys((2026, 3159), Fault.TLS),
        **dict.fromkeys((1290, 1836), Fault.SERVER_READ_ONLY),
        **dict.fromkeys((1792,), Fault.SESSION_READ_ONLY),
        # 1047 and 1180: a cluster node that has no quorum answers with these.
        **dict.fromkeys((1037, 1040, 1041, 1047, 1180, 1203, 1226), Fault.OVERLOADED),
        **dict.fromkeys((1317, 1969, 3024), Fault.TIMEOUT),
        **dict.fromkeys((1048, 1153, 1264, 1265, 1292, 1364, 1366, 1406, 3140, 3819, 4025), Fault.VALUE_REFUSED),
        # Foreign keys, and triggers that refuse a row by SIGNAL: of no service, and still no reason to try again.
        **dict.fromkeys((1216, 1217, 1451, 1452, 1557, 1644), Fault.VALUE_REFUSED),
        **dict.fromkeys((1021, 1114), Fault.DISK),
    }
)

SQLITE_FAULTS: Mapping[int, Fault] = MappingProxyType(
    {
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: Fault.DUPLICATE,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE: Fault.DUPLICATE,
        sqlite3.SQLITE_CONSTRAINT: Fault.VALUE_REFUSED,
        sqlite3.SQLITE_TOOBIG: Fault.VALUE_REFUSED,
        sqlite3.SQLITE_MISMATCH: Fault.VALUE_REFUSED,
        sqlite3.SQLITE_BUSY: Fault.BUSY,
        sqlite3.SQLITE_LOCKED: Fault.BUSY,
        sqlite3.SQLITE_PROTOCOL: Fault.BUSY,
        sqlite3.SQLITE_READONLY: Fault.SESSION_READ_ONLY,
        sqlite3.SQLITE_CANTOPEN: Fault.FILE_ABSENT,
        sqlite3.SQLITE_PERM: Fault.FILE_ABSENT,
        sqlite3.SQLITE_NOTADB: Fault.FILE_FOREIGN,
        sqlite3.SQLITE_CORRUPT: Fault.FILE_FOREIGN,
        sqlite3.SQLITE_FULL: Fault.DISK,
        sqlite3.SQLITE_IOERR: Fault.DISK,
        sqlite3.SQLITE_INTERRUPT: Fault.TIMEOUT,
    }
)


def fault_of(error: BaseException) -> Fault:
    """The kind of failure that a driver's error stands for."""
    if isinstance(error, sqlite3.Error):
        return _sqlite_fault(error)
    if isinstance(getattr(error, "original_exception", None), ssl.SSLError):
        return Fault.TLS
    number = error.args[0] if error.args else None
    return MYSQL_FAULTS.get(number, Fault.OTHER) if isinstance(number, int) else Fault.OTHER


def _sqlite_fault(error: sqlite3.Error) -> Fault:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # The driver's own complaints: values that no SQLite column can hold, or a connection closed under the caller.
        return Fault.VALUE_REFUSED if isinstance(error, sqlite3.InterfaceError | sqlite3.DataError) else Fault.OTHER
    if code == sqlite3.SQLITE_ERROR:
        return _sqlite_schema_fault(str(error))
    # An extended code carries its general one in the lowest byte.
    return SQLITE_FAULTS.get(code) or SQLITE_FAULTS.get(code & 0xFF, Fault.OTHER)


def _sqlite_schema_fault(message: str) -> Fault:
    """SQLite has one number for every fault in a statement, so here alone its words decide."""
    if message.startswith("no such table"):
        return Fault.TABLE_ABSENT
    if message.startswith("no such column") or "has no column named" in message:
        return Fault.COLUMN_ABSENT
    return Fault.OTHER
