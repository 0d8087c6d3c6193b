"""Documents as they are expected, around what a test expects of one."""

import sqlite3
from typing import Any

from tests.cli.running import Program

QUEUE = "demo/main"
# The two requests whose commits lead nowhere in scenario u501.
FIRST, SECOND = "request/demo/main/192", "request/demo/main/193"
FIRST_URI, SECOND_URI = "git://origin/demo/main/b1dcc10f5617", "git://origin/demo/main/086c0b442359"


def document(program: Program, **expected: object) -> dict[str, Any]:
    """The document that is expected, of which the target and what nobody names is filled in."""
    file = program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    target = {
        "profile": None,
        "origin": "environment STOVEPIPE_DATABASE_URL",
        "host": "",
        "database": file,
        "server_version": sqlite3.sqlite_version,
    }
    usual: dict[str, Any] = {
        "queue": QUEUE,
        "target": target,
        "verdict": "clean",
        "exit_code": 0,
        "data": None,
        "errors": [],
    }
    return {"schema": "stovepipe/v1", **usual, **expected}


def failure(code: str, message: str, hint: str | None, *, retryable: bool = False) -> list[dict[str, Any]]:
    return [{"code": code, "message": message, "hint": hint, "retryable": retryable}]
