"""Answers of the commands that look: an issue, a build's observations, facts, requests, and the queue as a whole."""

from dataclasses import dataclass, field
from typing import Literal

from stovepipe_cli.entities import Queue, QueueSummary, RequestSummary
from stovepipe_cli.reports.base import Report
from stovepipe_cli.reports.history import RequestView

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
    """A request. Without a row, as an acceptance mapping can name it, its state and uri are None.

    `accepted_at_ms` is None where it is not known.
    """

    request_id: str
    state: str | None
    # On a narrow terminal the rest is worth more.
    outcome_reason: str = field(metadata={"spare": True})
    accepted_at_ms: int | None
    accepted_at: str | None
    uri: str | None


@dataclass(frozen=True, slots=True)
class BuildItem:
    """A build that the request or its history names, and what its row says; None where it has none."""

    id: str
    status: str | None
    request_id: str | None


@dataclass(frozen=True, slots=True)
class CommitFact:
    """The repository fact of a commit, and the request that recorded it."""

    degree: float
    request_id: str
    created_at_ms: int
    created_at: str


@dataclass(frozen=True, slots=True)
class RequestReport(Report):
    """A request with all beside it. `verdict_of_commit` comes from `fact` alone; no fact is unknown.

    `uri_request_id` is the request that the commit leads to. `entries` counts those of its history, None where no
    history can be read. `is_whole` is False where more entries or builds are on record than were read.
    """

    request_id: str
    request: RequestView | None
    summary: RequestSummary | None
    uri_request_id: str | None
    builds: tuple[BuildItem, ...]
    verdict_of_commit: RepositoryVerdict
    fact: CommitFact | None
    entries: int | None
    is_whole: bool


@dataclass(frozen=True, slots=True)
class LastGreen:
    """The commit that the coordination row calls the last green one; times are its fact's, None without one."""

    request_id: str | None
    uri: str | None
    at_ms: int | None
    at: str | None
    age_ms: int | None


@dataclass(frozen=True, slots=True)
class NewestRequest:
    """The request of the highest number; times are of its acceptance, None where that is not known."""

    request_id: str
    uri: str
    state: str
    accepted_at_ms: int | None
    accepted_at: str | None
    age_ms: int | None


@dataclass(frozen=True, slots=True)
class NewestVerdict:
    """The newest request whose commit has a repository fact of its own, and what and when that says."""

    verdict: RepositoryVerdict
    request_id: str
    uri: str
    at_ms: int
    at: str
    age_ms: int


@dataclass(frozen=True, slots=True)
class UnfinishedItem:
    """A request that has not ended, and since when it is in that state; None where that is not known."""

    request_id: str
    state: str
    since_ms: int | None
    since: str | None
    age_ms: int | None


@dataclass(frozen=True, slots=True)
class Enablement:
    """What the coordination row says of it, and since when; None where the change is not on record."""

    state: str
    sequence: int
    since_ms: int | None
    since: str | None
    age_ms: int | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A rule of verify that the queue's rows break as they were read now, which a write in progress can cause."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class QueueReport(Report):
    """Why the queue's branch is, or is not, green at its newest commit.

    `unfinished` holds the requests among the newest `looked_back` numbers that have not ended, oldest first;
    `is_whole`: those are all numbers there are. Ages are in milliseconds before `as_of_ms`.
    """

    why: str
    as_of_ms: int
    as_of: str
    last_green: LastGreen | None
    newest: NewestRequest | None
    newest_verdict: NewestVerdict | None
    unfinished: tuple[UnfinishedItem, ...]
    looked_back: int
    is_whole: bool
    coordination: Queue | None
    enablement: Enablement | None
    summary: QueueSummary | None
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class GrantItem:
    """One statement for a database administrator to run."""

    statement: str
