"""One measured row: a figure, what it is compared with, and whether it is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass

HEADINGS = ("row", "what", "measured", "beside", "ratio", "at most", "verdict")


@dataclass(frozen=True, slots=True)
class Measurement:
    """`value` and `beside` are in `unit`; without `beside` the value itself is held against `at_most`."""

    row: str
    what: str
    unit: str
    value: float
    beside: float | None
    at_most: float
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.beside is None else self.value / self.beside

    @property
    def is_met(self) -> bool:
        return (self.value if self.ratio is None else self.ratio) <= self.at_most

    def cells(self) -> tuple[str, ...]:
        ratio = self.ratio
        return (
            self.row,
            self.what,
            f"{self.value:.0f} {self.unit}",
            "" if self.beside is None else f"{self.beside:.0f} {self.unit}",
            "" if ratio is None else f"{ratio:.2f}",
            f"{self.at_most:.0f} {self.unit}" if ratio is None else f"{self.at_most:.2f}",
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
            "at_most": self.at_most,
            "is_met": self.is_met,
            "note": self.note,
        }


def table(measurements: Sequence[Measurement]) -> str:
    """Aligned columns, and the notes below."""
    lines = [HEADINGS, *(each.cells() for each in measurements)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*rows, *(f"{each.row} {each.what}: {each.note}" for each in measurements if each.note)])
