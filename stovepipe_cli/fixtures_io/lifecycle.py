"""One request's way through the service, as a scenario tells it: what happened, when, and which rows are damaged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.fixtures_io.nodes import Fields, Place
from stovepipe_cli.storage.contract.rows import Row

Recording = Literal["facts", "abandoned", "none"]

# Seconds and a bit, so that no two steps share a millisecond and times look like times.
PROCESS_AFTER_MS = 20_140
TRIGGER_AFTER_MS = 4_360
NEXT_BUILD_AFTER_MS = 65_020
BUILD_TAKES_MS = 386_750
OUTCOME_AFTER_MS = 1_210
GIVE_UP_AFTER_MS = 7_200_330
FACT_AFTER_MS = 2_480
PROJECTS_AFTER_MS = 5_070
ABANDON_AFTER_MS = 1_800_910


@dataclass(frozen=True, slots=True)
class LifecycleBuild:
    """A build that a runner accepted, and how it stands."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Damage:
    """Planted damage, by the names of the request's pieces.

    `lost` entries were never written, so nothing was projected from them; `without` removes rows afterwards and leaves
    all others as they were; `replace` overwrites columns.
    """

    lost: Mapping[str, Place]
    without: Mapping[str, Place]
    replace: Mapping[str, Fields]


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What happened to one request. An empty strategy was never chosen; `superseded_by` is empty where unknown."""

    request_id: str
    uri: str
    outcome: str
    reason: str
    strategy: str
    base_uri: str
    accepted_at_ms: int
    builds: tuple[LifecycleBuild, ...]
    terminal_build: str
    superseded_by: str
    record: Recording
    projects: tuple[tuple[str, float], ...]
    damage: Damage
    place: Place

    @property
    def version(self) -> int:
        """The request version it ended at."""
        if self.outcome == "accepted":
            return 1
        return 3 if self.strategy and self.outcome != "processing" else 2


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row and the place in the file that it comes from."""

    row: Row
    place: Place
