"""Operator runs as a list, newest first, and what is to be said of one in a line."""

from collections.abc import Iterator
from dataclasses import dataclass

from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities.run import RUN_KINDS, RUN_STATUSES, Run
from stovepipe_cli.errors import UsageError
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports.runs import RunItem, RunsReport
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.abandonment import is_abandoned
from stovepipe_cli.work.identity import WorkerIdentity

ABANDONED = "abandoned"

_LISTING = "runs"
_PAGE = 500
# A page that asks for few of many runs ends after so many, and its cursor goes on from there.
_MOST_LOOKED_AT = 10_000

Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Empty: any. `status` may be `abandoned`."""

    kind: str = ""
    status: str = ""
    since_ms: int | None = None

    def validate(self) -> None:
        """Raise `UsageError` for a kind or a status that no run has."""
        if self.kind and self.kind not in RUN_KINDS:
            raise UsageError(f"--kind '{self.kind}' is no kind of run", hint=f"use one of {', '.join(RUN_KINDS)}")
        known = (*RUN_STATUSES, ABANDONED)
        if self.status and self.status not in known:
            raise UsageError(f"--status '{self.status}' is no status of a run", hint=f"use one of {', '.join(known)}")

    def takes(self, item: RunItem) -> bool:
        """Whether a run is asked for."""
        if self.kind and item.kind != self.kind:
            return False
        if self.status == ABANDONED:
            return item.abandoned
        return not self.status or item.status == self.status


def list_runs(
    ledger: QueueLedger, chosen: RunFilter, here: WorkerIdentity, *, limit: int, cursor: str | None
) -> RunsReport:
    """One page of the queue's runs; `InvalidCursor` for a cursor of another queue or choice."""
    require_page_limit(limit)
    chosen.validate()
    order = f"started desc;{chosen.kind};{chosen.status}"
    since_ms = chosen.since_ms
    behind: Place | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=ledger.queue, listing=_LISTING, order=order, shape=(int, int, str))
        # A window that was given as an age stays where it was on the first page.
        since_ms, behind = int(key[0]) or None, (int(key[1]), str(key[2]))
    items: list[RunItem] = []
    looked_at = 0
    for run in runs_behind(ledger, behind, since_ms):
        if len(items) == limit or looked_at == _MOST_LOOKED_AT:
            place = (since_ms or 0, *(behind or (0, "")))
            token = encode_cursor(queue=ledger.queue, listing=_LISTING, order=order, key=place)
            is_cut = len(items) < limit
            return RunsReport(tuple(items), token, (f"this page looked at {looked_at:,} runs",) if is_cut else ())
        looked_at, behind = looked_at + 1, (run.started_at_ms, run.run_id)
        item = run_item(ledger, run, here)
        if chosen.takes(item):
            items.append(item)
    nothing = f"queue '{ledger.queue}' has no such run on record" + (" from here on" if cursor else "")
    return RunsReport(tuple(items), None, () if items else (nothing,))


def runs_behind(ledger: QueueLedger, behind: Place | None, since_ms: int | None = None) -> Iterator[Run]:
    """The queue's runs, newest first, behind that place."""
    while page := ledger.runs.runs_in_queue(limit=_PAGE, since_ms=since_ms, before=behind):
        yield from page
        behind = (page[-1].started_at_ms, page[-1].run_id)


def run_item(ledger: QueueLedger, run: Run, here: WorkerIdentity) -> RunItem:
    """What is said of a run everywhere."""
    return RunItem(
        run_id=run.run_id,
        queue=run.queue,
        kind=run.kind,
        status=run.status,
        abandoned=is_abandoned(ledger, run, here),
        stopped_because=run.header.stopped_because,
        started_at_ms=run.started_at_ms,
        finished_at_ms=run.finished_at_ms,
        actor=run.header.actor,
        reason=run.header.reason,
        counts=run.header.counts,
        failures=run.header.failures,
    )
