"""Why a branch is, or is not, green: what is read, what it rests on, and what disagrees."""

import pytest

from stovepipe_cli.entities import Queue, QueueLog, QueueSummary
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.look.queue import show_queue
from stovepipe_cli.reports.look import QueueReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import StandingClock, queue_of
from tests.support.lifecycles import (
    BETWEEN_MS,
    FIRST_MS,
    LONG_AFTER_MS,
    QUEUE,
    accepted,
    failed,
    failed_early,
    processing,
    put,
    succeeded,
    superseded,
)
from tests.support.watched_storage import watched


def path(number: int) -> str:
    return f"request/{QUEUE}/{number}"


def look(storage: Storage, most: int = 5000) -> QueueReport:
    return show_queue(storage, StandingClock(), most=most)


def codes(report: QueueReport) -> list[str]:
    return [each.code for each in report.disagreements]


def with_row(storage: Storage, **changes: object) -> Storage:
    """The queue after somebody wrote to its coordination row."""
    row = storage.queues.get()
    fields = {name: getattr(row, name) for name in Queue.__dataclass_fields__} | changes | {"version": row.version + 1}
    storage.queues.update(Queue(**fields), old_version=row.version, new_version=row.version + 1)
    return storage


def test_green_at_the_newest_request() -> None:
    report = look(queue_of(failed(1), succeeded(2)))
    assert report.why == f"green at its newest request '{path(2)}', judged 29d23h ago"
    assert report.newest_verdict is not None
    assert (report.newest_verdict.verdict, report.newest_verdict.request_id) == ("green", path(2))
    assert codes(report) == []


def test_broken_names_the_last_green_request_with_its_age() -> None:
    report = look(queue_of(succeeded(1), failed(2)))
    assert report.why == (f"broken at request '{path(2)}', judged 29d23h ago; last green at '{path(1)}', 29d23h ago")
    assert report.last_green is not None
    assert report.last_green.age_ms == LONG_AFTER_MS - (FIRST_MS + BETWEEN_MS + 6000)


def test_what_has_not_ended_is_named_with_its_age() -> None:
    report = look(queue_of(succeeded(1), processing(2), accepted(3)))
    assert report.why.endswith(f"2 requests are unfinished, the oldest is '{path(2)}': processing for 29d23h")
    assert [(item.request_id, item.state) for item in report.unfinished] == [
        (path(2), "processing"),
        (path(3), "accepted"),
    ]
    assert [item.age_ms for item in report.unfinished] == [
        LONG_AFTER_MS - (FIRST_MS + 2 * BETWEEN_MS + 2000),
        LONG_AFTER_MS - (FIRST_MS + 3 * BETWEEN_MS + 1000),
    ]


def test_an_end_without_a_verdict_is_not_green() -> None:
    report = look(queue_of(succeeded(1), failed_early(2)))
    assert report.why.startswith(f"green at request '{path(1)}', judged 29d23h ago")
    assert report.why.endswith(f"the newest request '{path(2)}' is 'failed' and has no verdict")


def test_no_fact_at_all_is_no_verdict() -> None:
    report = look(queue_of(superseded(1), failed_early(2)))
    assert report.newest_verdict is None
    assert report.why.startswith("no request has a verdict; nothing was ever green")


def test_a_fact_of_another_request_of_the_commit_is_no_verdict_of_this_one() -> None:
    first = succeeded(1)
    second = accepted(2).change_request(uri=first.uri.uri if first.uri else "")
    report = look(queue_of(first, second))
    assert report.newest_verdict is not None
    assert report.newest_verdict.request_id == path(1)


def test_ages_come_of_the_entry_where_there_is_no_summary() -> None:
    report = look(queue_of(accepted(1).without("summary"), accepted(2).legacy()))
    known, unknown = report.unfinished
    assert known.since_ms == FIRST_MS + BETWEEN_MS + 1000
    assert (unknown.since_ms, unknown.age_ms) == (None, None)


def test_the_age_of_another_state_is_not_taken_for_this_ones() -> None:
    report = look(queue_of(processing(1).change_summary(state="accepted", state_timestamp_ms=5).drop("state/2")))
    assert report.unfinished[0].since_ms is None


def test_the_look_back_bounds_what_is_read_and_is_told() -> None:
    storage, watch = watched(queue_of(processing(1), *map(superseded, range(2, 2000))))
    report = look(storage, most=100)
    assert sum(rows for table, rows in watch.gets if table == "request") < 1000
    assert (report.unfinished, report.is_whole, report.looked_back) == ((), False, 100)
    assert report.why.startswith("none of the newest 100 numbers has a verdict")


def test_a_short_look_back_does_not_accuse_the_cached_load() -> None:
    """What is processing below it was not counted."""
    assert codes(look(queue_of(processing(1), *map(superseded, range(2, 200))), most=100)) == []


def test_more_in_flight_than_the_row_counts_is_told_however_short_the_look() -> None:
    storage = with_row(queue_of(*map(superseded, range(1, 200)), processing(200)), in_flight_count=0)
    assert codes(look(storage, most=10)) == ["Q604"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"latest_request_id": path(1)}, "Q602"),
        ({"latest_request_id": path(99)}, "Q602"),
        ({"last_green_uri": "git://never"}, "Q603"),
        ({"in_flight_count": 7}, "Q604"),
    ],
)
def test_what_disagrees_has_the_code_of_the_rule(changes: dict[str, object], code: str) -> None:
    assert codes(look(with_row(queue_of(succeeded(1), succeeded(2)), **changes))) == [code]


def test_requests_without_a_coordination_row_are_shown() -> None:
    report = look(queue_of(succeeded(1), queue_row=False))
    assert (report.coordination, report.last_green, codes(report)) == (None, None, ["Q601"])


def test_ids_of_both_forms_disagree() -> None:
    assert codes(look(queue_of(succeeded(1), succeeded(2, form="decimal")))) == ["Q606"]


def enabled(storage: Storage, *, projected: int) -> Storage:
    for sequence, state in enumerate(("enabled", "disabled"), start=1):
        entry = QueueLog(QUEUE, queue_log_id(sequence), sequence, state, FIRST_MS + sequence)
        storage.queue_log.create(entry)
    state = ("enabled", "disabled")[projected - 1]
    storage.queue_summaries.create(QueueSummary(QUEUE, state, projected, FIRST_MS + projected, projected, projected))
    return with_row(storage, enablement_state="disabled", enablement_sequence=2)


def test_enablement_is_shown_since_its_occurrence() -> None:
    report = look(enabled(queue_of(succeeded(1)), projected=2))
    assert report.enablement is not None
    assert (report.enablement.state, report.enablement.sequence) == ("disabled", 2)
    assert report.enablement.since_ms == FIRST_MS + 2
    assert codes(report) == []


def test_a_summary_that_lags_behind_the_log_disagrees() -> None:
    report = look(enabled(queue_of(succeeded(1)), projected=1))
    assert codes(report) == ["Q605"]
    assert report.summary is not None
    assert report.summary.state == "enabled"


def test_a_database_without_the_later_tables_is_shown() -> None:
    absent = {"request_summary", "request_acceptance", "request_log", "queue_log", "queue_summary", "validation_fact"}
    storage = MemoryFactory(absent_tables=frozenset(absent)).for_queue(QUEUE)
    storage.queues.get_or_create()
    storage.bulk.insert([RequestRow(path(1), "git://1", "accepted", "", "", 1, "")])
    with_row(storage, latest_request_id=path(1))
    report = look(storage)
    assert [item.request_id for item in report.unfinished] == [path(1)]
    assert report.summary is None


def test_a_queue_of_no_rows_is_not_found() -> None:
    with pytest.raises(NothingFound):
        look(MemoryFactory().for_queue(QUEUE))


def test_a_queue_that_only_has_its_row_is_shown() -> None:
    storage = MemoryFactory().for_queue(QUEUE)
    storage.queues.get_or_create()
    assert look(storage).why == "no request is on record, so nothing was validated"


@pytest.mark.parametrize("most", [0, -5, 100_001])
def test_the_look_back_is_1_to_100000(most: int) -> None:
    with pytest.raises(UsageError):
        look(queue_of(accepted(1)), most=most)


def test_another_queue_is_not_looked_at() -> None:
    factory = MemoryFactory()
    put(factory.for_queue(QUEUE), succeeded(1))
    other = factory.for_queue("other")
    put(other, failed_early(9))
    report = look(factory.for_queue(QUEUE))
    assert report.newest is not None
    assert report.newest.request_id == path(1)
