"""The answers to a claim."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claimed:
    """The caller holds the lease. `fencing` goes with every write; `input` is what the step covers."""

    fencing: int
    attempt: int
    until_ms: int
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AlreadyCompleted:
    """The step is disposed of. `output` is what it left; None where it failed for good."""

    output: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class HeldByOther:
    """Somebody else holds the lease until then, or nobody may before then, where `worker` is empty."""

    worker: str
    until_ms: int


@dataclass(frozen=True, slots=True)
class AlreadyWaiting:
    """The step waits for an operator."""

    reason: str


Claim = Claimed | AlreadyCompleted | HeldByOther | AlreadyWaiting
