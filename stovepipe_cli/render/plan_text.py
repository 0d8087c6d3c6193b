"""A repair plan for people: what would be inserted, what updated, what waits for an operator, what nothing proves."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from shlex import quote

from stovepipe_cli.instants import format_age
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow, sentence
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.writes import change_chunks, field_chunks, table_of, writes_table
from stovepipe_cli.reports import Evidence, PlanEntry, RepairPlan
from stovepipe_cli.reports.repair import Action

_LABEL = 8
_TIME_FIELDS: Mapping[Action, str] = {"create-log": "timestamp_ms", "create-acceptance": "accepted_at_ms"}


def plan_text(plan: RepairPlan, context: RenderContext) -> Iterator[str]:
    """Inserts, updates, what needs an operator, what is not derivable; then the counts a table, digest and expiry."""
    yield _head(plan, context)
    yield "\n"
    ready = [entry for entry in plan.entries if entry.status == "ready"]
    sections: tuple[tuple[str, Tone, list[PlanEntry]], ...] = (
        ("ready to insert", "good", [entry for entry in ready if not entry.is_update]),
        ("ready to update", "good", [entry for entry in ready if entry.is_update]),
        ("needs an operator", "warn", [entry for entry in plan.entries if entry.status == "needs-operator"]),
        ("not derivable", "bad", [entry for entry in plan.entries if entry.status == "not-derivable"]),
    )
    for title, tone, entries in sections:
        if not entries:
            continue
        yield flow([Ink(title, tone), Ink(f"{len(entries):,}")], context)
        yield from _by_request(entries, context)
        yield "\n"
    if ready:
        yield writes_table(ready, context)
        yield "\n"
    yield _tail(plan, context)


def plan_hints(plan: RepairPlan) -> tuple[str, ...]:
    """How to go on."""
    statuses = Counter(entry.status for entry in plan.entries)
    hints = []
    if statuses["ready"]:
        where = f"-q {quote(plan.queue)}"
        hints.append(
            f"next: stovepipe repair apply {where} {quote(plan.file)}"
            if plan.file is not None
            else f"next: stovepipe repair plan {where} --out FILE, then stovepipe repair apply {where} FILE"
        )
    if statuses["needs-operator"]:
        hints.append(
            f"{counted(statuses['needs-operator'], 'entry needs', 'entries need')} a decision: "
            "plan again with the option that the reason names"
        )
    return tuple(hints)


def _head(plan: RepairPlan, context: RenderContext) -> str:
    target = plan.target
    place: list[Chunk] = [Ink(f"{target.host}/{target.database}" if target.host else target.database)]
    if target.profile:
        place.append((Ink("profile", "faint"), Ink(target.profile)))
    options: list[Chunk] = [(Ink(name, "faint"), Ink(cell(value))) for name, value in plan.options.items() if value]
    return fields_block(
        [
            ("plan", [Ink(plan.plan_id, "strong")]),
            ("queue", [Ink(plan.queue)]),
            ("database", place),
            ("identity", [Ink(target.identity)]),
            ("options", options),
        ],
        context,
    )


def _tail(plan: RepairPlan, context: RenderContext) -> str:
    counts = Counter(entry.status for entry in plan.entries)
    updates = sum(1 for entry in plan.entries if entry.status == "ready" and entry.is_update)
    parts = [counted(counts["ready"] - updates, "row") + " to insert", counted(updates, "row") + " to update"]
    if counts["needs-operator"]:
        parts.append(f"{counts['needs-operator']:,} for an operator to decide")
    if counts["not-derivable"]:
        parts.append(f"{counts['not-derivable']:,} not derivable")
    left = plan.expires_at_ms - plan.created_at_ms
    expiry = (
        f"expires {moment(plan.expires_at_ms, context)} ({context.zone_name}), {format_age(left)} after it was made"
    )
    summary = prose(", ".join(parts) if plan.entries else "nothing to repair", "strong")
    return (
        fields_block([("digest", [Ink(plan.digest)]), ("valid", [prose(expiry)])], context)
        + "\n"
        + sentence(summary, context)
    )


def _by_request(entries: Sequence[PlanEntry], context: RenderContext) -> Iterator[str]:
    # Sorting is stable, so that a request's entries keep the order in which they would be written.
    order = {entry.request_id: at for at, entry in reversed(list(enumerate(entries)))}
    for request_id, group in groupby(
        sorted(entries, key=lambda entry: order[entry.request_id]), key=lambda e: e.request_id
    ):
        heading = Ink(request_id, "strong") if request_id else prose("the queue itself", "strong")
        yield flow([heading], context, head=[Ink("  ")], hang=2)
        yield from (_entry(entry, context) for entry in group)


def _entry(entry: PlanEntry, context: RenderContext) -> str:
    what = [Ink(entry.log_id)] if entry.log_id else []
    verb = "update" if entry.is_update else "insert"
    title = (Ink(verb), Ink(table_of(entry.action)))
    text = flow([title, *what, Ink(entry.code, "faint")], context, head=[Ink("    ")], hang=6)
    return text + fields_block(
        [
            ("time", _time(entry, context)),
            ("row", _row(entry, context)),
            ("change", change_chunks(entry.before, entry.entry, context) if entry.before and entry.entry else []),
            *[("proof", _evidence(entry, evidence, context)) for evidence in entry.evidence],
            ("why", [prose(entry.reason)] if entry.reason else []),
        ],
        context,
        indent=6,
        label_cells=_LABEL,
    )


def _row(entry: PlanEntry, context: RenderContext) -> list[Chunk]:
    if entry.entry is None or entry.before is not None:
        return []
    said = {"queue", "request_id", "id", "log_id", _TIME_FIELDS.get(entry.action, "")}
    return field_chunks({name: value for name, value in entry.entry.items() if value and name not in said}, context)


def _time(entry: PlanEntry, context: RenderContext) -> list[Chunk]:
    value = entry.entry.get(_TIME_FIELDS.get(entry.action, "")) if entry.entry else None
    point: list[Chunk] = [Ink(moment(value, context))] if isinstance(value, int) and value > 0 else []
    source: list[Chunk] = [(Ink("from", "faint"), prose(entry.timestamp_source))] if entry.timestamp_source else []
    return point + source


def _evidence(entry: PlanEntry, evidence: Evidence, context: RenderContext) -> list[Chunk]:
    key = {name: value for name, value in evidence.key.items() if value not in ("", entry.request_id)}
    row = [Ink(evidence.table), *field_chunks(key, context)]
    if evidence.values is None:
        return [*row, prose("is absent", "warn")]
    return [*row, *field_chunks(evidence.values, context)]
