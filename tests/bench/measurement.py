"""One measured row: a figure, what it is compared with, and whether it is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

HEADINGS = ("row", "what", "measured", "beside", "ratio", "asked", "verdict")

Bound = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """`value` and `beside` are in `unit`; their ratio is held against `limit`, or the value itself where `is_absolute`.

    Without `beside` the value is absolute.
    """

    row: str
    what: str
    unit: str
    value: float
    beside: float | None
    limit: float
    bound: Bound = "at most"
    is_absolute: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.beside is None else self.value / self.beside

    @property
    def is_met(self) -> bool:
        ratio = self.ratio
        judged = self.value if ratio is None or self.is_absolute else ratio
        return judged <= self.limit if self.bound == "at most" else judged >= self.limit

    def cells(self) -> tuple[str, ...]:
        ratio = self.ratio
        limit = f"{self.limit:,.0f} {self.unit}" if ratio is None or self.is_absolute else f"{self.limit:g}"
        return (
            self.row,
            self.what,
            f"{self.value:,.0f} {self.unit}",
            "" if self.beside is None else f"{self.beside:,.0f} {self.unit}",
            "" if ratio is None else f"{ratio:.2f}",
            f"{self.bound} {limit}",
            "ok" if self.is_met else "FALLS SHORT",
        )

    def as_json(self) -> dict[str, object]:
        return {
            "row": self.row,
            "what": self.what,
            "unit": self.unit,
            "value": round(self.value, 3),
            "beside": None if self.beside is None else round(self.beside, 3),
            "ratio": None if self.ratio is None else round(self.ratio, 4),
            "bound": self.bound,
            "limit": self.limit,
            "is_absolute": self.is_absolute or self.beside is None,
            "is_met": self.is_met,
            "skipped": None,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that could not be measured here, and why; it fails nothing."""

    row: str
    what: str
    why: str

    @property
    def is_met(self) -> bool:
        return True

    @property
    def note(self) -> str:
        return self.why

    def cells(self) -> tuple[str, ...]:
        return (self.row, self.what, "", "", "", "", "skipped")

    def as_json(self) -> dict[str, object]:
        return {"row": self.row, "what": self.what, "skipped": self.why}


Outcome = Measurement | Skipped


def table(outcomes: Sequence[Outcome]) -> str:
    """Aligned columns, and the notes below."""
    lines = [HEADINGS, *(each.cells() for each in outcomes)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*rows, *(f"{each.row} {each.what}: {each.note}" for each in outcomes if each.note)])
