"""JSON documents as text: one spelling a value, so that equal texts are equal values."""

import json
from collections.abc import Mapping
from typing import Any

from stovepipe_cli.entities.run import RunHeader
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract.errors import UnreadableRow

_PLAIN = (str, int, float, bool, type(None))


def document_text(subject: str, value: Mapping[str, object]) -> str:
    """The text of a document; `InvalidEntity` where it holds anything but JSON values."""
    if not _is_json(value):
        raise InvalidEntity(
            f"{subject} holds a value that is not JSON", hint="use text, numbers, truth values, lists and objects"
        )
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), default=dict
        )
    except (ValueError, RecursionError):
        raise InvalidEntity(
            f"{subject} holds a value that is not JSON", hint="NaN and endless nesting are none"
        ) from None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Bytes that are not UTF-8 travel as lone surrogates, which JSON can spell and UTF-8 cannot.
        return json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":"), default=dict)
    return text


def document_of(text: str, subject: str) -> dict[str, Any]:
    """The document of a text, new at every call; `UnreadableRow` where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UnreadableRow(f"{subject} holds a document that is no JSON object", hint="another program wrote it")
    return value


def header_text(run_id: str, header: RunHeader) -> str:
    """The text of a run's header."""
    return document_text(
        f"run '{run_id}'",
        {
            "profile": header.profile,
            "target": header.target,
            "revisions": header.revisions,
            "options": header.options,
            "actor": header.actor,
            "reason": header.reason,
            "counts": header.counts,
            "failures": list(header.failures),
            "stopped_because": header.stopped_because,
            "document": header.document,
        },
    )


def header_of(text: str, run_id: str) -> RunHeader:
    """The header of a text; what it does not name has its default."""
    found = document_of(text, f"run '{run_id}'")
    return RunHeader(
        profile=found.get("profile"),
        target=found.get("target", {}),
        revisions=found.get("revisions", {}),
        options=found.get("options", {}),
        actor=found.get("actor", ""),
        reason=found.get("reason", ""),
        counts=found.get("counts", {}),
        failures=tuple(found.get("failures", ())),
        stopped_because=found.get("stopped_because"),
        document=found.get("document", {}),
    )


def _is_json(value: object) -> bool:
    left: list[object] = [value]
    while left:
        each = left.pop()
        if isinstance(each, Mapping):
            if not all(isinstance(name, str) for name in each):
                return False
            left.extend(each.values())
        elif isinstance(each, list | tuple):
            left.extend(each)
        elif not isinstance(each, _PLAIN):
            return False
    return isinstance(value, Mapping)
