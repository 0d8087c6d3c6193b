"""`stovepipe verify`."""

from pathlib import Path
from typing import Annotated

import typer

from stovepipe_cli.commands import job_options
from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

EXITS = (
    "0 clean; 3 findings; 4 could not look at everything; 5 the queue has no rows; 6 the database cannot be reached; "
    "findings outrank incomplete"
)


def add(app: typer.Typer) -> None:
    """Register the command on the root."""
    command(app, "verify", example="stovepipe verify -q monorepo/main", exits=EXITS, prepares=False)(verify)


def verify(
    session: Session,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only these rules: codes or prefixes, repeatable or a,b."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODES", help="Not these rules.")] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="SEVERITY", help="Least severity that counts: error, warning, info.")
    ] = "error",
    request: Annotated[
        list[str] | None, typer.Option("--request", metavar="REQUEST", help="Only this request; repeatable.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", help="Only the newest N requests by number.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only requests accepted at or after this time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only requests accepted before this time.")
    ] = None,
    settle: Annotated[
        str | None,
        typer.Option("--settle", metavar="TIME", help="Wait before the second look (5s; 0: no second look)."),
    ] = None,
    min_age: Annotated[
        str | None, typer.Option("--min-age", metavar="TIME", help="Younger latest steps count as pending (15m).")
    ] = None,
    show_pending: Annotated[bool, typer.Option("--show-pending", help="List what is pending.")] = False,
    history_since: Annotated[
        str | None,
        typer.Option(
            "--history-since", metavar="REQUEST", help="First request that has a history, or none; else it is detected."
        ),
    ] = None,
    require_history_since: Annotated[
        bool, typer.Option("--require-history-since", help="Refuse to detect where history begins.")
    ] = False,
    max_findings: Annotated[
        int, typer.Option("--max-findings", metavar="N", help="Most findings to show; all are counted.")
    ] = 1000,
    findings_file: Annotated[
        Path | None,
        typer.Option(
            "--findings-file", metavar="FILE", help="Write every finding to this file, one JSON object a line."
        ),
    ] = None,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="A queue without any row is clean.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Findings do not set the exit code.")] = False,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Known findings: counted, but they do not decide the verdict."),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option("--write-baseline", metavar="FILE", help="Write what is found to this file, as known findings."),
    ] = None,
    baseline_reason: Annotated[
        str | None,
        typer.Option("--baseline-reason", metavar="TEXT", help="Why the findings that are written are accepted."),
    ] = None,
    baseline_expires: Annotated[
        str | None,
        typer.Option("--baseline-expires", metavar="TIME", help="For how long, or until when, or never (90d)."),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit-file", metavar="FILE", help="Write a JUnit report to this file as well.")
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option("--html-file", metavar="FILE", help="Write a report as one HTML page, with timelines, as well."),
    ] = None,
    metrics_file: Annotated[
        Path | None,
        typer.Option("--metrics-file", metavar="FILE", help="Write a Prometheus textfile as well, also on failure."),
    ] = None,
    metrics_merge: Annotated[
        bool, typer.Option("--metrics-merge", help="Keep what the metrics file holds of other queues.")
    ] = False,
    all_queues: Annotated[
        bool, typer.Option("--all-queues", help="Verify every queue of the queue and request tables.")
    ] = False,
    queues_from: Annotated[
        Path | None,
        typer.Option("--queues-from", metavar="FILE", help="Verify the queues named in this file, one a line; or -."),
    ] = None,
    exclude_queue: Annotated[
        list[str] | None,
        typer.Option("--exclude-queue", metavar="QUEUE", help="Of several queues, not this one; repeatable."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="ORDER", help="Of several queues, which first: name, or stalest."),
    ] = None,
    queue_run_time: Annotated[
        str | None,
        typer.Option("--queue-run-time", metavar="TIME", help="Of several queues, how long each may take."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option("--shard", metavar="3/16", help="Of several queues, this share, by their names."),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="N",
            help="Processes that share the whole queue; needs a ledger. No load of the server slows them by default.",
        ),
    ] = 1,
    lease: job_options.Lease = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = None,
) -> object:
    """Find where the history of a queue and its request rows disagree. Writes nothing.

    A queue is clean only when everything could be looked at and nothing was found.
    """
    from stovepipe_cli.audit.baseline_file import read_baseline
    from stovepipe_cli.commands.audit_files import AuditFiles, FileNames
    from stovepipe_cli.commands.audit_options import scope_label, verify_options
    from stovepipe_cli.commands.hash_key import begin_anew_keyed, own_seed
    from stovepipe_cli.commands.run_place import pacing_of
    from stovepipe_cli.commands.run_record import Recorder
    from stovepipe_cli.commands.standing_by import stand_by
    from stovepipe_cli.commands.verify_shared import require_one_queue, shareable, verify_shared
    from stovepipe_cli.commands.verify_work import (
        Several,
        leave_queue,
        new_baseline,
        verify_by_several,
        verify_one,
        verify_several,
    )

    several = Several(all_queues, tuple(exclude_queue or ()), queues_from, order, queue_run_time, shard)
    names = FileNames(junit_file, metrics_file, html_file, metrics_merge)
    scope = scope_label(select=select, ignore=ignore, requests=request, last=last, since=since, until=until)
    session.configure(settle=settle, min_age=min_age, history_since=history_since)
    pacing = pacing_of(workers=workers, max_failure_share=None, lease=lease)
    require_one_queue(workers, are_several=several.is_asked)
    if several.is_asked:
        leave_queue(session, request, history_since)
    if workers > 1:
        begin_anew_keyed(session.surroundings)
    with AuditFiles(session, names, scope) as files:
        session.prepare()
        if workers > 1 and own_seed(session.surroundings.environ):
            stand_by(session, workers - 1)
        known = () if baseline is None else read_baseline(baseline)
        writing = new_baseline(session, write_baseline, baseline_reason, baseline_expires, known)
        chosen = verify_options(
            session,
            select=select,
            ignore=ignore,
            fail_on=fail_on,
            requests=request,
            last=last,
            since=since,
            until=until,
            show_pending=show_pending,
            require_history_since=require_history_since,
            max_findings=max_findings,
            findings_file=findings_file,
            allow_empty=allow_empty,
            exit_zero=exit_zero,
            known=known,
        )
        recorded = {
            "select": chosen.select,
            "ignore": chosen.ignore,
            "fail_on": chosen.fail_on,
            "request": chosen.request_ids,
            "last": last,
            "since": since,
            "until": until,
            "all_queues": all_queues,
            "findings_file": findings_file,
            "baseline": baseline,
        }
        if workers > 1 and (body := shareable(session, chosen)) is not None:
            told = {**recorded, "workers": workers}
            return verify_by_several(
                session, files, chosen, writing, lambda own: verify_shared(session, own, body, pacing, told, reason)
            )
        recorder = Recorder(session, "verify", recorded, reason=reason)
        if several.is_asked:
            return verify_several(session, files, recorder, several, chosen, writing)
        return verify_one(session, files, recorder, chosen, writing)
