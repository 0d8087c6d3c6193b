"""How a verify reads: bounded pages, nothing open across a wait, nothing lost behind the last request."""

import json
from pathlib import Path

import pytest

from stovepipe_cli.audit.pace import LARGEST, PageSize
from stovepipe_cli.audit.requests_pass import CHUNK
from stovepipe_cli.storage.contract.rows import RequestLogRow, Row
from tests.support.audits import StandingClock, check, codes, names, queue_of
from tests.support.lifecycles import FIRST_MS, accepted, healthy, processing, succeeded, superseded
from tests.support.watched_storage import watched


def orphan(number: int, entry: int = 1) -> RequestLogRow:
    return RequestLogRow(f"request/monorepo/main/{number}", f"event/x/{entry}", FIRST_MS, "", "x", 0, "", "{}")


def test_entries_behind_the_last_request_are_all_counted(tmp_path: Path) -> None:
    storage = queue_of(*(superseded(number) for number in range(1, 6)))
    storage.bulk.insert([orphan(number) for number in range(60_000, 61_000)])
    file = tmp_path / "findings.ndjson"
    report = check(storage, max_findings=100, findings_file=file)
    assert (report.counts, report.findings_total, len(report.findings)) == ({"H109": 1_000}, 1_000, 100)
    listed = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [each["request_id"] for each in listed] == [
        f"request/monorepo/main/{number}" for number in range(60_000, 61_000)
    ]
    assert [each.request_id for each in report.findings] == [each["request_id"] for each in listed[:100]]


def test_orphans_before_between_and_behind_requests_are_found() -> None:
    storage = queue_of(superseded(20), superseded(40))
    storage.bulk.insert([orphan(10), orphan(30), orphan(50), orphan(5_000)])
    assert [each.request_id for each in check(storage, settle_ms=10).findings] == [
        f"request/monorepo/main/{number}" for number in (10, 30, 50, 5_000)
    ]


def test_an_orphan_of_many_entries_is_one_finding_with_its_count() -> None:
    storage = queue_of(superseded(1))
    storage.bulk.insert([orphan(7, entry) for entry in range(2 * CHUNK + 7)])
    (finding,) = check(storage, settle_ms=10).findings
    assert finding.found == f"none, and {2 * CHUNK + 7} entries"


def test_a_log_without_any_request_is_all_orphans() -> None:
    storage = queue_of(queue_row=False)
    storage.bulk.insert([orphan(1), orphan(2)])
    report = check(storage)
    assert (report.counts, report.blocking) == ({"H109": 2}, ())


def test_no_page_holds_more_than_its_limit() -> None:
    lives = [superseded(number) for number in range(1, 2_001)]
    storage, watch = watched(queue_of(*lives))
    report = check(storage)
    assert (report.verdict, report.coverage["requests"].checked) == ("clean", 2_000)
    assert max(rows for _, rows in watch.pages) <= max(LARGEST, CHUNK)
    assert max(rows for _, rows in watch.gets) <= LARGEST
    assert sum(table == "request" for table, _ in watch.pages) > 2


def test_every_pass_ends_with_an_empty_page() -> None:
    storage, watch = watched(queue_of(*healthy(30)))
    check(storage)
    last = dict(watch.pages)
    assert {table: last[table] for table in ("request", "request_log", "build", "validation_fact", "request_uri")} == {
        "request": 0,
        "request_log": 0,
        "build": 0,
        "validation_fact": 0,
        "request_uri": 0,
    }


def test_no_snapshot_is_open_during_the_wait() -> None:
    storage, watch = watched(queue_of(accepted(1), succeeded(2).lose("state/2")))
    open_while_waiting: list[int] = []
    clock = StandingClock(on_sleep=lambda: open_while_waiting.append(watch.open))
    assert codes(check(storage, settle_ms=5_000, clock=clock)) == ["H104"]
    assert (open_while_waiting, watch.most_open) == ([0], 1)


def test_a_request_of_a_huge_history_is_read_in_segments_and_judged_whole() -> None:
    life = processing(2)
    rows: list[Row] = []
    for number in range(3 * CHUNK):
        entry = life.log["event/build_triggered/build-2"]
        name = f"again-{number:06}"
        rows.append(entry._replace(log_id=f"event/build_triggered/{name}", metadata=f'{{"build_id":"{name}"}}'))
        if number != 7_000:
            rows.append(life.builds["build-2"]._replace(id=name))
    other = succeeded(3).lose("state/2")
    storage, watch = watched(queue_of(accepted(1), life, other))
    storage.bulk.insert(rows)
    report = check(storage, settle_ms=10)
    assert names(report) == [("E204", life.id), ("H104", other.id), ("H116", life.id)]
    assert next(each.subject.key["log_id"] for each in report.findings if each.code == "E204") == (
        "event/build_triggered/again-007000"
    )
    assert max(rows for _, rows in watch.pages) <= CHUNK


def test_a_build_entry_missing_from_a_huge_history_stands_at_the_second_read() -> None:
    life = processing(2).drop("event/build_triggered/build-2")
    rows = [
        life.log["state/1"]._replace(log_id=f"event/x/{number}", state="", event="x", request_version=0)
        for number in range(2 * CHUNK)
    ]
    storage = queue_of(accepted(1), life)
    storage.bulk.insert(rows)
    assert codes(check(storage, settle_ms=10, select=("E",))) == ["E201"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_where_the_orders_of_two_tables_differ_entries_are_fetched_by_key(size: int) -> None:
    lost = succeeded(8).lose("state/2")
    storage, watch = watched(queue_of(*healthy(7), lost))
    storage.bulk.insert([orphan(number) for number in range(100, 100 + size)])
    watch.collations = {"request": "utf8mb4_bin", "request_log": "utf8mb4_general_ci"}
    report = check(storage, settle_ms=10)
    assert names(report) == [
        ("H104", lost.id),
        *(("H109", f"request/monorepo/main/{number}") for number in range(100, 100 + size)),
    ]
    assert report.counts == {"H104": 1, "H109": size}
    assert report.coverage["requests"].checked == 8


def test_page_sizes_follow_the_time_that_pages_take() -> None:
    size = PageSize()
    first = size.rows
    size.adapt(0.25)
    assert size.rows == 2 * first
    size.adapt(10.0)
    assert size.rows == first
    for _ in range(20):
        size.adapt(60.0)
    assert size.rows == 50
    for _ in range(20):
        size.adapt(0.0)
    assert size.rows == LARGEST


def test_findings_are_ordered_by_severity_code_and_number() -> None:
    lives = [succeeded(number).lose("state/2") for number in (9, 10, 100)]
    lives += [superseded(2).change_summary(accepted_at_ms=0).without("acceptance"), superseded(3).without("uri")]
    report = check(queue_of(accepted(1), *lives))
    assert [(each.code, each.request_id) for each in report.findings] == [
        ("H104", "request/monorepo/main/9"),
        ("H104", "request/monorepo/main/10"),
        ("H104", "request/monorepo/main/100"),
        ("U501", "request/monorepo/main/3"),
        ("P306", "request/monorepo/main/2"),
    ]


def test_the_worst_are_shown_and_all_are_counted() -> None:
    lives = [succeeded(number).lose("state/2") for number in range(2, 30)]
    lives.append(superseded(30).change_summary(accepted_at_ms=0).without("acceptance"))
    report = check(queue_of(accepted(1), *lives), max_findings=5)
    assert [each.request_id for each in report.findings] == [
        f"request/monorepo/main/{number}" for number in range(2, 7)
    ]
    assert (report.counts, report.findings_total) == ({"H104": 28, "P306": 1}, 29)
    assert report.severities == {"error": 28, "warning": 1}
