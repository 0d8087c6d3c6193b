"""The rows of one lifecycle: what the service would have written, then the damage that the scenario plants in them."""

from collections.abc import Iterable, Iterator, Mapping

from stovepipe_cli.entities import Build, Request, RequestLog, RequestSummary, RequestURI, ValidationFact
from stovepipe_cli.fixtures_io.columns import read_columns
from stovepipe_cli.fixtures_io.lifecycle import (
    ABANDON_AFTER_MS,
    BUILD_TAKES_MS,
    FACT_AFTER_MS,
    GIVE_UP_AFTER_MS,
    NEXT_BUILD_AFTER_MS,
    OUTCOME_AFTER_MS,
    PROCESS_AFTER_MS,
    PROJECTS_AFTER_MS,
    TRIGGER_AFTER_MS,
    Lifecycle,
    PlacedRow,
)
from stovepipe_cli.fixtures_io.nodes import Place, suggestion
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_finished_entry,
    build_triggered_entry,
    fact_entry,
    outcome_entry,
    processing_entry,
    project_facts_entry,
    record_abandoned_entry,
    superseded_entry,
)
from stovepipe_cli.history.summary_projection import project
from stovepipe_cli.storage.contract.mapping import (
    build_row,
    fact_row,
    log_row,
    request_row,
    request_uri_row,
    summary_row,
)
from stovepipe_cli.storage.contract.rows import RequestAcceptanceRow, RequestLogRow, Row

HISTORY = "history"


def expand(queue: str, lifecycle: Lifecycle) -> tuple[PlacedRow, ...]:
    """The rows that are there in the end, each under the place of its lifecycle.

    Names in `lost`, `without` and `replace` are those of the pieces: `request`, `request_uri`, `build/ID`, `fact`,
    `fact/PROJECT`, a log id or the beginning of just one, `history` for all entries, `summary`, `acceptance`.
    """
    request = _request(queue, lifecycle)
    entries = {entry.id: entry for entry in _entries(request, lifecycle)}
    for name, place in lifecycle.damage.lost.items():
        for log_id in _resolve(name, place, entries, entries):
            del entries[log_id]
    pieces = _pieces(request, lifecycle, entries)
    doomed = [
        piece
        for name, place in lifecycle.damage.without.items()
        for piece in _resolve(name, place, pieces, [key for key in pieces if isinstance(pieces[key], RequestLogRow)])
    ]
    for piece in doomed:
        pieces.pop(piece, None)
    _replace(lifecycle, pieces)
    return tuple(PlacedRow(row, lifecycle.place) for row in pieces.values())


def _request(queue: str, lifecycle: Lifecycle) -> Request:
    return Request(
        queue=queue,
        id=lifecycle.request_id,
        uri=lifecycle.uri,
        state=lifecycle.outcome,
        version=lifecycle.version,
        build_strategy=lifecycle.strategy,
        base_uri=lifecycle.base_uri,
        terminal_build_id=lifecycle.terminal_build,
    )


def _pieces(request: Request, lifecycle: Lifecycle, entries: Mapping[str, RequestLog]) -> dict[str, Row]:
    pieces: dict[str, Row] = {"request": request_row(request)}
    if request.uri:
        mapping = RequestURI(queue=request.queue, uri=request.uri, request_id=request.id)
        pieces["request_uri"] = request_uri_row(mapping)
    for build in _builds(request, lifecycle):
        pieces[f"build/{build.id}"] = build_row(build)
    for fact in _facts(request, lifecycle):
        pieces[f"fact/{fact.project}".removesuffix("/")] = fact_row(fact)
    for log_id, entry in entries.items():
        pieces[log_id] = log_row(entry)
    summary = _summary(request, entries.values())
    if summary is not None:
        pieces["summary"] = summary_row(summary)
        if summary.accepted_at_ms:
            pieces["acceptance"] = RequestAcceptanceRow(summary.accepted_at_ms, request.id)
    return pieces


def _summary(request: Request, entries: Iterable[RequestLog]) -> RequestSummary | None:
    summary: RequestSummary | None = None
    for entry in entries:
        summary = project(summary, entry, request).summary
    return summary


def _builds(request: Request, lifecycle: Lifecycle) -> Iterator[Build]:
    for build in lifecycle.builds:
        # Accepted, running and the end: each status is one change.
        version = {"accepted": 1, "running": 2}.get(build.status, 3)
        yield Build(queue=request.queue, id=build.id, request_id=request.id, status=build.status, version=version)


def _facts(request: Request, lifecycle: Lifecycle) -> Iterator[ValidationFact]:
    is_broken = lifecycle.outcome == "failed"
    if lifecycle.record == "none" or (lifecycle.record == "abandoned" and not is_broken):
        return
    degrees = {"": float(is_broken), **dict(lifecycle.projects)}
    for project_name, degree in degrees.items():
        yield ValidationFact(
            queue=request.queue,
            uri=request.uri,
            project=project_name,
            degree=degree,
            request_id=request.id,
            created_at_ms=_ended_at(lifecycle) + FACT_AFTER_MS,
        )


def _entries(request: Request, lifecycle: Lifecycle) -> Iterator[RequestLog]:
    """In the order in which the service retains them."""
    at = lifecycle.accepted_at_ms
    yield accepted_entry(request, timestamp_ms=at)
    if lifecycle.outcome == "accepted":
        return
    if lifecycle.outcome == "superseded":
        yield superseded_entry(request, lifecycle.superseded_by or None, timestamp_ms=at + PROCESS_AFTER_MS)
        return
    if lifecycle.strategy:
        yield processing_entry(request, timestamp_ms=at + PROCESS_AFTER_MS)
        for number, build in enumerate(_builds(request, lifecycle)):
            triggered_at = _triggered_at(lifecycle, number)
            yield build_triggered_entry(build, timestamp_ms=triggered_at)
            if build.is_terminal:
                yield build_finished_entry(build, timestamp_ms=triggered_at + BUILD_TAKES_MS)
    if lifecycle.outcome == "processing":
        return
    deciding = lifecycle.terminal_build or None
    yield outcome_entry(request, lifecycle.reason, deciding, timestamp_ms=_ended_at(lifecycle))
    yield from _recorded(request, lifecycle)


def _recorded(request: Request, lifecycle: Lifecycle) -> Iterator[RequestLog]:
    for fact in _facts(request, lifecycle):
        if not fact.project:
            yield fact_entry(fact)
    ended_at = _ended_at(lifecycle)
    if lifecycle.record == "abandoned":
        yield record_abandoned_entry(request.queue, request.id, timestamp_ms=ended_at + ABANDON_AFTER_MS)
    elif lifecycle.projects:
        counts = (len(lifecycle.projects), sum(degree > 0 for _, degree in lifecycle.projects))
        recorded_at = ended_at + FACT_AFTER_MS + PROJECTS_AFTER_MS
        yield project_facts_entry(request.queue, request.id, counts, timestamp_ms=recorded_at)


def _triggered_at(lifecycle: Lifecycle, number: int) -> int:
    return lifecycle.accepted_at_ms + PROCESS_AFTER_MS + TRIGGER_AFTER_MS + number * NEXT_BUILD_AFTER_MS


def _ended_at(lifecycle: Lifecycle) -> int:
    if not lifecycle.terminal_build:
        is_immediate = not lifecycle.strategy
        return lifecycle.accepted_at_ms + PROCESS_AFTER_MS + (0 if is_immediate else GIVE_UP_AFTER_MS)
    number = next((index for index, build in enumerate(lifecycle.builds) if build.id == lifecycle.terminal_build), 0)
    return _triggered_at(lifecycle, number) + BUILD_TAKES_MS + OUTCOME_AFTER_MS


def _resolve(name: str, place: Place, pieces: Iterable[str], log_ids: Iterable[str]) -> list[str]:
    """The pieces that a name stands for; refused where it stands for none, or begins several log ids."""
    known, entries = list(pieces), list(log_ids)
    if name == HISTORY and entries:
        return entries
    if name in known:
        return [name]
    begun = [log_id for log_id in entries if log_id.startswith(f"{name}/")]
    if len(begun) == 1:
        return begun
    if begun:
        raise place.refuse(f"'{name}' begins several entries of this request", hint=f"write {' or '.join(begun)}")
    raise place.refuse(f"this request has no '{name}'", hint=suggestion(name, known))


def _replace(lifecycle: Lifecycle, pieces: dict[str, Row]) -> None:
    for name, columns in lifecycle.damage.replace.items():
        log_ids = [key for key, row in pieces.items() if isinstance(row, RequestLogRow)]
        found = _resolve(name, columns.place, pieces, log_ids)
        if len(found) > 1:
            raise columns.place.refuse(f"'{name}' stands for several rows", hint=f"name one of {', '.join(found)}")
        row = pieces[found[0]]
        values = {**row._asdict(), **read_columns(type(row), columns)}
        pieces[found[0]] = type(row)._make(values[field] for field in row._fields)
