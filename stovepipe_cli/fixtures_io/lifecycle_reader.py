"""Reads the `lifecycles` of a scenario, filling in what usually happens where nothing is said."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stovepipe_cli.entities.build import BUILD_STATUSES
from stovepipe_cli.entities.limits import TEXT_CHARACTERS
from stovepipe_cli.entities.request import BUILD_STRATEGIES, REQUEST_STATES
from stovepipe_cli.entities.request_log import OUTCOME_REASONS
from stovepipe_cli.fixtures_io.lifecycle import Damage, Lifecycle, LifecycleBuild, Recording
from stovepipe_cli.fixtures_io.nodes import Fields, Node, Place, Text
from stovepipe_cli.fixtures_io.values import (
    as_choice,
    as_decimal,
    as_fields,
    as_instant,
    as_integer,
    as_items,
    as_name,
    as_text,
)
from stovepipe_cli.request_id import MAX_NUMBER, IdForm, spell_request_id

KEYS = (
    "number",
    "id",
    "uri",
    "outcome",
    "reason",
    "accepted_at",
    "strategy",
    "base_uri",
    "builds",
    "terminal_build",
    "superseded_by",
    "record",
    "projects",
    "lost",
    "without",
    "replace",
)
NEXT_REQUEST_AFTER_MS = 660_000

_STATES_WITHOUT_STRATEGY = frozenset({"accepted", "superseded"})
_RECORDINGS: tuple[Recording, ...] = ("facts", "abandoned", "none")
_RECORDED_REASONS = frozenset({"build_succeeded", "build_failed"})
_BUILD_REASONS = _RECORDED_REASONS | {"build_cancelled"}
_USUAL_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "superseded": "superseded_by_newer_head",
        "succeeded": "build_succeeded",
        "failed": "build_failed",
        "cancelled": "build_cancelled",
    }
)
_USUAL_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "build_succeeded": "succeeded",
        "build_failed": "failed",
        "build_cancelled": "cancelled",
        "build_polling_exhausted": "running",
        "validation_timeout": "running",
        "": "running",
    }
)


@dataclass(slots=True)
class LifecycleReader:
    """Reads lifecycles in the order of the file: what one leaves out follows from those before it."""

    queue: str
    ids: IdForm
    accepted_at_ms: int = 0
    green_uri: str = ""
    read: list[Lifecycle] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Read one more lifecycle."""
        fields = as_fields(node, "a lifecycle")
        fields.refuse_unknown(KEYS, "a lifecycle")
        request_id, label = self._request_id(fields)
        outcome = as_choice(fields.require("outcome"), "outcome", REQUEST_STATES)
        reason = _reason(fields, outcome)
        strategy = self._strategy(fields, outcome, reason)
        builds = _builds(fields, label, strategy, reason)
        record = _record(fields, reason)
        lifecycle = Lifecycle(
            request_id=request_id,
            uri=self._uri(fields, request_id),
            outcome=outcome,
            reason=reason,
            strategy=strategy,
            base_uri=self._base_uri(fields, strategy),
            accepted_at_ms=self._accepted_at(fields),
            builds=builds,
            terminal_build=_terminal_build(fields, builds, outcome, reason),
            superseded_by=self._superseded_by(fields, outcome),
            record=record,
            projects=_projects(fields, record),
            damage=_damage(fields),
            place=fields.place,
        )
        self.accepted_at_ms = lifecycle.accepted_at_ms
        if outcome == "succeeded" and record == "facts":
            self.green_uri = lifecycle.uri
        self.read.append(lifecycle)

    def _request_id(self, fields: Fields) -> tuple[str, str]:
        """The id, and the short text that other names are made from."""
        request_id = read_request(fields, self.queue, self.ids)
        if request_id is None:
            raise fields.place.refuse("the lifecycle names no request", hint="give it a 'number:', or an exact 'id:'")
        return request_id, request_id.rpartition("/")[2] or request_id

    def _uri(self, fields: Fields, request_id: str) -> str:
        node = fields.get("uri")
        if node is not None:
            return as_text(node, "uri", characters=TEXT_CHARACTERS)
        commit = hashlib.sha256(f"{self.queue}\0{request_id}".encode()).hexdigest()[:12]
        return f"git://origin/{self.queue}/{commit}"

    def _accepted_at(self, fields: Fields) -> int:
        node = fields.get("accepted_at")
        if node is not None:
            return as_instant(node, "accepted_at", lowest=1)
        if not self.accepted_at_ms:
            raise fields.place.refuse("the first lifecycle has no 'accepted_at'", hint="say when its request came")
        return self.accepted_at_ms + NEXT_REQUEST_AFTER_MS

    def _strategy(self, fields: Fields, outcome: str, reason: str) -> str:
        node = fields.get("strategy")
        if node is None:
            if outcome in _STATES_WITHOUT_STRATEGY:
                return ""
            return "incremental_since_green" if self.green_uri or "base_uri" in fields else "full"
        strategy = as_choice(node, "strategy", BUILD_STRATEGIES)
        if strategy and outcome in _STATES_WITHOUT_STRATEGY:
            raise node.place.refuse(f"a request that is '{outcome}' has no strategy", hint="leave 'strategy' out")
        if not strategy and outcome not in _STATES_WITHOUT_STRATEGY and reason != "processing_failed":
            raise node.place.refuse(f"a request that is '{outcome}' was given a strategy", hint="leave 'strategy' out")
        return strategy

    def _base_uri(self, fields: Fields, strategy: str) -> str:
        node = fields.get("base_uri")
        if strategy != "incremental_since_green":
            if node is not None:
                raise node.place.refuse("only an incremental strategy has a base_uri", hint="leave 'base_uri' out")
            return ""
        if node is not None:
            return as_name(node, "base_uri", characters=TEXT_CHARACTERS)
        if not self.green_uri:
            raise fields.place.refuse("no request above is green", hint="say which 'base_uri:' it was built upon")
        return self.green_uri

    def _superseded_by(self, fields: Fields, outcome: str) -> str:
        node = fields.get("superseded_by")
        if node is None:
            return ""
        if outcome != "superseded":
            raise node.place.refuse(f"a request that is '{outcome}' was not superseded", hint="leave it out")
        return spell_request_id(self.queue, _number(node, "superseded_by"), self.ids)


def read_request(fields: Fields, queue: str, ids: IdForm) -> str | None:
    """The request that a mapping names by `number` (in the scenario's form) or by exact `id`; None by neither."""
    number, exact = fields.get("number"), fields.get("id")
    if number is not None and exact is not None:
        raise exact.place.refuse("both 'number' and 'id' are given", hint="keep one of the two")
    if number is not None:
        return spell_request_id(queue, _number(number, "number"), ids)
    return None if exact is None else as_name(exact, "id", characters=TEXT_CHARACTERS)


def _number(node: Node, what: str) -> int:
    return as_integer(node, what, lowest=1, highest=MAX_NUMBER)


def _reason(fields: Fields, outcome: str) -> str:
    node = fields.get("reason")
    if node is None:
        return _USUAL_REASONS.get(outcome, "")
    return as_choice(node, f"reason of '{outcome}'", sorted(OUTCOME_REASONS.get(outcome, ())))


def _builds(fields: Fields, label: str, strategy: str, reason: str) -> tuple[LifecycleBuild, ...]:
    node = fields.get("builds")
    usual = _USUAL_STATUSES.get(reason)
    if node is None:
        return (LifecycleBuild(f"b-{label}", usual),) if strategy and usual else ()
    items = as_items(node, "builds")
    if items.items and not strategy:
        raise node.place.refuse("a request without a strategy has no builds", hint="leave 'builds' out")
    return tuple(_build(item, usual) for item in items)


def _build(node: Node, usual: str | None) -> LifecycleBuild:
    if isinstance(node, Text):
        if usual is None:
            raise node.place.refuse("how this build stands does not follow", hint="write {id: ID, status: STATUS}")
        return LifecycleBuild(as_name(node, "a build's id", characters=TEXT_CHARACTERS), usual)
    fields = as_fields(node, "a build")
    fields.refuse_unknown(("id", "status"), "a build")
    build_id = as_name(fields.require("id"), "a build's id", characters=TEXT_CHARACTERS)
    return LifecycleBuild(build_id, as_choice(fields.require("status"), "status", BUILD_STATUSES))


def _terminal_build(fields: Fields, builds: tuple[LifecycleBuild, ...], outcome: str, reason: str) -> str:
    node = fields.get("terminal_build")
    if node is not None:
        return as_text(node, "terminal_build", characters=TEXT_CHARACTERS)
    deciding = [build.id for build in builds if build.status == outcome]
    return deciding[-1] if deciding and reason in _BUILD_REASONS else ""


def _record(fields: Fields, reason: str) -> Recording:
    node = fields.get("record")
    if node is None:
        return "facts" if reason in _RECORDED_REASONS else "none"
    record = as_choice(node, "record", _RECORDINGS)
    if record != "none" and reason not in _RECORDED_REASONS:
        raise node.place.refuse("only an outcome decided by a build is recorded", hint="leave 'record' out")
    return next(known for known in _RECORDINGS if known == record)


def _projects(fields: Fields, record: Recording) -> tuple[tuple[str, float], ...]:
    node = fields.get("projects")
    if node is None:
        return ()
    if record != "facts":
        raise node.place.refuse("projects are recorded with the facts alone", hint="leave 'projects' out")
    projects = as_fields(node, "projects")
    return tuple((_project(name, projects), _degree(name, value)) for name, value in projects.entries.items())


def _project(name: str, projects: Fields) -> str:
    if not name:
        raise projects.key_places[name].refuse("a project has no name", hint="the repository's fact follows by itself")
    return name


def _degree(name: str, node: Node) -> float:
    degree = as_decimal(node, f"degree of '{name}'")
    if not 0 <= degree <= 1:
        raise node.place.refuse(f"degree of '{name}' is {degree}", hint="write 0 (green) to 1 (broken)")
    return degree


def _damage(fields: Fields) -> Damage:
    replace: dict[str, Fields] = {}
    node = fields.get("replace")
    if node is not None:
        replace = {
            name: as_fields(columns, f"replace of '{name}'")
            for name, columns in as_fields(node, "replace").entries.items()
        }
    return Damage(lost=_names(fields, "lost"), without=_names(fields, "without"), replace=replace)


def _names(fields: Fields, key: str) -> dict[str, Place]:
    node = fields.get(key)
    if node is None:
        return {}
    names: dict[str, Place] = {}
    for item in as_items(node, key):
        name = as_name(item, f"an item of '{key}'")
        if name in names:
            raise item.place.refuse(f"'{name}' is named twice", hint="keep one of the two")
        names[name] = item.place
    return names
