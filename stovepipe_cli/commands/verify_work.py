"""Verify of one queue or of several, with the files around it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.commands.audit_files import AuditFiles
from stovepipe_cli.commands.audit_progress import AuditProgress
from stovepipe_cli.commands.findings_lists import FindingsLists, NewBaseline
from stovepipe_cli.commands.run_record import Recorder, RunRecord
from stovepipe_cli.errors import InvalidInput, NothingFound, StovepipeError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.audit.baseline import KnownFinding
    from stovepipe_cli.audit.options import VerifyOptions
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import QueuesReport, QueueVerdict, Report, VerifyReport
    from stovepipe_cli.storage.contract import Storage

DEFAULT_EXPIRY = "90d"
DEFAULT_REASON = "known when the baseline was written"

_ORDERS = ("name", "stalest")


@dataclass(frozen=True, slots=True)
class Several:
    """Which queues to look at, as it was typed."""

    every: bool = False
    exclude: tuple[str, ...] = ()
    file: Path | None = None
    order: str | None = None
    queue_run_time: str | None = None
    shard: str | None = None

    @property
    def is_asked(self) -> bool:
        """Whether several queues are meant; `UsageError` for options that mean nothing without that."""
        if self.every or self.file is not None:
            return True
        for name, value in (
            ("--exclude-queue", self.exclude),
            ("--order", self.order),
            ("--queue-run-time", self.queue_run_time),
            ("--shard", self.shard),
        ):
            if value:
                raise UsageError(f"{name} is about several queues", hint="add --all-queues or --queues-from FILE")
        return False


def leave_queue(session: "Session", requests: list[str] | None, history_since: str | None) -> None:
    """Several queues are meant: refuse what only one can have."""
    for option, is_given in (
        ("--request", bool(requests)),
        ("--history-since", history_since is not None and history_since != "none"),
    ):
        if is_given:
            raise UsageError(f"{option} is about one queue", hint="add --queue NAME, and leave --all-queues out")
    session.leave_queue()


def new_baseline(
    session: "Session", path: Path | None, reason: str | None, expires: str | None, before: "Iterable[KnownFinding]"
) -> NewBaseline | None:
    """The baseline to write, None where none was asked for; `expires` is a length of time, a point in time or never."""
    from stovepipe_cli.instants import parse_duration, parse_instant

    if path is None:
        if reason is not None or expires is not None:
            raise UsageError("a reason and an expiry belong to a new baseline", hint="add --write-baseline FILE")
        return None
    text = expires or DEFAULT_EXPIRY
    now_ms = session.clock.now_ms()
    if text == "never":
        expires_at_ms = None
    else:
        try:
            expires_at_ms = now_ms + parse_duration(text)
        except InvalidInput:
            expires_at_ms = parse_instant(text, now_ms)
    known = {(each.queue, each.id): each for each in before}
    return NewBaseline(path, reason or DEFAULT_REASON, expires_at_ms, known)


def verify_by_several(
    session: "Session",
    files: AuditFiles,
    options: "VerifyOptions",
    baseline: NewBaseline | None,
    shared: "Callable[[VerifyOptions], Report]",
) -> "Report":
    """Verify the session's queue by what `shared` does with the options."""
    from stovepipe_cli.reports import VerifyReport

    files.expect([session.queue])
    storage = session.storage()
    with FindingsLists(options.findings_file, baseline, are_many=False) as lists:
        report = shared(replace(options, findings_file=lists.path))
        lists.take(storage.queue)
    if isinstance(report, VerifyReport):
        _add(files, storage, report, options)
    return report


def verify_one(
    session: "Session", files: AuditFiles, recorder: Recorder, options: "VerifyOptions", baseline: NewBaseline | None
) -> "VerifyReport":
    """Verify the session's queue. Its run ends when the answer has left."""
    files.expect([session.queue])
    storage = session.storage()
    record = session.keep(recorder.start(storage.queue))
    with FindingsLists(options.findings_file, baseline, are_many=False) as lists:
        own = replace(options, findings_file=lists.path)
        report = session.suggest_queue(lambda: _verify(session, storage, own, record))
        lists.take(storage.queue)
    _add(files, storage, report, options)
    return report


def verify_several(
    session: "Session",
    files: AuditFiles,
    recorder: Recorder,
    several: Several,
    options: "VerifyOptions",
    baseline: NewBaseline | None,
) -> "QueuesReport":
    """Verify every queue that is asked for; one that fails does not keep the others from being looked at."""
    from stovepipe_cli.audit.many_queues import Budget
    from stovepipe_cli.instants import parse_duration
    from stovepipe_cli.reports import QueuesReport, worst_of

    each_ms = None if several.queue_run_time is None else parse_duration(several.queue_run_time)
    names, notes = _names(session, several, allow_empty=options.allow_empty)
    files.expect(names)
    budget = Budget(session.clock, total_ms=session.run_time_ms, each_ms=each_ms)
    verdicts: list[QueueVerdict] = []
    with FindingsLists(options.findings_file, baseline, are_many=True) as lists:
        for name in names:
            left_ms = budget.next_ms()
            own = replace(options, findings_file=lists.path, run_time_ms=left_ms, history_since=_since(options, name))
            verdicts.append(_verify_next(session, files, recorder, name, own))
            lists.take(name)
    found = tuple(verdicts)
    return QueuesReport(found, worst_of(found), notes)


def _verify_next(
    session: "Session", files: AuditFiles, recorder: Recorder, name: str, options: "VerifyOptions"
) -> "QueueVerdict":
    from stovepipe_cli.reports import QueueVerdict

    try:
        if options.run_time_ms == 0:
            report = _out_of_time()
            files.add(name, report)
            return QueueVerdict(name, report.verdict, report.exit_code, {}, {}, report.blocking[0])
        storage = session.reading().for_queue(name)
        with recorder.start(name) as record:
            report = _verify(session, storage, options, record, f"{name}: ")
        _add(files, storage, report, options)
    except StovepipeError as error:
        files.add_failure(name, error)
        return QueueVerdict(name, "error", error.exit_code, {}, {}, error.message)
    return QueueVerdict(name, report.verdict, report.exit_code, report.counts, report.coverage)


def _out_of_time() -> "VerifyReport":
    from stovepipe_cli.reports import VerifyReport

    return VerifyReport(
        run_id=None,
        scope=None,
        coverage={},
        counts={},
        findings=(),
        findings_total=0,
        legacy_requests=0,
        pending=0,
        history_since=None,
        notes=(),
        blocking=("the time budget ended before this queue's turn",),
    )


def _verify(
    session: "Session", storage: "Storage", options: "VerifyOptions", record: RunRecord, prefix: str = ""
) -> "VerifyReport":
    """Verify one queue, leaving the list of findings and the outcome with the run."""
    from stovepipe_cli.audit.verifier import verify, verify_replica
    from stovepipe_cli.commands.replica import replica_look
    from stovepipe_cli.commands.run_findings import findings_path
    from stovepipe_cli.commands.verified import boundary_on_record, note_verified

    progress = AuditProgress(session.progress, session.clock, storage, prefix=prefix, is_whole=_is_whole(options))
    kept = findings_path(session, record.run_id) if options.findings_file is None else None
    own = replace(
        options,
        findings_file=kept or options.findings_file,
        recorded_boundary=boundary_on_record(session, record.ledger),
    )
    look = replica_look(session)
    primary = None if look is None else look.confirm_on(storage.queue)
    if primary is None:
        report = verify(storage, own, clock=session.clock, progress=progress, run_id=record.run_id)
    else:
        report = verify_replica(storage, primary, own, clock=session.clock, progress=progress, run_id=record.run_id)
    if look is not None:
        report = look.judged(report, options.min_age_ms)
    if kept is not None and not report.findings_total:
        kept.unlink(missing_ok=True)
        kept = None
    note_verified(session, record, storage.queue, report)
    record.ends(
        report,
        report.counts,
        stopped_because=_why_incomplete(report),
        document=_told_of(report, kept),
    )
    return report


def outcome_document(report: "VerifyReport", kept: Path | None) -> dict[str, object]:
    """What is left with a run: its verdict, and what else of the report its counts do not tell.

    `kept` is where the list of its findings is, None where none is kept.
    """
    return {"verdict": report.verdict, "exit_code": report.exit_code, **_told_of(report, kept)}


def _told_of(report: "VerifyReport", kept: Path | None) -> dict[str, object]:
    return {
        "scope": report.scope,
        "findings_total": report.findings_total,
        "findings_file": None if kept is None else str(kept),
        "pending": report.pending,
        "legacy_requests": report.legacy_requests,
        "history_since": report.history_since,
    }


def _why_incomplete(report: "VerifyReport") -> str | None:
    if not report.is_incomplete:
        return None
    skipped = [f"pass '{name}' was not finished" for name, part in report.coverage.items() if part.skipped]
    return "incomplete: " + "; ".join((*report.blocking, *skipped))


def _is_whole(options: "VerifyOptions") -> bool:
    bounds = (options.last, options.since_ms, options.until_ms)
    return not options.request_ids and all(bound is None for bound in bounds)


def _add(files: AuditFiles, storage: "Storage", report: "VerifyReport", options: "VerifyOptions") -> None:
    from stovepipe_cli.audit.timelines import timelines_of

    histories = timelines_of(storage, report.findings, options) if files.shows_timelines else ()
    files.add(storage.queue, report, histories)


def _names(session: "Session", several: Several, *, allow_empty: bool) -> tuple[list[str], tuple[str, ...]]:
    """The queues in the order in which to look at them, and what is to be said about that."""
    from stovepipe_cli.audit.many_queues import choose, parse_shard
    from stovepipe_cli.listing import list_queues

    if several.order is not None and several.order not in _ORDERS:
        raise UsageError(f"--order '{several.order}' is no order", hint=f"use {' or '.join(_ORDERS)}")
    shard = None if several.shard is None else parse_shard(several.shard)
    if several.file is None:
        known = [item.queue for item in list_queues(session.reading().directory).items]
    else:
        known = _names_in(session, several.file)
    notes = [f"no queue is called '{name}', which was to be left out" for name in several.exclude if name not in known]
    if several.order == "name":
        known.sort(key=_bytes)
    if several.order == "stalest":
        known = _stalest_first(session, known, notes)
    names = choose(known, exclude=several.exclude, shard=shard)
    if not known and not allow_empty:
        raise NothingFound("there is no queue to verify", hint="check the database, or add --allow-empty")
    return names, tuple(notes)


def _stalest_first(session: "Session", known: list[str], notes: list[str]) -> list[str]:
    from stovepipe_cli.audit.many_queues import stalest_first
    from stovepipe_cli.commands.verified import last_verified

    verified, trouble = last_verified(session, known)
    if trouble is not None:
        notes.append(f"{trouble}: queues are taken by name")
    return stalest_first(known, {queue: each.verified_at_ms for queue, each in verified.items()})


def _names_in(session: "Session", file: Path) -> list[str]:
    from stovepipe_cli.keys import key_text

    try:
        raw = session.surroundings.read_input() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        reason = error.strerror or "input/output error"
        raise InvalidInput(f"'{file}' cannot be read: {reason}", hint="give a file with one queue a line") from error
    return [key_text(line) for line in raw.splitlines() if line.strip()]


def _bytes(name: str) -> bytes:
    from stovepipe_cli.keys import key_bytes

    return key_bytes(name)


def _since(options: "VerifyOptions", queue: str) -> str | None:
    """Where history begins, as far as that was said of this queue: a bare number could be of any."""
    from stovepipe_cli.request_id import parse_request_id

    since = options.history_since
    if since is None or since == "none":
        return since
    parsed = parse_request_id(queue, since)
    return since if parsed is not None and parsed.form == "path" else None
