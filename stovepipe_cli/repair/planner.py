"""Makes a repair plan: what verify finds, what stored rows prove of it, and every row that mending it would write.

Nothing is written. The plan is a value with a digest; applying it is another call, on this value or on its file.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.damage import Damage, find_damage
from stovepipe_cli.repair.plan_digest import sealed
from stovepipe_cli.repair.plan_form import ACTIONS, FORMAT, STATUSES
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.queue_plan import plan_queue
from stovepipe_cli.repair.request_plan import Context, contradictions_in, plan_request
from stovepipe_cli.repair.rows_reader import Passes, RowsReader, acceptances_of, builds_of, claimants_of
from stovepipe_cli.reports import Finding, PlanEntry, PlanTarget, RepairPlan
from stovepipe_cli.request_id import request_order
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage

PAGE_REQUESTS = 200

_NEED_BUILDS = frozenset({"H101", "H102", "P303", "E201", "E202"})
_NEED_ACCEPTANCES = frozenset({"H101", "H102", "H103", "P301", "P303", "P306"})
_NEED_FACTS = frozenset({"H101", "P307"})

ByRequest = Mapping[str, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class PlanOrigin:
    """Which database a plan is made for, its tables at that time, and what made it. `run_id` None: no ledger."""

    target: PlanTarget
    schema_fingerprint: str
    tool_version: str
    run_id: str | None = None


def plan(storage: Storage, options: PlanOptions, origin: PlanOrigin, *, clock: Clock) -> RepairPlan:
    """The plan for a queue: requests by number, the entries of each in the order in which applying works.

    The queue's own row comes last.

    `UsageError` and `InvalidInput` for options that cannot be; `Refused` where the queue could not be verified.
    """
    options.validate()
    options.require_known_requests(storage)
    damage = find_damage(storage, options.verify, options.request_ids, clock)
    wanted = {
        request_id: chosen
        for request_id, findings in damage.by_request.items()
        if (chosen := [finding for finding in findings if options.selects(finding.code)])
    }
    entries = tuple(_entries(storage, options, damage, wanted))
    now_ms = clock.now_ms()
    return sealed(
        RepairPlan(
            plan_id=mint_run_id(clock),
            format=FORMAT,
            queue=storage.queue,
            target=origin.target,
            tool_version=origin.tool_version,
            schema_fingerprint=origin.schema_fingerprint,
            created_at_ms=now_ms,
            expires_at_ms=now_ms + options.expires_ms,
            options={**options.as_recorded(), "history_since": damage.history_since},
            entries=entries,
            counts=count_entries(entries),
            digest="",
            run_id=origin.run_id,
            is_detailed=options.is_detailed,
        )
    )


def count_entries(entries: Collection[PlanEntry]) -> Mapping[str, int]:
    """How many entries there are of each status, and of each action among those that are ready."""
    statuses = Counter(entry.status for entry in entries)
    actions = Counter(entry.action for entry in entries if entry.status == "ready")
    counts: dict[str, int] = {status: statuses[status] for status in STATUSES}
    return counts | {action: actions[action] for action in ACTIONS if actions[action]}


def _entries(storage: Storage, options: PlanOptions, damage: Damage, wanted: ByRequest) -> Iterator[PlanEntry]:
    reader = RowsReader(storage)
    passes = _passes(storage, wanted)
    with_facts = _having(wanted, _NEED_FACTS)
    ordered = sorted(wanted, key=lambda request_id: request_order(storage.queue, request_id))
    for page in _pages(ordered):
        loaded = reader.load(page, passes, with_facts=with_facts & set(page))
        for rows in loaded.values():
            request_id = rows.request.id
            context = Context(
                storage=storage,
                operator=options.operator(request_id),
                insert_only=options.insert_only,
                is_legacy=damage.is_legacy(rows),
                contradictions=contradictions_in(damage.by_request[request_id]),
                claimants=passes.claimants.get(rows.request.uri, ()),
            )
            yield from plan_request(rows, wanted[request_id], context)
    if any(options.selects(finding.code) for finding in damage.of_queue):
        entry = plan_queue(storage, insert_only=options.insert_only)
        if entry is not None:
            yield entry


def _passes(storage: Storage, wanted: ByRequest) -> Passes:
    """The passes over whole tables that this damage calls for, and no others."""
    building, accepting = _having(wanted, _NEED_BUILDS), _having(wanted, _NEED_ACCEPTANCES)
    unmapped = [each for findings in wanted.values() for each in findings if each.code == "U501"]
    uris = {str(each.subject.key.get("uri", "")) for each in unmapped}
    return Passes(
        builds=builds_of(storage, building) if building else {},
        acceptances=acceptances_of(storage, accepting) if accepting else {},
        claimants=claimants_of(storage, uris) if uris else {},
    )


def _having(wanted: ByRequest, codes: frozenset[str]) -> frozenset[str]:
    return frozenset(each for each, findings in wanted.items() if any(finding.code in codes for finding in findings))


def _pages(ordered: Sequence[str]) -> Iterator[list[str]]:
    remaining = iter(ordered)
    while page := list(islice(remaining, PAGE_REQUESTS)):
        yield page
