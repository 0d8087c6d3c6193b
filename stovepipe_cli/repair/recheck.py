"""Verifies requests again after something was written for them, and tells what is new."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify, verify_requests
from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.queue_plan import CODE as OF_QUEUE
from stovepipe_cli.repair.queue_plan import QUEUE_ITSELF
from stovepipe_cli.reports import Finding, RepairPlan
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import Key
from stovepipe_cli.storage.contract.tables import TABLES

AT_ONCE = 500

# A finding hides those that follow from it, or is about a value that they need: mending the one in part brings the
# others to light, and is no new damage.
IMPLIED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "H101": frozenset({"H102", "H103", "H104", "E201", "E202", "E206", "P301", "P302", "P303", "P306", "A401"}),
        "H102": frozenset({"P303"}),
        "H103": frozenset({"P305"}),
        "P301": frozenset({"P302", "P306", "P307", "A401"}),
        "P306": frozenset({"A401"}),
    }
)


class Recheck:
    """Looks at requests of a plan by key, builds and mappings that its evidence names included."""

    def __init__(self, storage: Storage, plan: RepairPlan, options: VerifyOptions, clock: Clock) -> None:
        since = plan.options.get("history_since")
        self._storage = storage
        self._clock = clock
        self._options = replace(
            options,
            select=(),
            ignore=(),
            request_ids=(),
            settle_ms=0,
            history_since=since if isinstance(since, str) else options.history_since,
        )
        self._evidence: dict[str, set[tuple[str, Key]]] = defaultdict(set)
        for entry in plan.entries:
            for each in entry.evidence:
                key = tuple(each.key[name] for name in TABLES[each.table].key[1:])
                self._evidence[entry.request_id].add((each.table, key))

    def findings(self, request_ids: Collection[str], *, is_patient: bool = False) -> tuple[Finding, ...]:
        """What verify says of these requests now.

        Only where `is_patient` does the latest step of a fresh request count as pending. Those before an apply must
        not: what is pending then may be old enough after it, and would be taken for new.
        """
        options = self._options if is_patient else replace(self._options, min_age_ms=0)
        found: list[Finding] = []
        ordered = [each for each in request_ids if each != QUEUE_ITSELF]
        for start in range(0, len(ordered), AT_ONCE):
            evidence = {each: self._evidence.get(each, set()) for each in ordered[start : start + AT_ONCE]}
            found += verify_requests(self._storage, evidence, options, clock=self._clock)
        if QUEUE_ITSELF in request_ids:
            # No other rule is about what a repair writes of the queue, and this one reads no request.
            found += verify(self._storage, replace(options, select=(OF_QUEUE,)), clock=self._clock).findings
        return tuple(found)


def new_findings(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """The errors that were not there before and do not follow from what was."""
    known: set[str] = set()
    implied: set[tuple[str | None, str]] = set()
    for finding in before:
        known.add(finding.id)
        implied.update((finding.request_id, code) for code in IMPLIED.get(finding.code, ()))
    return tuple(
        finding
        for finding in after
        if finding.severity == "error" and finding.id not in known and (finding.request_id, finding.code) not in implied
    )
