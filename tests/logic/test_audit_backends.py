"""The same rows give the same findings whatever holds them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestAcceptanceRow, RequestLogRow, RequestURIRow, Row
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import Chosen, check, queue_of
from tests.support.lifecycles import FIRST_MS, QUEUE, Life, accepted, failed, healthy, put, succeeded, superseded


def damaged() -> list[Life]:
    lives = healthy(40)
    lives += [succeeded(number) for number in range(41, 61)]
    for number in (1, 2, 3):
        lives[number - 1].legacy()
    lives[40].drop(*lives[40].log)
    lives[41].lose("state/1")
    lives[42].lose("state/2")
    lives[43].lose("state/3")
    lives[44].drop("event/build_triggered/build-45")
    lives[45].drop("event/build_finished/build-46")
    lives[46].drop(lives[46].fact_log_id)
    lives[47].without("summary", "acceptance")
    lives[48].change_summary(request_version=2, state="processing", outcome_reason="")
    lives[49].change_summary(state_timestamp_ms=5)
    lives[50].without("acceptance")
    lives[51].without("uri")
    lives[52].change_entry("state/3", state="failed", outcome_reason="build_failed")
    lives[53].facts.clear()
    lives[54].change_entry("event/project_facts_recorded/all", metadata='{"project_fact_count": "3"}')
    lives[55].change_entry("state/1", metadata='{"a": 1}')
    return lives


def further() -> list[Row]:
    orphan = RequestLogRow("request/monorepo/main/9999", "event/x/1", FIRST_MS, "", "x", 0, "", "{}")
    return [
        orphan,
        orphan._replace(request_id="Request/monorepo/main/5"),
        RequestURIRow("git://crashed", "request/monorepo/main/9998", 1),
        RequestAcceptanceRow(FIRST_MS + 1, "request/monorepo/main/58"),
    ]


@pytest.fixture(params=["sqlite", "mariadb", "mariadb-of-the-service"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'audit.db'}"
    else:
        fixture = "mariadb_database" if request.param == "mariadb" else "mariadb_service_database"
        url = request.getfixturevalue(fixture)
    with contextlib.closing(open_storage(url)) as factory:
        if request.param != "mariadb-of-the-service":
            factory.admin.create_tables()
        yield factory.for_queue(QUEUE)


def comparable(report: VerifyReport) -> list[tuple[object, ...]]:
    return [
        (each.id, each.code, each.request_id, each.subject, each.expected, each.found, each.message, each.repair)
        for each in report.findings
    ]


def test_every_backend_shows_the_same_damage(database: Storage) -> None:
    model = queue_of(*damaged())
    for storage in (model, database):
        if storage is database:
            put(storage, *damaged())
        storage.bulk.insert(further())
    expected, found = check(model, settle_ms=1), check(database, settle_ms=1)
    assert comparable(found) == comparable(expected)
    assert found.legacy_requests == expected.legacy_requests == 3
    assert found.counts["H109"] == 2
    assert {name: part.checked for name, part in found.coverage.items() if not part.absent} == {
        name: part.checked
        for name, part in expected.coverage.items()
        if name in found.coverage and not found.coverage[name].absent
    }


def test_every_backend_is_clean_where_nothing_is_wrong(database: Storage) -> None:
    put(database, *healthy(60))
    report = check(database, settle_ms=1)
    assert (comparable(report), report.verdict) == ([], "clean")


def test_every_backend_narrows_alike(database: Storage) -> None:
    put(database, *damaged())
    since_ms = succeeded(45).log["state/1"].timestamp_ms
    scopes: list[Chosen] = [{"last": 20}, {"request_ids": ("43", "44")}, {"since_ms": since_ms}]
    for scope in scopes:
        model, report = check(queue_of(*damaged()), **scope), check(database, **scope)
        assert (comparable(report), report.scope) == (comparable(model), model.scope)
        assert report.findings


def test_a_queue_whose_name_is_equal_by_collation_is_another_one(mariadb_service_database: str) -> None:
    with contextlib.closing(open_storage(mariadb_service_database)) as factory:
        put(factory.for_queue(QUEUE), accepted(1), failed(3))
        other = superseded(2)
        other.queue = QUEUE.upper()
        factory.for_queue(QUEUE.upper()).bulk.insert(other.rows())
        report = check(factory.for_queue(QUEUE), settle_ms=1)
        assert set(report.counts) == {"H114"}
        assert {each.subject.table for each in report.findings} == {
            "request",
            "request_log",
            "request_uri",
            "request_acceptance",
        }
        assert report.verdict == "findings"
