"""A difference that verify found: data, with a stable id."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.keys import key_bytes
from stovepipe_cli.reports.json_form import JsonValue, canonical_json

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The row the finding is about, or the row that should exist: table and primary key without the queue."""

    table: str
    key: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Read:
    """What one read saw, at the database's time."""

    at_ms: int
    found: JsonValue


@dataclass(frozen=True, slots=True)
class Finding:
    """`request_id` is None where no request is concerned; `repair` is the command that repairs it, or None."""

    id: str
    code: str
    name: str
    severity: Severity
    request_id: str | None
    subject: Subject
    expected: JsonValue
    found: JsonValue
    reads: tuple[Read, ...]
    message: str
    repair: str | None


def finding_id(queue: str, code: str, subject: Subject) -> str:
    """`CODE:` and 16 hex digits of SHA-256 over queue, code and subject: the same in every run."""
    digest = hashlib.sha256()
    for part in (key_bytes(queue), code.encode(), canonical_json(subject).encode()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return f"{code}:{digest.hexdigest()[:16]}"
