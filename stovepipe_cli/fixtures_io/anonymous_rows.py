"""Rows under pseudonyms: who and what is gone, while every relation between rows that a rule looks at still holds."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from stovepipe_cli.fixtures_io.pseudonyms import Pseudonyms
from stovepipe_cli.history.identity import (
    BUILD_KEYED_EVENTS,
    WHOLE_BATCH,
    WHOLE_REPOSITORY,
    event_log_id,
    fact_occurrence,
    is_digest,
    parse_log_id,
)
from stovepipe_cli.history.metadata_keys import (
    BASE_URI,
    BROKEN_PROJECT_FACT_COUNT,
    BUILD_ID,
    FACT_DEGREE,
    MAX_VALUE_BYTES,
    PROJECT_FACT_COUNT,
    SUPERSEDED_BY,
)
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from stovepipe_cli.storage.contract.rows import TABLE_OF, RequestLogRow, Row

Text = Callable[[Pseudonyms, str], str]

# What the text of a column is, by its name, which means the same in every table.
_REQUEST: Text = Pseudonyms.request
_URI: Text = Pseudonyms.uri
_BUILD: Text = Pseudonyms.build
_WORD: Text = Pseudonyms.word


def _task(names: Pseudonyms, text: str) -> str:
    return names.name("task", text)


def _unit(names: Pseudonyms, text: str) -> str:
    return names.name("unit", text)


def _project(names: Pseudonyms, text: str) -> str:
    return names.name("project", text)


_COLUMNS: Mapping[str, Text] = MappingProxyType(
    {
        "uri": _URI,
        "base_uri": _URI,
        "last_green_uri": _URI,
        "request_id": _REQUEST,
        "latest_request_id": _REQUEST,
        "last_green_request_id": _REQUEST,
        "terminal_build_id": _BUILD,
        "build_id": _BUILD,
        "first_seen_build_id": _BUILD,
        "project": _project,
        "task_id": _task,
        "unit_id": _unit,
        "state": _WORD,
        "status": _WORD,
        "event": _WORD,
        "build_strategy": _WORD,
        "outcome_reason": _WORD,
        "enablement_state": _WORD,
    }
)
_IDS: Mapping[str, Text] = MappingProxyType({"request": _REQUEST, "build": _BUILD})
_METADATA: Mapping[str, Text] = MappingProxyType(
    {
        BASE_URI: _URI,
        "uri": _URI,
        BUILD_ID: _BUILD,
        SUPERSEDED_BY: _REQUEST,
        "task_id": _task,
        "unit_id": _unit,
        "project": _project,
    }
)
_NUMBERS = frozenset({FACT_DEGREE, PROJECT_FACT_COUNT, BROKEN_PROJECT_FACT_COUNT})

_NUMBER = re.compile(r"[0-9.eE+\-]{1,24}\Z")
_SEQUENCE = re.compile(r"enablement/-?[0-9]{1,19}\Z")
_LOG_ID_CHARACTERS = 255
# Events of one build each, beside those whose metadata must name it.
_OF_A_BUILD = BUILD_KEYED_EVENTS | {"build_analysis_abandoned"}


class AnonymousRows:
    """Rewrites rows of one queue."""

    def __init__(self, names: Pseudonyms) -> None:
        self._names = names

    def row(self, row: Row, commits: Collection[str]) -> Row:
        """The row under pseudonyms; `commits` are those of an entry's request, whose digests its id may hold."""
        table = TABLE_OF[type(row)]
        values = [
            self._value(table.name, name, table.column(name).kind, value)
            for name, value in zip(row._fields, row, strict=True)
        ]
        made = type(row)._make(values)
        if isinstance(row, RequestLogRow) and isinstance(made, RequestLogRow):
            return made._replace(log_id=self._log_id(row.log_id, commits))
        return made

    def _value(self, table: str, name: str, kind: str, value: object) -> object:
        if isinstance(value, int) and (name.endswith("_ms") or name == "created_at"):
            return self._names.moment(value)
        if not isinstance(value, str):
            return value
        if kind == "json":
            return self._metadata(value)
        if name == "log_id":
            # Of a queue's log; those of requests need the commits of their request.
            return value if _SEQUENCE.match(value) else self._names.name("id", value)
        text = _IDS[table] if name == "id" else _COLUMNS[name]
        return text(self._names, value)

    def _log_id(self, log_id: str, commits: Collection[str]) -> str:
        names, parsed = self._names, parse_log_id(log_id)
        if parsed.kind == "state":
            return log_id
        if parsed.kind == "obsolete":
            return f"log/{names.digest('log', log_id)}"
        if parsed.kind == "unknown":
            return names.name("id", log_id)
        made = event_log_id(names.word(parsed.event), self._occurrence(parsed.event, parsed.occurrence, commits))
        return made[:_LOG_ID_CHARACTERS]

    def _occurrence(self, event: str, occurrence: str, commits: Collection[str]) -> str:
        if occurrence in {WHOLE_BATCH, WHOLE_REPOSITORY}:
            return occurrence
        if event in _OF_A_BUILD:
            return self._names.build(occurrence)
        if not is_digest(occurrence):
            return self._names.name("id", occurrence)
        for uri in commits:
            if occurrence == fact_occurrence(uri):
                return fact_occurrence(self._names.uri(uri))
        return self._names.digest("digest", occurrence)

    def _metadata(self, text: str) -> str:
        metadata = parse_metadata(text)
        if metadata is None:
            return self._damaged_metadata(text)
        if not metadata:
            return text
        return metadata_text(
            {self._names.metadata_key(key): self._metadata_value(key, value) for key, value in metadata.items()}
        )

    def _metadata_value(self, key: str, value: str) -> str:
        names = self._names
        if key in _NUMBERS and _NUMBER.match(value):
            return value
        made = _METADATA[key](names, value) if key in _METADATA else names.message(value)
        size = len(key_bytes(value))
        # A value beyond its limit stays beyond it.
        return made.ljust(size, "0") if size > MAX_VALUE_BYTES else made

    def _damaged_metadata(self, text: str) -> str:
        """JSON of the same shape, with pseudonyms for its texts and 0 for its numbers."""
        try:
            shape = self._shape(json.loads(text))
        except (ValueError, RecursionError):
            shape = self._names.message(text)
        return json.dumps(shape, ensure_ascii=True, separators=(",", ":"))

    def _shape(self, value: object) -> object:
        if isinstance(value, str):
            return self._names.message(value)
        if isinstance(value, list):
            return [self._shape(item) for item in value]
        if isinstance(value, dict):
            return {self._names.metadata_key(key): self._shape(item) for key, item in value.items()}
        return 0 if isinstance(value, float | int) and not isinstance(value, bool) else value
