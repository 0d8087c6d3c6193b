"""Pages of items."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from stovepipe_cli.reports.base import Report

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class OpenIssueItem:
    """An issue open now; an empty unit is the whole task."""

    task_id: str
    unit_id: str
    first_seen_build_id: str


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A queue, when a whole verify of it last ended, and with which verdict; None where that is not known."""

    queue: str
    last_verified_at_ms: int | None
    last_verified_at: str | None
    last_verdict: str | None


@dataclass(frozen=True, slots=True)
class SettingItem:
    """One configuration value, secrets masked, and where it came from."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class ListReport(Report, Generic[Item]):
    """A page of items and the cursor of the next, None at the end. `notes` are sentences for stderr.

    `item_type` is the class of the items, known also where there are none.
    """

    items: Sequence[Item]
    next_cursor: str | None
    item_type: type[Item] = field(metadata={"json": False})
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})
