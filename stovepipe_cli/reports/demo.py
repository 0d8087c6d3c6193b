"""What the demonstration did: one report a step, and whether it ended as its scenario says."""

from dataclasses import dataclass
from typing import ClassVar

from stovepipe_cli.reports.base import Report, Verdict
from stovepipe_cli.reports.finding import Finding
from stovepipe_cli.reports.fixtures import FixturesLoadReport
from stovepipe_cli.reports.history import HistoryReport
from stovepipe_cli.reports.repair import ApplyReport, RepairPlan
from stovepipe_cli.reports.verify import VerifyReport


@dataclass(frozen=True, slots=True)
class Explained:
    """A finding that a repair leaves, and why; `why` is empty where the scenario does not expect it."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True)
class DemoReport(Report):
    """The steps in their order: load, look, check, plan, mend, check again.

    `left` are the findings of the last step in its order. `mended` counts those of the first verify that are gone.
    `not_left` names, as `CODE request`, what the scenario says must be left and is not.
    """

    is_story: ClassVar[bool] = True

    scenario: str
    queue: str
    description: str
    loaded: FixturesLoadReport
    history: HistoryReport
    before: VerifyReport
    plan: RepairPlan
    applied: ApplyReport
    after: VerifyReport
    mended: int
    left: tuple[Explained, ...]
    not_left: tuple[str, ...]
    is_as_expected: bool

    @property
    def verdict(self) -> Verdict:
        """Clean where exactly what the scenario says is left, though that is damage."""
        return "clean" if self.is_as_expected else "findings"
