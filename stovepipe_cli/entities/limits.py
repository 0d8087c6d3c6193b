"""Limits and ranges that every entity shares; SQLite enforces none of them, so they are checked here."""

from stovepipe_cli.errors import InvalidEntity

QUEUE_BYTES = 255
TEXT_CHARACTERS = 255
STATE_CHARACTERS = 64
REQUEST_ID_BYTES = 1020
BUILD_ID_BYTES = 1020
TASK_ID_BYTES = 255
UNIT_ID_BYTES = 1024
ISSUE_EVENT_BYTES = 32
MAX_INT32 = 2**31 - 1
MAX_INT64 = 2**63 - 1


def require_version(kind: str, version: int) -> None:
    """Refuse a row version outside 1 to 2147483647."""
    if not 1 <= version <= MAX_INT32:
        raise InvalidEntity(f"{kind} has version {version}", hint=f"versions run from 1 to {MAX_INT32}")


def require_positive_ms(kind: str, field: str, value: int) -> None:
    """Refuse a time that is not a positive count of Unix milliseconds."""
    if not 0 < value <= MAX_INT64:
        raise InvalidEntity(f"{kind} has {field} {value}", hint=f"{field} is a positive time in Unix milliseconds")


def require_count(kind: str, field: str, value: int, *, highest: int = MAX_INT32) -> None:
    """Refuse a count below zero or beyond its column."""
    if not 0 <= value <= highest:
        raise InvalidEntity(f"{kind} has {field} {value}", hint=f"{field} runs from 0 to {highest}")
