"""What a scenario file says: the rows of one queue, and what is to be found in them before and after a repair."""

from dataclasses import dataclass

from stovepipe_cli.storage.contract.rows import Row


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """A finding by its rule and its request; `request_id` is None where no request is concerned."""

    code: str
    request_id: str | None


@dataclass(frozen=True, slots=True)
class ExpectedRemainder:
    """A finding that a repair leaves, and one sentence that says why."""

    code: str
    request_id: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """What verify finds, in no order; a finding that comes twice is there twice.

    `after_repair` is what it finds once everything provable was written back. `show` is the request whose history
    tells the most. `beside` is the bundled scenario of another queue that has to be in the same database. None of this
    is loaded into a database.
    """

    findings: tuple[ExpectedFinding, ...] = ()
    legacy_requests: int = 0
    after_repair: tuple[ExpectedRemainder, ...] = ()
    show: str | None = None
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file. `digest` is `sha256:` and the digest of its bytes; `rows` have distinct keys."""

    source: str
    queue: str
    description: str
    rows: tuple[Row, ...]
    expectation: Expectation
    digest: str
