"""What a database is asked, for whoever listens through the standard logging.

Connections, repetitions and pages are told one by one, statements are counted by kind and table and told at the end.
Values never are, and no text of a statement or of a driver.
"""

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

LOGGER = "stovepipe_cli.storage"

_KIND = re.compile(r"[\s(]*(\w+)")
_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:IF NOT EXISTS\s+)?[`\"]?(\w+)", re.IGNORECASE)


@dataclass(slots=True)
class Tally:
    """Statements and rows of one connection while one caller holds it, by kind and table."""

    counts: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def count(self, text: str, rows: int) -> None:
        """One more statement, with the rows that it gave or changed."""
        kind, table = _KIND.match(text), _TABLE.search(text)
        key = (kind[1].upper() if kind else "", table[1] if table else "")
        both = self.counts.setdefault(key, [0, 0])
        both[0] += 1
        both[1] += max(rows, 0)

    @property
    def total(self) -> tuple[int, int]:
        """Statements and rows in all."""
        return sum(each[0] for each in self.counts.values()), sum(each[1] for each in self.counts.values())


class Traffic:
    """Tells of one database. Without a listener at its making it does nothing."""

    def __init__(self, place: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._place = place
        self._now = now
        self._log = logging.getLogger(LOGGER)
        self._is_heard = self._log.isEnabledFor(logging.DEBUG)
        self._lock = threading.Lock()
        self._sum = Tally()

    def tally(self) -> Tally | None:
        """A fresh tally for a connection in use; None where nobody listens."""
        return Tally() if self._is_heard else None

    def started(self) -> float:
        """The moment from which a time is measured."""
        return self._now() if self._is_heard else 0.0

    def connected(self, since: float) -> None:
        """A connection was made."""
        self._tell(logging.INFO, "connected", ms=self._ms(since))

    def ended_page(self, tally: Tally | None, since: float) -> None:
        """A page was read inside one snapshot."""
        if tally is not None:
            statements, rows = tally.total
            self._tell(logging.DEBUG, "page", statements=statements, rows=rows, ms=self._ms(since))

    def failed(self, fault: str, times: int, *, is_repeated: bool) -> None:
        """A unit of work met a fault, for the so manieth time, and is repeated or given up."""
        self._tell(logging.INFO, "repeated" if is_repeated else "given up", fault=fault, times=times)

    def add(self, tally: Tally | None) -> None:
        """Take over the counts of a connection that is no longer in use."""
        if tally is None:
            return
        with self._lock:
            for key, (statements, rows) in tally.counts.items():
                both = self._sum.counts.setdefault(key, [0, 0])
                both[0] += statements
                both[1] += rows

    def close(self) -> None:
        """Tell what was asked in all, and begin anew."""
        with self._lock:
            counts, self._sum = self._sum.counts, Tally()
        for (kind, table), (statements, rows) in sorted(counts.items()):
            self._tell(logging.INFO, "statements", kind=kind, table=table, statements=statements, rows=rows)

    def _ms(self, since: float) -> int:
        return round((self._now() - since) * 1000)

    def _tell(self, level: int, event: str, **fields: str | int) -> None:
        if self._is_heard:
            self._log.log(level, event, extra={"fields": {"place": self._place, **fields}})
