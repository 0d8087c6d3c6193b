"""A request's repairs tried out on stand-ins, by the writers that will do them in earnest."""

from collections.abc import Callable

from stovepipe_cli.entities import RequestSummary
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import InvalidEntity, Refused
from stovepipe_cli.history.errors import HistoryError
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.repair.journal import Journal, journaled
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.simulation import StandIns, rehearsing
from stovepipe_cli.repair.written_rows import Cells
from stovepipe_cli.reports import Written
from stovepipe_cli.storage.contract import SchemaMismatch, Storage

# What the rows themselves forbid; anything else, a lost connection say, ends the planning.
FORBIDDEN = (HistoryError, InvalidEntity, Refused, SchemaMismatch)


class MomentOfWriting:
    """A clock whose only time stands for the moment at which an entry will be written; no row holds it."""

    def now_ms(self) -> int:
        """The highest time that a row could hold."""
        return MAX_INT64

    def monotonic(self) -> float:
        """No time passes."""
        return 0.0

    def sleep(self, _seconds: float) -> None:
        """Nothing is waited for."""


class Rehearsal:
    """Holds the request's rows as they will be after everything that was tried and went well."""

    def __init__(self, storage: Storage, rows: RequestRows, *, insert_only: bool) -> None:
        self._rows = rows
        self._stand_ins = StandIns.of(rows)
        self._journal = Journal()
        self.storage = journaled(rehearsing(storage, self._stand_ins), self._journal, insert_only=insert_only)
        self.materializer = Materializer(self.storage, MomentOfWriting())

    @property
    def summary(self) -> RequestSummary | None:
        """The summary as it will be."""
        return self._stand_ins.summaries.get(self._rows.request.id)

    def attempt(self, work: Callable[[], object]) -> tuple[Written, ...]:
        """The rows that `work` writes; one of `FORBIDDEN` where it may not, and then nothing is kept of it."""
        earlier, mark = self._stand_ins.copy(), len(self._journal.written)
        try:
            work()
            written = self._journal.since(mark)
            self._require_one_mapping(written)
        except FORBIDDEN:
            self._stand_ins.restore(earlier)
            del self._journal.written[mark:]
            raise
        return written

    def _require_one_mapping(self, written: tuple[Written, ...]) -> None:
        if self._rows.acceptances and any(row.action == "create-acceptance" for row in written):
            raise Refused(
                f"request '{self._rows.request.id}' is mapped at {self._rows.acceptances[0].accepted_at_ms} ms, "
                "and a second mapping would contradict it"
            )


def planned_cells(cells: Cells) -> Cells:
    """A rehearsed row as a plan shows it: the moment of writing is not known yet."""
    return {name: None if value == MAX_INT64 else value for name, value in cells.items()}
