"""What verify finds before a plan is made, all of it, and which requests are older than the history."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from stovepipe_cli.audit.options import NO_BOUNDARY, VerifyOptions
from stovepipe_cli.audit.rules import MISSING_RULES
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import Refused
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.rows_reader import walk
from stovepipe_cli.reports import Finding
from stovepipe_cli.request_id import parse_request_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestLogRow

FIRST_ENTRY = state_log_id(1)


@dataclass(slots=True)
class Damage:
    """The findings by request, and those of the queue itself.

    `history_since` is the first request that must have history, None where not known.
    """

    storage: Storage
    by_request: Mapping[str, Sequence[Finding]]
    history_since: str | None
    of_queue: Sequence[Finding] = ()
    _lowest_number: dict[str, int | None] = field(default_factory=dict)

    def is_legacy(self, rows: RequestRows) -> bool:
        """Whether a request is older than the history of its queue; one without a number never is."""
        number = self._number(rows.request.id)
        if number is None or self.history_since == NO_BOUNDARY:
            return False
        if self.history_since is not None:
            since = self._number(self.history_since)
            return since is not None and number < since
        if rows.retains(FIRST_ENTRY) or any(each.code in MISSING_RULES for each in self.by_request[rows.request.id]):
            return False
        lowest = self._lowest_with_first_entry()
        return lowest is None or number < lowest

    def _number(self, request_id: str) -> int | None:
        parsed = parse_request_id(self.storage.queue, request_id)
        return None if parsed is None else parsed.number

    def _lowest_with_first_entry(self) -> int | None:
        if FIRST_ENTRY not in self._lowest_number:
            entries = (row for row in walk(self.storage, RequestLogRow) if row.log_id == FIRST_ENTRY)
            numbers = (self._number(row.request_id) for row in entries)
            self._lowest_number[FIRST_ENTRY] = min((each for each in numbers if each is not None), default=None)
        return self._lowest_number[FIRST_ENTRY]


def find_damage(storage: Storage, options: VerifyOptions, request_ids: Sequence[str], clock: Clock) -> Damage:
    """Verify the queue, or some requests of it, by every rule.

    `Refused` where a part could not be read: what is not seen may contradict what is. `NothingFound` for a queue, or
    a request, without any row.
    """
    # The report keeps the worst findings only, and a plan needs them all.
    whole = replace(
        options, select=(), ignore=(), request_ids=tuple(request_ids), max_findings=MAX_INT64, findings_file=None
    )
    report = verify(storage, whole, clock=clock)
    if report.is_incomplete:
        why = next(iter((*report.blocking, *report.notes)), "a part of it was not read")
        raise Refused(
            f"queue '{storage.queue}' could not be verified whole: {why}",
            hint="a plan rests on all that is stored: run 'stovepipe verify' and mend what keeps it from reading",
        )
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        if finding.request_id is not None:
            found[finding.request_id].append(finding)
    of_queue = tuple(finding for finding in report.findings if finding.request_id is None)
    return Damage(storage, found, report.history_since or options.history_since, of_queue)
