"""A plan's ready entries in the units that are applied: an entry with the projections that happen with it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from stovepipe_cli.errors import Refused, UsageError
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.reports import PlanEntry, RepairPlan
from stovepipe_cli.request_id import parse_request_id

# Beyond this many entries nobody has read the plan, so the number has to be said.
MOST_UNASKED = 10_000


@dataclass(frozen=True, slots=True)
class Step:
    """`lead` is what is written, `follows` the rows that writing it brings along."""

    lead: PlanEntry
    follows: tuple[PlanEntry, ...]

    @property
    def size(self) -> int:
        """How many of the plan's entries it holds."""
        return 1 + len(self.follows)


@dataclass(frozen=True, slots=True)
class RequestSteps:
    """The steps of one request, in plan order."""

    request_id: str
    steps: tuple[Step, ...]

    @property
    def size(self) -> int:
        """How many of the plan's entries they hold."""
        return sum(step.size for step in self.steps)


def steps_of(plan: RepairPlan, *, only: Sequence[str] = (), max_entries: int | None = None) -> tuple[RequestSteps, ...]:
    """The ready part of a plan, narrowed to codes or requests (an id or its number), and to so many entries.

    A request is taken whole or not at all, so fewer entries than `max_entries` may be taken. `UsageError` where
    nothing is left of what was asked for, `Refused` for more than 10,000 entries without a `max_entries`.
    """
    ready = [entry for entry in plan.entries if entry.status == "ready"]
    grouped = [
        RequestSteps(request_id, tuple(_steps(entries)))
        for request_id, entries in groupby(ready, key=lambda entry: entry.request_id)
    ]
    if len({group.request_id for group in grouped}) < len(grouped):
        raise refused("has entries of one request in several places")
    chosen = [group for group in (_narrowed(group, only, plan.queue) for group in grouped) if group.steps]
    if only and not chosen:
        raise UsageError(f"the plan has nothing ready for --only {' '.join(only)}", hint="give a code or a request id")
    total = sum(group.size for group in chosen)
    if max_entries is None:
        if total > MOST_UNASKED:
            raise Refused(
                f"{total} entries are ready, and more than {MOST_UNASKED} are not applied unasked",
                hint=f"say so with --max-entries {total}, or take a part of them",
            )
        return tuple(chosen)
    return _first(chosen, max_entries)


def _steps(entries: Iterable[PlanEntry]) -> list[Step]:
    steps: list[Step] = []
    for entry in entries:
        if entry.log_id is None or entry.action == "create-log":
            steps.append(Step(entry, ()))
        elif steps and steps[-1].lead.log_id == entry.log_id:
            steps[-1] = Step(steps[-1].lead, (*steps[-1].follows, entry))
        else:
            raise refused("has a projection without the entry that it follows from")
    return steps


def _narrowed(group: RequestSteps, only: Sequence[str], queue: str) -> RequestSteps:
    parsed = parse_request_id(queue, group.request_id)
    names = (group.request_id,) if parsed is None else (group.request_id, str(parsed.number))
    if not only or any(name in only for name in names):
        return group
    return RequestSteps(group.request_id, tuple(step for step in group.steps if step.lead.code in only))


def _first(groups: list[RequestSteps], max_entries: int) -> tuple[RequestSteps, ...]:
    taken: list[RequestSteps] = []
    room = max_entries
    for group in groups:
        if group.size > room:
            break
        taken.append(group)
        room -= group.size
    if groups and not taken:
        raise UsageError(
            f"the first request of the plan has {groups[0].size} entries, --max-entries is {max_entries}",
            hint=f"requests are repaired whole: give at least --max-entries {groups[0].size}",
        )
    return tuple(taken)
