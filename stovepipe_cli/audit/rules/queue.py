"""Whether the queue's own rows fit its requests: Q601 to Q606. Judged on what one snapshot shows of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stovepipe_cli.audit.candidate import NOBODY, Candidate
from stovepipe_cli.audit.rules.rule import Rule
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.storage.contract.rows import QueueLogRow, QueueRow, QueueSummaryRow, ValidationFactRow


@dataclass(frozen=True, slots=True)
class QueueView:
    """What is known of a queue.

    `highest_id` is the request of the highest number, empty where there is none; `is_latest_there` tells whether the
    request that the row calls the latest exists, and is no lower. `in_flight` is None where it was not counted.
    `newest` is the last retained occurrence, `missing_sequences` how many before it are not there.
    """

    at_ms: int
    row: QueueRow | None
    highest_id: str
    is_latest_there: bool
    in_flight: int | None
    path_ids: int
    decimal_ids: int
    green_fact: ValidationFactRow | None
    summary: QueueSummaryRow | None
    newest: QueueLogRow | None
    missing_sequences: int


def judge_queue(view: QueueView) -> list[Candidate]:
    """Q601 to Q606."""
    return [
        candidate
        for rule in (row_exists, latest_is_highest, last_green_is_proven, in_flight_fits, summary_fits, forms_fit)
        for candidate in rule(view)
    ]


def row_exists(view: QueueView) -> Iterator[Candidate]:
    """Q601."""
    if view.row is None and view.highest_id:
        yield _about(view, "Q601", "a row", "none", "the queue has requests and no coordination row")


def latest_is_highest(view: QueueView) -> Iterator[Candidate]:
    """Q602."""
    if view.row is None or not view.highest_id or view.is_latest_there:
        return
    latest = view.row.latest_request_id
    named = f"is '{latest}'" if latest else "is unknown"
    yield _about(
        view,
        "Q602",
        view.highest_id,
        latest or None,
        f"the queue's latest request {named}, and the one of the highest number is '{view.highest_id}'",
    )


def last_green_is_proven(view: QueueView) -> Iterator[Candidate]:
    """Q603."""
    row, fact = view.row, view.green_fact
    if row is None or not (row.last_green_uri or row.last_green_request_id):
        return
    request_id = row.last_green_request_id
    if fact is not None and fact.degree == 0 and request_id in ("", fact.request_id):
        return
    found = None if fact is None else f"degree {fact.degree:g} of request '{fact.request_id}'"
    owner = f" of request '{request_id}'" if request_id else ""
    yield _about(
        view,
        "Q603",
        f"a repository fact of degree 0{owner}",
        found,
        f"the queue calls '{row.last_green_uri}' its last green commit, and no fact{owner} proves it",
    )._replace(request_id=request_id)


def in_flight_fits(view: QueueView) -> Iterator[Candidate]:
    """Q604."""
    if view.row is None or view.in_flight is None or view.row.in_flight_count == view.in_flight:
        return
    yield _about(
        view,
        "Q604",
        view.in_flight,
        view.row.in_flight_count,
        f"the queue counts {view.row.in_flight_count} requests in flight, and {view.in_flight} are processing",
    )


def summary_fits(view: QueueView) -> Iterator[Candidate]:
    """Q605."""
    newest, summary = view.newest, view.summary
    if newest is None:
        return
    expected: dict[str, JsonValue] = {
        "enablement_sequence": newest.sequence,
        "state": newest.state,
        "state_timestamp_ms": newest.timestamp_ms,
    }
    found: dict[str, JsonValue] | None = None
    if summary is not None:
        found = {
            "enablement_sequence": summary.enablement_sequence,
            "state": summary.state,
            "state_timestamp_ms": summary.state_timestamp_ms,
        }
    if found == expected and not view.missing_sequences:
        return
    message = "the queue's summary is not what its newest retained occurrence says"
    if found == expected:
        message = f"{view.missing_sequences} occurrences are missing from the sequence of the queue's log"
    is_behind = summary is None or summary.enablement_sequence < newest.sequence
    yield _about(view, "Q605", expected, found, message)._replace(table="queue_summary", is_repairable=is_behind)


def forms_fit(view: QueueView) -> Iterator[Candidate]:
    """Q606."""
    if view.path_ids and view.decimal_ids:
        counts = {"path": view.path_ids, "decimal": view.decimal_ids}
        yield _about(view, "Q606", "one form", counts, "the queue's requests have ids of both forms, old and new")


def _about(view: QueueView, code: str, expected: JsonValue, found: JsonValue, message: str) -> Candidate:
    return Candidate(code, NOBODY, "queue", (), expected, found, message, at_ms=view.at_ms)


def missing_in(sequences: Sequence[int]) -> int:
    """How many numbers are left out between the lowest and the highest."""
    return max(sequences) - min(sequences) + 1 - len(set(sequences)) if sequences else 0


QUEUE_RULES = (
    Rule(
        "Q601",
        "queue-row-missing",
        "error",
        "Requests exist and the queue has no coordination row, so nothing admits builds and nothing knows the last "
        "green commit. The row is made at the first ingest; it was deleted. The service makes it again at the next "
        "ingest, without what it knew.",
        None,
        ("queue",),
        ("queue", "request"),
    ),
    Rule(
        "Q602",
        "latest-request-wrong",
        "warning",
        "The coordination row names another latest request than the one of the highest number, or names none. The "
        "service moves it forward at every ingest; until then it may fail to see that a request is superseded.",
        None,
        ("requests", "queue"),
        ("queue", "request"),
    ),
    Rule(
        "Q603",
        "last-green-unproven",
        "error",
        "The commit that the queue calls its last green one has no repository fact of degree 0, so builds start from a "
        "baseline that nothing proves. The bookmark moves only after the fact; one of the two was changed by hand.",
        None,
        ("queue",),
        ("queue", "validation_fact"),
    ),
    Rule(
        "Q604",
        "in-flight-drift",
        "warning",
        "The coordination row counts other requests in flight than are processing. A crash between claiming a slot and "
        "using it leaves one too many, which takes build capacity away for good; the row is a cache and the requests "
        "are the truth.",
        None,
        ("requests", "queue"),
        ("queue", "request"),
    ),
    Rule(
        "Q605",
        "queue-summary-drift",
        "error",
        "The queue's summary is not what the newest occurrence of its log says, or occurrences are missing from the "
        "log's sequence. The projection failed after the occurrence was written, or a row was deleted. Repair moves "
        "the summary forward to the newest retained occurrence; nothing brings a lost occurrence back.",
        "repair",
        ("queue",),
        ("queue_log", "queue_summary"),
    ),
    Rule(
        "Q606",
        "request-id-forms-mixed",
        "warning",
        "The queue holds request ids of the older and of the newer form. The service refuses to compare one with the "
        "other, so superseding and bookmarks fail. Finish the requests of the older form before the switch.",
        None,
        ("requests", "queue"),
        ("queue", "request"),
    ),
)
