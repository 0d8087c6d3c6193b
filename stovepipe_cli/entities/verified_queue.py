"""What the latest whole verify of a queue of one database left on record."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerifiedQueue:
    """Key (queue, target), the target being the database's identity.

    `boundary` is the lowest request that was ever seen to have history, '' where none was detected; its number is
    `boundary_number`. It never rises. `version` 0 was never stored.
    """

    queue: str
    target: str
    run_id: str
    verdict: str
    verified_at_ms: int
    boundary: str = ""
    boundary_number: int = 0
    version: int = 0
