"""From the options of a backfill to its answer, with the checks and the question in between."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stovepipe_cli.commands.run_place import Pacing, require_primary

if TYPE_CHECKING:
    from stovepipe_cli.backfill.options import BackfillOptions
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import Report


@dataclass(frozen=True, slots=True)
class Window:
    """Of acceptance times, as it was typed."""

    since: str | None
    until: str | None


def backfill(
    session: "Session",
    window: Window,
    pacing: Pacing,
    *,
    apply: bool,
    batch: int,
    allow_empty: bool,
    confirm_queue: str | None,
    reason: str | None,
) -> "Report":
    """What would be done, or, with `apply`, what was done."""
    from stovepipe_cli.backfill.acceptance_job import KIND, acceptance_body
    from stovepipe_cli.backfill.acceptances import preview_acceptances, require_tables
    from stovepipe_cli.commands.run_engine import NewRun, run_new

    options = _options(session, window, batch)
    storage = session.writable_storage() if apply else session.storage()
    if apply:
        require_primary(session, hint="backfill on the primary; without --apply this one can be read")
    if not allow_empty:
        session.require_rows(storage)
    if not apply:
        return preview_acceptances(storage, options, clock=session.clock)
    require_tables(storage)
    if not session.config.yes.value or session.config.protected.value:
        _confirm(session, options, confirm_queue)
    body = acceptance_body(storage, options, clock=session.clock)
    recorded = {"batch": batch, **options.as_json(), "workers": pacing.workers}
    return run_new(session, NewRun(KIND, body, options.as_json(), recorded, reason=reason), pacing)


def _options(session: "Session", window: Window, batch: int) -> "BackfillOptions":
    from stovepipe_cli.backfill.options import BackfillOptions
    from stovepipe_cli.instants import parse_instant

    now_ms = session.clock.now_ms()
    options = BackfillOptions(
        batch,
        None if window.since is None else parse_instant(window.since, now_ms),
        None if window.until is None else parse_instant(window.until, now_ms),
    )
    options.validate()
    return options


def _confirm(session: "Session", options: "BackfillOptions", confirm_queue: str | None) -> None:
    """Count what would be written, and ask; an answer given beforehand spares the count."""
    from stovepipe_cli.backfill.acceptances import preview_acceptances
    from stovepipe_cli.commands.confirmation import WritePlan

    preview = preview_acceptances(
        session.writable_storage(),
        options,
        clock=session.clock,
        progress=lambda at: session.progress(f"{at.scanned:,} requests read, {at.mapped:,} to map"),
    )
    session.confirm(
        WritePlan(
            "backfill acceptance mappings",
            {"request_acceptance": preview.mapped},
            {"request_summary": preview.summaries_updated},
        ),
        confirm_queue=confirm_queue,
    )
