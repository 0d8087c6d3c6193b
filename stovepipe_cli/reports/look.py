"""Answers of the commands that look: an issue, a build's observations, facts, requests, and the queue as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.reports.base import Report
from stovepipe_cli.reports.history import RequestView
from stovepipe_cli.reports.json_form import JsonValue

RepositoryVerdict = Literal["green", "broken", "unknown"]


@dataclass(frozen=True, slots=True)
class TransitionItem:
    """An issue was opened, or resolved, as seen in a build."""

    event: str
    build_id: str
    timestamp_ms: int
    time: str


@dataclass(frozen=True, slots=True)
class IssueReport(Report):
    """One issue: the build that its present opening was first seen in, None where it is not open, and what went before.

    `transitions` run by time. `is_whole` is False where there are more than were read.
    """

    task_id: str
    unit_id: str
    first_seen_build_id: str | None
    transitions: tuple[TransitionItem, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class ObservationItem:
    """A build saw this task, or this unit of it, broken."""

    task_id: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class FactItem:
    """A project fact under its mapping, whose degree is shown. `problem` is empty where both agree."""

    project: str
    degree: float
    request_id: str | None
    created_at_ms: int | None
    created_at: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class RequestItem:
    """A request; accepted_at_ms is None where no summary knows it."""

    request_id: str
    state: str
    outcome_reason: str
    accepted_at_ms: int | None
    accepted_at: str | None
    uri: str


@dataclass(frozen=True, slots=True)
class BuildItem:
    """A build that the request or its history names."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class RequestReport(Report):
    """A request with all beside it. `verdict_of_commit` comes from the repository fact alone; none is unknown."""

    request_id: str
    request: RequestView | None
    summary: Mapping[str, JsonValue] | None
    uri_request_id: str | None
    builds: tuple[BuildItem, ...]
    verdict_of_commit: RepositoryVerdict
    entries: int


@dataclass(frozen=True, slots=True)
class UnfinishedItem:
    """A request that has not ended, and since when it is in that state; None where no summary knows."""

    request_id: str
    state: str
    since_ms: int | None
    since: str | None


@dataclass(frozen=True, slots=True)
class QueueReport(Report):
    """Why the queue's branch is, or is not, green at its newest commit.

    `newest_verdict` is that of the newest request that has one. `unfinished` holds the requests among the newest
    `looked_back` numbers that have not ended, oldest first. `disagreements` are sentences.
    """

    why: str
    last_green_request_id: str | None
    last_green_uri: str | None
    last_green_at_ms: int | None
    last_green_at: str | None
    newest_request_id: str | None
    newest_state: str | None
    newest_accepted_at_ms: int | None
    newest_accepted_at: str | None
    newest_verdict: RepositoryVerdict
    newest_verdict_request_id: str | None
    unfinished: tuple[UnfinishedItem, ...]
    looked_back: int
    coordination: Mapping[str, JsonValue] | None
    summary: Mapping[str, JsonValue] | None
    disagreements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GrantItem:
    """One statement for a database administrator to run."""

    statement: str
