"""An operator's hold on a run: its workers pause until it is lifted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunHold:
    """Key (queue, run_id)."""

    queue: str
    run_id: str
    reason: str
    actor: str
    since_ms: int
