"""A history from the JSON document of an earlier `history show`: every field has its type, and there is none beside."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.history.placing import Places
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports import HistoryEntry, HistoryReport, JsonValue, Mark, RequestView
from stovepipe_cli.reports.json_form import text_of
from stovepipe_cli.reports.strict_json import parse_object

SCHEMA = "stovepipe/v1"
COMMANDS = ("history show", "historys show")
_ENVELOPE = frozenset({"schema", "command", "queue", "target", "verdict", "exit_code", "data", "errors"})
# Fields that documents of earlier versions lack.
_LATER = frozenset({"entries_total", "marks"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """A history and the queue that it was read from, None where the document does not say."""

    queue: str | None
    report: HistoryReport


def read_document(raw: bytes, name: str) -> StoredHistory:
    """The history in the bytes of the file `name`; `InvalidInput` names what is not as it must be."""
    return _Document(name).read(raw)


class _Document:
    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, raw: bytes) -> StoredHistory:
        envelope = parse_object(raw, self._refused)
        if envelope.keys() != _ENVELOPE or envelope["schema"] != SCHEMA:
            raise self._refused("is no document of this program, or of another version of it")
        if envelope["command"] not in COMMANDS:
            raise self._refused("is the answer of another command")
        if envelope["data"] is None:
            raise self._refused("holds no history: its command failed")
        report = self._report(self._object(envelope["data"], "data"))
        return StoredHistory(self._optional(self._text)(envelope["queue"], "queue"), report)

    def _report(self, data: Mapping[str, JsonValue]) -> HistoryReport:
        self._require_fields(data, HistoryReport, "data", absent=_LATER)
        request = data["request"]
        view = None if request is None else self._request(self._object(request, "request"))
        entries = sorted(
            (
                self._entry(self._object(each, f"entries[{index}]"), f"entries[{index}]")
                for index, each in enumerate(self._array(data["entries"], "entries"))
            ),
            key=lambda entry: _stored(entry).order,
        )
        if len({entry.log_id for entry in entries}) != len(entries):
            raise self._refused("holds one entry twice")
        total = self._integer(data.get("entries_total", len(entries)), "entries_total")
        if total < len(entries):
            raise self._refused("holds more entries than it counts")
        gaps = self._marks(data["gaps"], "gaps")
        end_version = view.version if view is not None and view.state in TERMINAL_STATES else 0
        places = Places([*map(_stored, entries)], end_version)
        return HistoryReport(
            request_id=self._text(data["request_id"], "request_id"),
            uri=self._optional(self._text)(data["uri"], "uri"),
            request=view,
            entries=tuple(entries),
            # In the order of the file those of one place stand as they did, the newest first or last.
            gaps=tuple(sorted(gaps, key=lambda gap: places.position(gap.log_id))),
            marks=self._marks(data.get("marks", []), "marks"),
            gap_positions=tuple(sorted(places.position(gap.log_id) for gap in gaps)),
            entries_total=total,
        )

    def _request(self, value: Mapping[str, JsonValue]) -> RequestView:
        self._require_fields(value, RequestView, "request")
        return RequestView(
            id=self._text(value["id"], "request.id"),
            uri=self._text(value["uri"], "request.uri"),
            state=self._text(value["state"], "request.state"),
            version=self._integer(value["version"], "request.version"),
            build_strategy=self._text(value["build_strategy"], "request.build_strategy"),
            base_uri=self._text(value["base_uri"], "request.base_uri"),
            terminal_build_id=self._text(value["terminal_build_id"], "request.terminal_build_id"),
        )

    def _entry(self, value: Mapping[str, JsonValue], place: str) -> HistoryEntry:
        self._require_fields(value, HistoryEntry, place)
        timestamp_ms = self._integer(value["timestamp_ms"], f"{place}.timestamp_ms")
        if value["time"] != format_instant(timestamp_ms):
            raise self._refused(f"has two different times in {place}")
        return HistoryEntry(
            log_id=self._text(value["log_id"], f"{place}.log_id"),
            timestamp_ms=timestamp_ms,
            time=format_instant(timestamp_ms),
            state=self._text(value["state"], f"{place}.state"),
            event=self._text(value["event"], f"{place}.event"),
            request_version=self._integer(value["request_version"], f"{place}.request_version"),
            outcome_reason=self._text(value["outcome_reason"], f"{place}.outcome_reason"),
            metadata=self._metadata(value["metadata"], f"{place}.metadata"),
        )

    def _metadata(self, value: JsonValue, place: str) -> Mapping[str, str] | str:
        if isinstance(value, str):
            return value
        return {key: self._text(each, place) for key, each in self._object(value, place).items()}

    def _marks(self, value: JsonValue, place: str) -> tuple[Mark, ...]:
        found = []
        for index, each in enumerate(self._array(value, place)):
            at = f"{place}[{index}]"
            mark = self._object(each, at)
            self._require_fields(mark, Mark, at)
            code, log_id, message = (self._text(mark[key], f"{at}.{key}") for key in ("code", "log_id", "message"))
            found.append(Mark(code, log_id, message))
        return tuple(found)

    def _require_fields(
        self, value: Mapping[str, JsonValue], kind: type, place: str, *, absent: frozenset[str] = frozenset()
    ) -> None:
        names = {each.name for each in fields(kind) if each.metadata.get("json", True)}
        if value.keys() - names:
            raise self._refused(f"has a field that no history has, in {place}")
        if names - absent - value.keys():
            raise self._refused(f"lacks '{min(names - absent - value.keys())}' in {place}")

    def _object(self, value: JsonValue, place: str) -> Mapping[str, JsonValue]:
        if not isinstance(value, dict):
            raise self._refused(f"has no object at {place}")
        return value

    def _array(self, value: JsonValue, place: str) -> list[JsonValue]:
        if not isinstance(value, list):
            raise self._refused(f"has no array at {place}")
        return value

    def _text(self, value: JsonValue, place: str) -> str:
        found = text_of(value)
        if found is None:
            raise self._refused(f"has no text at {place}")
        return found

    def _integer(self, value: JsonValue, place: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._refused(f"has no whole number at {place}")
        return value

    def _optional(self, read: Callable[[JsonValue, str], T]) -> Callable[[JsonValue, str], T | None]:
        return lambda value, place: None if value is None else read(value, place)

    def _refused(self, problem: str) -> InvalidInput:
        return InvalidInput(
            f"'{self._name}' {problem}", hint="give the whole output of an earlier 'stovepipe history show -o json'"
        )


def _stored(entry: HistoryEntry) -> RequestLog:
    """The entry as far as its place depends on it."""
    return RequestLog("", "", entry.log_id, entry.timestamp_ms, entry.state, entry.event, entry.request_version)
