"""Whole lives of requests as rows, written as the service would; tests then take away or change what they are about."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from stovepipe_cli.history.identity import fact_occurrence
from stovepipe_cli.request_id import IdForm, parse_request_id, spell_request_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    QueueRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

QUEUE = "monorepo/main"
FIRST_MS = 1_767_225_600_000
BETWEEN_MS = 60_000
STEP_MS = 1_000
LONG_AFTER_MS = FIRST_MS + 30 * 86_400_000


@dataclass
class Life:
    """The rows of one request; `log` is keyed by log id, `builds` by build id. None: the row does not exist."""

    request: RequestRow | None
    uri: RequestURIRow | None
    summary: RequestSummaryRow | None = None
    acceptance: RequestAcceptanceRow | None = None
    log: dict[str, RequestLogRow] = field(default_factory=dict)
    builds: dict[str, BuildRow] = field(default_factory=dict)
    facts: list[ValidationFactRow] = field(default_factory=list)
    queue: str = QUEUE
    now_ms: int = FIRST_MS

    @property
    def id(self) -> str:
        assert self.request is not None
        return self.request.id

    @property
    def fact_log_id(self) -> str:
        assert self.request is not None
        return f"event/validation_fact_recorded/{fact_occurrence(self.request.uri)}"

    def state(self, state: str, reason: str = "", *, strategy: str | None = None, base_uri: str = "") -> Self:
        """The next state: the request row, its entry and its projections."""
        assert self.request is not None
        version = self.request.version + 1 if self.log or self.request.state != state else self.request.version
        changes: dict[str, str] = {} if strategy is None else {"build_strategy": strategy, "base_uri": base_uri}
        self.request = self.request._replace(state=state, version=version, **changes)
        metadata = {"base_uri": self.request.base_uri} if self.request.build_strategy else {}
        self._retain(f"state/{version}", state=state, version=version, reason=reason, metadata=metadata)
        return self.projected()

    def event(self, event: str, occurrence: str, **metadata: str) -> Self:
        self._retain(f"event/{event}/{occurrence}", event=event, metadata=metadata)
        return self

    def build(self, build_id: str, status: str = "accepted") -> Self:
        """A build that was triggered, and how it stands; an ended one has its entry."""
        self.builds[build_id] = BuildRow(build_id, self.id, status, 1 if status == "accepted" else 2)
        self.event("build_triggered", build_id, build_id=build_id)
        if status in ("succeeded", "failed", "cancelled"):
            self.event("build_finished", build_id, build_id=build_id)
        return self

    def fact(self, degree: float, projects: Iterable[float] = ()) -> Self:
        """The repository's fact, those of projects, and their entries."""
        assert self.request is not None
        uri = self.request.uri
        self.event("validation_fact_recorded", fact_occurrence(uri), fact_degree=f"{degree:g}")
        self.facts.append(ValidationFactRow(uri, "", degree, self.id, self.now_ms))
        degrees = list(projects)
        for number, each in enumerate(degrees):
            self.facts.append(ValidationFactRow(uri, f"project/{number}", each, self.id, self.now_ms + 1))
        if degrees:
            broken = sum(each > 0 for each in degrees)
            self.event(
                "project_facts_recorded",
                "all",
                project_fact_count=str(len(degrees)),
                broken_project_fact_count=str(broken),
            )
        return self

    def projected(self) -> Self:
        """Summary and mapping as the entries that are there make them."""
        assert self.request is not None
        states = sorted((row for row in self.log.values() if row.state), key=lambda row: row.request_version)
        self.summary, self.acceptance = None, None
        if not states:
            return self
        newest, accepted_at_ms = states[-1], 0
        base_uri = (parse_metadata(newest.metadata) or {}).get("base_uri", "")
        if states[0].state == "accepted":
            accepted_at_ms = states[0].timestamp_ms
            self.acceptance = RequestAcceptanceRow(accepted_at_ms, self.id)
        self.summary = RequestSummaryRow(
            self.id,
            self.request.uri,
            base_uri,
            newest.state,
            newest.request_version,
            newest.timestamp_ms,
            len(states),
            accepted_at_ms,
            newest.outcome_reason,
            0,
            0,
            0,
        )
        return self

    def lose(self, *log_ids: str) -> Self:
        """These entries were never written, and so never projected."""
        self.drop(*log_ids)
        return self.projected()

    def drop(self, *log_ids: str) -> Self:
        """These entries were deleted, and everything made from them stayed."""
        for log_id in log_ids:
            del self.log[log_id]
        return self

    def legacy(self) -> Self:
        """The request is from before history was kept."""
        self.log.clear()
        return self.projected()

    def change_entry(self, entry: str, /, **changes: str | int) -> Self:
        """Overwrite columns of an entry; a new `log_id` renames it."""
        row = self.log.pop(entry)._replace(**changes)  # type: ignore[arg-type]  # tests name columns with their types
        self.log[row.log_id] = row
        return self

    def change_request(self, **changes: str | int) -> Self:
        assert self.request is not None
        self.request = self.request._replace(**changes)  # type: ignore[arg-type]  # as in change_entry
        return self

    def change_summary(self, **changes: str | int) -> Self:
        assert self.summary is not None
        self.summary = self.summary._replace(**changes)  # type: ignore[arg-type]  # as in change_entry
        return self

    def without(self, *parts: str) -> Self:
        """Rows that do not exist: request, uri, summary, acceptance."""
        for part in parts:
            setattr(self, part, None)
        return self

    def rows(self) -> list[Row]:
        single = (self.request, self.uri, self.summary, self.acceptance)
        return [
            *(row for row in single if row is not None),
            *self.log.values(),
            *self.builds.values(),
            *self.facts,
        ]

    def _retain(
        self,
        log_id: str,
        *,
        state: str = "",
        event: str = "",
        version: int = 0,
        reason: str = "",
        metadata: dict[str, str] | None = None,
    ) -> None:
        self.now_ms += STEP_MS
        self.log[log_id] = RequestLogRow(
            self.id, log_id, self.now_ms, state, event, version, reason, metadata_text(metadata or {})
        )


def accepted(number: int, *, queue: str = QUEUE, form: IdForm = "path", start_ms: int | None = None) -> Life:
    """A request that waits."""
    request_id = spell_request_id(queue, number, form)
    uri = f"git://code.example/{queue}/{number:040x}"
    life = Life(
        RequestRow(request_id, uri, "accepted", "", "", 1, ""),
        RequestURIRow(uri, request_id, 1),
        queue=queue,
        now_ms=FIRST_MS + number * BETWEEN_MS if start_ms is None else start_ms,
    )
    return life.state("accepted")


def superseded(number: int, **where: str) -> Life:
    return accepted(number, **where).state("superseded", "superseded_by_newer_head")  # type: ignore[arg-type]  # passed on


def failed_early(number: int) -> Life:
    """Processing failed before anything was built."""
    return accepted(number).state("failed", "processing_failed")


def processing(number: int, *, start_ms: int | None = None) -> Life:
    """A request that is being built."""
    life = accepted(number, start_ms=start_ms).state("processing", strategy="full")
    return life.build(f"build-{number}", "running")


def polling_exhausted(number: int) -> Life:
    """The build is still running, and nobody asks any more."""
    return processing(number).state("failed", "build_polling_exhausted")


def cancelled(number: int) -> Life:
    life = accepted(number).state("processing", strategy="full").build(f"build-{number}", "cancelled")
    return life.state("cancelled", "build_cancelled")


def failed(number: int) -> Life:
    life = accepted(number).state("processing", strategy="full").build(f"build-{number}", "failed")
    return life.state("failed", "build_failed").fact(1.0)


def succeeded(
    number: int,
    *,
    queue: str = QUEUE,
    form: IdForm = "path",
    start_ms: int | None = None,
    projects: Iterable[float] = (0.0, 0.5),
) -> Life:
    """A request that was built against a baseline, with facts of projects."""
    life = accepted(number, queue=queue, form=form, start_ms=start_ms)
    life.state("processing", strategy="incremental_since_green", base_uri="git://code.example/base")
    life.build(f"build-{number}" if form == "path" else f"build-d{number}", "succeeded")
    return life.state("succeeded", "build_succeeded").fact(0.0, projects)


def healthy(count: int = 12) -> list[Life]:
    """Every kind of life, `count` of them from number 1 on."""
    kinds = (succeeded, superseded, failed, cancelled, failed_early, polling_exhausted, succeeded, processing, accepted)
    return [kinds[number % len(kinds)](number) for number in range(1, count + 1)]


def queue_row_of(lives: Iterable[Life]) -> QueueRow:
    """The coordination row that the service would have: newest request, newest green one, what is being built."""
    known = list(lives)
    requests = [life.request for life in known if life.request is not None]
    queue = next((life.queue for life in known), QUEUE)
    proven = {fact.request_id for life in known for fact in life.facts if not fact.project and fact.degree == 0}

    def number(request: RequestRow) -> int:
        parsed = parse_request_id(queue, request.id)
        return parsed.number if parsed else 0

    ordered = sorted(requests, key=number)
    green = [request for request in ordered if request.id in proven]
    return QueueRow(
        green[-1].uri if green else "",
        sum(request.state == "processing" for request in ordered),
        ordered[-1].id if ordered else "",
        len(ordered) + 1,
        green[-1].id if green else "",
        0,
        "",
        0,
    )


def put(storage: Storage, *lives: Life, queue_row: bool = True) -> None:
    """Insert the rows of these lives, and a queue row that fits them unless there is to be none."""
    rows: list[Row] = [row for life in lives for row in life.rows()]
    if queue_row:
        rows.append(queue_row_of(lives))
    storage.bulk.insert(rows)
