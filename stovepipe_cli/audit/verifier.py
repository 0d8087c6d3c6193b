"""Verify: survey the database, walk its tables, read again what looks wrong, and report what stands."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

from stovepipe_cli.audit import narrow_pass, numbers
from stovepipe_cli.audit.attempt import attempt, note
from stovepipe_cli.audit.baseline import Baseline
from stovepipe_cli.audit.boundary import Boundary
from stovepipe_cli.audit.bulk_links import judge_uneven, weigh
from stovepipe_cli.audit.bulk_pass import BulkPass, is_bulk_possible
from stovepipe_cli.audit.case import Case, spill_of
from stovepipe_cli.audit.confirm import REQUEST_PASSES, judged
from stovepipe_cli.audit.degrees_pass import run_degrees
from stovepipe_cli.audit.findings_file import FindingsFile
from stovepipe_cli.audit.issues_pass import run_issues
from stovepipe_cli.audit.linked_passes import run_acceptances, run_builds, run_facts, run_uris
from stovepipe_cli.audit.moved_boundary import moved_boundary, seen_boundary
from stovepipe_cli.audit.narrowing import narrowed
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.pace import Deadline
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.queue_pass import run_queue
from stovepipe_cli.audit.reading import Evidence, load
from stovepipe_cli.audit.requests_pass import RequestsPass
from stovepipe_cli.audit.rules import MISSING_RULES, PassName
from stovepipe_cli.audit.scope import Scope
from stovepipe_cli.audit.survey import PASS_TABLES, is_empty, survey
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.audit.worst import SEVERITIES, Worst
from stovepipe_cli.clock import Clock
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.near_names import did_you_mean
from stovepipe_cli.reports import Finding, Severity, VerifyReport
from stovepipe_cli.storage.collecting import rarely_collecting
from stovepipe_cli.storage.contract import AuditSnapshot, Storage, UnreadableRow

NO_HISTORY = "no request in this queue has history: set history_since"

ProgressListener = Callable[[Progress], None]
KnownQueues = Callable[[], Iterable[str]]


def verify(
    storage: Storage,
    options: VerifyOptions,
    *,
    clock: Clock,
    progress: ProgressListener | None = None,
    run_id: str | None = None,
    known_queues: KnownQueues = tuple,
) -> VerifyReport:
    """Check the queue and report what stands a second read; nothing is written but the findings file.

    `NothingFound` where the queue has no row at all, with a near name of `known_queues`; `StorageUnavailable` where
    the database is lost on the way; `UsageError` for options that contradict themselves.
    """
    with opened_case(storage, options, clock, progress) as case:
        if require_rows(case, known_queues):
            _gather(case)
        return reported(case, run_id)


def verify_replica(
    storage: Storage,
    primary: Storage,
    options: VerifyOptions,
    *,
    clock: Clock,
    progress: ProgressListener | None = None,
    run_id: str | None = None,
) -> VerifyReport:
    """Check the queue as a replica has it, and report what stands a second read, which is one of the primary.

    That read takes place without a settle time as well. Errors as those of `verify`.
    """
    with opened_case(storage, options, clock, progress) as case:
        case.primary = primary
        if require_rows(case, tuple):
            _gather(case)
        return reported(case, run_id)


def collect_findings(
    storage: Storage,
    options: VerifyOptions,
    *,
    clock: Clock,
    progress: ProgressListener | None = None,
    known_queues: KnownQueues = tuple,
) -> Iterator[Finding]:
    """Every finding that `verify` would count, in request order and beyond any limit; pending ones are left out."""
    with opened_case(storage, options, clock, progress) as case:
        if not require_rows(case, known_queues):
            return
        _gather(case)
        for finding, is_pending in judged(case):
            if not is_pending:
                yield finding


def verify_requests(
    storage: Storage,
    evidence: Mapping[str, Evidence],
    options: VerifyOptions,
    *,
    clock: Clock,
) -> tuple[Finding, ...]:
    """The findings of a few requests, read by key in one snapshot and judged at once, in request order.

    `evidence` maps each request id to rows (table, key) that nothing else leads to, such as builds without any entry.
    Scope, settle time and time budget of the options do not count; pending findings are left out.
    """
    at_once = replace(options, settle_ms=0, run_time_ms=None)
    scope = Scope(storage.queue, None, frozenset(evidence))
    with opened_case(storage, at_once, clock, None, scope) as case:
        needs, judges = case.needs(*REQUEST_PASSES), case.survey.judges(*REQUEST_PASSES)

        def work(snapshot: AuditSnapshot) -> None:
            dossiers = load(snapshot, evidence, needs).values()
            for dossier in dossiers:
                if dossier.request is not None:
                    case.boundary.observe(dossier.request_id, dossier.rows)
            case.judge(judges, dossiers)

        case.snapshots.read(work)
        narrow_pass.find_boundary(case)
        return tuple(finding for finding, is_pending in judged(case) if not is_pending)


@contextmanager
def opened_case(
    storage: Storage,
    options: VerifyOptions,
    clock: Clock,
    progress: ProgressListener | None,
    scope: Scope | None = None,
) -> Iterator[Case]:
    """A verify that has seen nothing yet; `options` are checked."""
    options.validate()
    seen = survey(storage.audit, options)
    terms = Terms(
        queue=storage.queue,
        clock_skew_ms=options.clock_skew_ms,
        max_builds=options.max_builds,
        min_age_ms=options.min_age_ms,
        columns={table: view.columns for table, view in seen.views.items()},
    )
    with spill_of(storage.queue) as spill, rarely_collecting():
        yield Case(
            storage=storage,
            options=options,
            clock=clock,
            deadline=Deadline(clock, options.run_time_ms),
            survey=seen,
            scope=scope or Scope(storage.queue, None),
            boundary=Boundary(storage.queue, options.history_since),
            terms=terms,
            spill=spill,
            progress=progress or (lambda _: None),
        )


def require_rows(case: Case, known_queues: KnownQueues) -> bool:
    """Whether there is anything to check; `NothingFound` where there is not and nobody said that this is fine."""
    if not is_empty(case.snapshots, case.survey.views):
        return True
    if case.options.allow_empty:
        return False
    near = did_you_mean(case.queue, known_queues(), most=1)
    hint = near or "check the name; 'stovepipe queues list' shows them"
    raise NothingFound(f"queue '{case.queue}' has no row in any table", hint=hint)


def _gather(case: Case) -> None:
    """Run every pass, the requests first: they tell where history begins."""
    case.cover()
    latest = latest_number(case)
    case.scope = narrowed(case.storage, case.snapshots, case.survey, case.options)
    is_by_id = case.scope.is_narrowed and narrow_pass.is_small(case)
    names: tuple[PassName, ...] = ("requests", "facts") if is_by_id else ("requests",)
    bulk = BulkPass(case) if is_bulk_possible(case) else None
    if case.survey.has("request") and _is_needed(case, names):
        if is_by_id:
            attempt(case, "requests", lambda: narrow_pass.judge_by_id(case, narrow_pass.ids_in_scope(case)))
        else:
            attempt(case, "requests", (bulk or RequestsPass(case, "requests")).run)
    linked: tuple[tuple[PassName, Callable[[Case], bool]], ...] = (
        ("builds", run_builds),
        ("facts", run_facts),
        ("acceptances", run_acceptances),
        ("uris", run_uris),
    )
    weighed: list[PassName] = []
    for name, run in linked:
        if name in names or not case.survey.runs(name):
            continue
        if bulk is None or not bulk.is_whole:
            attempt(case, name, partial(run, case))
        elif attempt(case, name, partial(weigh, case, bulk, name)):
            weighed.append(name)
    if bulk is not None:
        judge_uneven(case, bulk, weighed)
    finish(case, latest)


def finish(case: Case, latest: int | None) -> None:
    """What follows the walks: requests that came during them, the queue's own rows, and where history begins.

    `latest` is the number of the latest request as it was before the walks, None where that is not known.
    """
    if latest is not None and case.scope.ids is None and case.scope.highest is None:
        _judge_late(case, latest)
    _judge_beside(case)
    if case.survey.has("request", "request_log") and not _find_boundary(case) and not case.deadline.is_over:
        case.skip("requests")


def _find_boundary(case: Case) -> bool:
    try:
        return narrow_pass.find_boundary(case)
    except UnreadableRow as error:
        note(case, error.message)
        case.boundary.settle()
        return False


def _is_needed(case: Case, names: tuple[PassName, ...]) -> bool:
    if any(case.survey.runs(name) for name in names):
        return True
    # The boundary comes from this pass.
    return not case.boundary.is_given and bool(case.survey.checked & MISSING_RULES)


def _judge_beside(case: Case) -> None:
    """What is about the queue and not about requests; a narrowed scope leaves it out."""
    beside: tuple[tuple[PassName, Callable[[Case], bool]], ...] = (
        ("issues", run_issues),
        ("degrees", run_degrees),
        ("queue", run_queue),
    )
    requests = case.coverage.get("requests")
    for name, run in beside:
        if not case.survey.runs(name) or case.scope.is_narrowed:
            continue
        if name == "queue" and requests is not None and requests.skipped:
            # What the walk over requests did not see cannot be compared with.
            case.skip(name)
        else:
            attempt(case, name, partial(run, case))


def latest_number(case: Case) -> int | None:
    """What the queue row calls the latest request, None where that is not known."""
    return numbers.latest_number(case.snapshots, case.queue) if case.survey.has("queue") else None


def _judge_late(case: Case, before: int) -> None:
    """Ids are text, so requests that came during the walk may sort into what was already read."""
    after = latest_number(case)
    if after is None or after <= before or not case.survey.has("request"):
        return
    attempt(
        case,
        "requests",
        lambda: narrow_pass.judge_by_id(case, numbers.ids_between(case.queue, before + 1, after)),
    )


def reported(case: Case, run_id: str | None) -> VerifyReport:
    """The report of what all passes left; waits before the second read."""
    options = case.options
    worst, worst_pending = Worst(case.queue, options.max_findings), Worst(case.queue, options.max_findings)
    counts: Counter[str] = Counter()
    severities: Counter[Severity] = Counter()
    baseline = Baseline(case.queue, options.known, case.clock.now_ms())
    pending = 0
    with FindingsFile(options.findings_file) as file:
        for finding, is_pending in chain(judged(case), moved_boundary(case)):
            if is_pending:
                pending += 1
                if options.show_pending:
                    worst_pending.add(finding)
                continue
            counts[finding.code] += 1
            severities[finding.severity] += 1
            baseline.meet(finding)
            worst.add(finding)
            file.add(finding)
    blocking = list(case.survey.blocking)
    lowest = case.boundary.lowest
    if case.boundary.is_known and case.boundary.is_missing and case.survey.has("request_log") and _has_requests(case):
        blocking.append(NO_HISTORY)
    if case.boundary.is_given and lowest and _has_requests(case) and _is_above_all(case, lowest[0]):
        blocking.append(f"no request is at or above history_since '{lowest[1]}': nothing was held to have a history")
    listed = worst.findings()
    return VerifyReport(
        run_id=run_id,
        scope=case.scope.words,
        coverage={name: case.coverage[name] for name in PASS_TABLES if name in case.coverage},
        counts={code: counts[code] for code in sorted(counts)},
        findings=listed,
        findings_total=counts.total(),
        legacy_requests=case.legacy_requests,
        pending=pending,
        history_since=lowest[1] if lowest and case.boundary.is_exact else None,
        notes=(*case.survey.notes, *case.notes, *baseline.notes(is_whole=case.scope.words is None)),
        blocking=tuple(blocking),
        pending_findings=worst_pending.findings(),
        severities={severity: severities[severity] for severity in SEVERITIES if severities[severity]},
        fail_on=options.fail_on,
        known=dict(sorted(baseline.counts.items())),
        known_findings={each.id: baseline.reasons[each.id] for each in listed if each.id in baseline.reasons},
        known_severities=dict(baseline.severities),
        is_forced_zero=options.exit_zero,
        boundary=seen_boundary(case),
    )


def _has_requests(case: Case) -> bool:
    requests = case.coverage.get("requests")
    return requests is not None and requests.checked > 0


def _is_above_all(case: Case, number: int) -> bool:
    """Whether a number is beyond every request, as a mistyped one would be."""
    highest = numbers.highest_number(case.snapshots, case.queue)
    return highest is not None and number > highest
