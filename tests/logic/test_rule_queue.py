"""Q601 to Q606: the queue's own rows against its requests."""

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import QueueLogRow, QueueRow, QueueSummaryRow
from tests.support.audits import StandingClock, check, codes, names, queue_of
from tests.support.lifecycles import (
    FIRST_MS,
    Life,
    accepted,
    failed,
    healthy,
    processing,
    put,
    queue_row_of,
    succeeded,
    superseded,
)

LIVES = (failed(8), succeeded(9), processing(10), accepted(11))


def with_row(*lives: Life, **changes: str | int) -> Storage:
    storage = queue_of(*lives, queue_row=False)
    row = queue_row_of(lives)._replace(**changes)  # type: ignore[arg-type]  # tests name columns with their types
    storage.bulk.insert([row])
    return storage


@pytest.mark.parametrize("settle_ms", [0, 10])
@pytest.mark.parametrize(
    ("changes", "code", "severity"),
    [
        ({"latest_request_id": ""}, "Q602", "warning"),
        ({"latest_request_id": "request/monorepo/main/9"}, "Q602", "warning"),
        ({"latest_request_id": "request/monorepo/main/12"}, "Q602", "warning"),
        ({"latest_request_id": "whatever"}, "Q602", "warning"),
        ({"last_green_uri": "git://elsewhere"}, "Q603", "error"),
        ({"last_green_request_id": "request/monorepo/main/8"}, "Q603", "error"),
        ({"last_green_uri": ""}, "Q603", "error"),
        ({"in_flight_count": 0}, "Q604", "warning"),
        ({"in_flight_count": 2}, "Q604", "warning"),
    ],
)
def test_a_row_that_does_not_fit(changes: dict[str, str | int], code: str, severity: str, settle_ms: int) -> None:
    (finding,) = check(with_row(*LIVES, **changes), settle_ms=settle_ms).findings
    assert (finding.code, finding.severity, finding.subject.table, finding.subject.key) == (code, severity, "queue", {})


def test_a_row_that_fits() -> None:
    assert codes(check(with_row(*LIVES))) == []


def test_q601_requests_and_no_row() -> None:
    for settle_ms in (0, 10):
        assert codes(check(queue_of(*LIVES, queue_row=False), settle_ms=settle_ms)) == ["Q601"]


def test_a_row_without_requests_is_fine() -> None:
    storage = queue_of(queue_row=False)
    storage.bulk.insert([QueueRow("", 0, "", 1, "", 0, "", 0)])
    assert codes(check(storage)) == []


def test_q602_goes_by_number_and_not_by_text() -> None:
    assert codes(check(with_row(*(superseded(number) for number in (9, 10, 100))))) == []


def test_q603_without_the_column_the_fact_of_any_request_proves_it() -> None:
    assert codes(check(with_row(*LIVES, last_green_request_id=""))) == []


def test_q603_without_any_green_commit_is_silent() -> None:
    assert codes(check(with_row(*LIVES, last_green_request_id="", last_green_uri=""))) == []


def test_q603_a_broken_fact_proves_nothing() -> None:
    life = failed(8)
    assert life.request is not None
    storage = with_row(life, last_green_uri=life.request.uri, last_green_request_id=life.id)
    (finding,) = check(storage).findings
    assert (finding.code, finding.request_id) == ("Q603", life.id)


def test_q603_is_not_reported_beside_the_missing_fact() -> None:
    life = succeeded(9, projects=())
    storage = queue_of(life, queue_row=False)
    row = queue_row_of([life])
    gone = queue_of(queue_row=False)
    life.facts.clear()
    put(gone, life, queue_row=False)
    gone.bulk.insert([row])
    assert codes(check(storage)) == ["Q601"]
    assert names(check(gone)) == [("E209", life.id)]


def test_q604_counts_requests_that_came_after_the_walk() -> None:
    storage = with_row(*LIVES, latest_request_id="request/monorepo/main/12", in_flight_count=2)

    class Late(StandingClock):
        looks = 0

        def monotonic(self) -> float:
            self.looks += 1
            if self.looks == 4:
                put(storage, processing(12), queue_row=False)
            return super().monotonic()

    assert codes(check(storage, clock=Late())) == []


def test_q604_that_settles_is_not_reported() -> None:
    storage = with_row(*LIVES, in_flight_count=2)

    def catch_up() -> None:
        request = storage.requests.get("request/monorepo/main/11")
        changed = type(request)(
            queue=request.queue,
            id=request.id,
            uri=request.uri,
            state="processing",
            version=2,
            build_strategy="full",
        )
        storage.requests.update(changed, old_version=1, new_version=2)

    assert codes(check(storage, settle_ms=10, clock=StandingClock(on_sleep=catch_up))) == []


def occurrences(*sequences: int) -> list[QueueLogRow]:
    return [QueueLogRow(f"enablement/{number}", number, "enabled", FIRST_MS + number, "{}") for number in sequences]


def test_q605_a_summary_that_is_not_the_newest_occurrence() -> None:
    for summary in ([], [QueueSummaryRow("enabled", 1, FIRST_MS + 1, 1, 1)]):
        storage = queue_of(*healthy(9))
        storage.bulk.insert([*occurrences(1, 2), *summary])
        (finding,) = check(storage, settle_ms=10).findings
        assert (finding.code, finding.subject.table, finding.request_id) == ("Q605", "queue_summary", None)


def test_q605_a_gap_in_the_sequence() -> None:
    storage = queue_of(*healthy(9))
    storage.bulk.insert([*occurrences(1, 2, 10), QueueSummaryRow("enabled", 10, FIRST_MS + 10, 3, 3)])
    assert codes(check(storage)) == ["Q605"]


def test_q605_is_silent_where_the_summary_fits() -> None:
    storage = queue_of(*healthy(9))
    storage.bulk.insert([*occurrences(*range(1, 12)), QueueSummaryRow("enabled", 11, FIRST_MS + 11, 3, 3)])
    assert codes(check(storage)) == []


def test_q606_both_forms_in_one_queue() -> None:
    lives = [superseded(9), succeeded(10, form="decimal")]
    (finding,) = check(queue_of(*lives), settle_ms=10).findings
    assert (finding.code, finding.severity, finding.found) == ("Q606", "warning", {"path": 1, "decimal": 1})


def test_a_narrowed_scope_says_nothing_about_the_queue() -> None:
    report = check(with_row(*LIVES, in_flight_count=7), last=2)
    assert (codes(report), "queue" in report.coverage) == ([], False)
