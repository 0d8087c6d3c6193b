"""The file of known findings: JSON lines, so that a change of one of them is a change of one line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from stovepipe_cli.audit.baseline import KnownFinding
from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.instants import format_instant, parse_instant
from stovepipe_cli.reports import json_form
from stovepipe_cli.reports.json_form import text_of

FORMAT = "stovepipe_baseline"
VERSION = 1

_KEYS = ("queue", "id", "code", "request_id", "found", "expires", "reason")
_OPTIONAL = frozenset({"request_id"})
_MOST_BYTES_A_LINE = 1 << 20


def read_baseline(path: Path) -> tuple[KnownFinding, ...]:
    """The entries of a file. `InvalidInput`, with the line, for one that cannot be understood to the last word."""
    try:
        with path.open(encoding="utf-8") as file:
            return tuple(_entries(str(path), file))
    except OSError as error:
        reason = error.strerror or "input/output error"
        raise InvalidInput(
            f"the baseline '{path}' cannot be read: {reason}", hint="write one with --write-baseline FILE"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the baseline '{path}' is not UTF-8", hint="write it again") from error


def require_replaceable(path: Path) -> None:
    """Refuse to write a baseline over a file that is none: `Refused`."""
    try:
        with path.open("rb") as file:
            first = file.readline(1000)
    except FileNotFoundError:
        return
    except OSError:
        first = b"unreadable"
    if first and f'"{FORMAT}"'.encode() not in first:
        raise Refused(f"'{path}' exists and is no baseline", hint="choose another name, or move the file away")


def baseline_text(entries: Iterable[KnownFinding]) -> Iterator[str]:
    """The lines of a file, in the order of the entries."""
    yield json.dumps({FORMAT: VERSION}) + "\n"
    for entry in entries:
        expires = None if entry.expires_at_ms is None else format_instant(entry.expires_at_ms)
        values = (entry.queue, entry.id, entry.code, entry.request_id, entry.found, expires, entry.reason)
        line = {key: json_form(value) for key, value in zip(_KEYS, values, strict=True)}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def entry_of(queue: str, finding: Mapping[str, Any], *, expires_at_ms: int | None, reason: str) -> KnownFinding:
    """The entry that makes a finding known, from the finding's JSON form."""
    return KnownFinding(
        queue=queue,
        id=finding["id"],
        code=finding["code"],
        request_id=text_of(finding["request_id"]),
        found=finding["found"],
        expires_at_ms=expires_at_ms,
        reason=reason,
    )


def _entries(name: str, lines: Iterable[str]) -> Iterator[KnownFinding]:
    seen: set[tuple[str, str]] = set()
    number = 0
    for number, line in enumerate(lines, start=1):
        where = f"{name}:{number}"
        value = _object(where, line)
        if number == 1:
            _require_format(where, value)
            continue
        entry = _entry(where, value)
        if (entry.queue, entry.id) in seen:
            raise InvalidInput(f"{where}: finding '{entry.id}' comes a second time", hint="remove one of the two lines")
        seen.add((entry.queue, entry.id))
        yield entry
    if not number:
        raise InvalidInput(f"the baseline '{name}' is empty", hint="write one with --write-baseline FILE")


def _object(where: str, line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(f"{where}: the line is no JSON object", hint="a baseline has one object a line")
    return value


def _require_format(where: str, value: Mapping[str, Any]) -> None:
    if value != {FORMAT: VERSION}:
        raise InvalidInput(
            f"{where}: the file does not begin as a baseline of format {VERSION}",
            hint="write one with --write-baseline FILE",
        )


def _entry(where: str, value: Mapping[str, Any]) -> KnownFinding:
    unknown = [key for key in value if key not in _KEYS]
    missing = [key for key in _KEYS if key not in value and key not in _OPTIONAL]
    if unknown or missing:
        problem = f"unknown key '{unknown[0]}'" if unknown else f"key '{missing[0]}' is missing"
        raise InvalidInput(f"{where}: {problem}", hint=f"an entry has the keys {', '.join(_KEYS)}")
    texts = {key: text_of(value.get(key)) for key in ("queue", "id", "code", "reason")}
    for key, text in texts.items():
        if not text or not text.strip():
            raise InvalidInput(f"{where}: '{key}' is no text, or empty", hint="every known finding has a reason")
    expires = value["expires"]
    if expires is not None and not isinstance(expires, str):
        raise InvalidInput(f"{where}: 'expires' is no point in time", hint="write 2026-01-31T00:00:00Z, or null")
    try:
        # Relative times would mean something else every time the file is read.
        expires_at_ms = None if expires is None else parse_instant(expires, now_ms=-1)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.message}", hint="write 2026-01-31T00:00:00Z, or null") from None
    return KnownFinding(
        queue=texts["queue"] or "",
        id=texts["id"] or "",
        code=texts["code"] or "",
        request_id=text_of(value.get("request_id")),
        found=value["found"],
        expires_at_ms=expires_at_ms,
        reason=texts["reason"] or "",
    )
