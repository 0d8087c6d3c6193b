"""A401 to A404 and U501 to U503: the two kinds of mapping."""

from stovepipe_cli.storage.contract.rows import RequestAcceptanceRow, RequestURIRow
from tests.support.audits import check, codes, found, queue_of
from tests.support.lifecycles import FIRST_MS, accepted, succeeded, superseded


def test_a401_a_known_acceptance_without_its_mapping() -> None:
    life = succeeded(2).without("acceptance")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id) == ("A401", life.id)
    assert finding.subject.key == {"accepted_at_ms": life.log["state/1"].timestamp_ms, "request_id": life.id}
    assert finding.repair is not None


def test_a401_is_silent_where_the_acceptance_is_unknown() -> None:
    life = superseded(2).change_summary(accepted_at_ms=0).without("acceptance")
    assert found(accepted(1), life, select=("A",)) == []


def test_a402_a_mapping_without_its_summary() -> None:
    life = succeeded(2).without("summary")
    assert found(accepted(1), life, select=("A",)) == [("A402", life.id)]


def test_a403_the_only_mapping_is_of_another_time() -> None:
    life = succeeded(2)
    life.acceptance = RequestAcceptanceRow(FIRST_MS, life.id)
    for settle_ms in (0, 10):
        for select in ((), ("A",)):
            assert found(accepted(1), life, settle_ms=settle_ms, select=select) == [("A403", life.id)]


def test_a403_is_no_a401() -> None:
    life = succeeded(2)
    life.acceptance = RequestAcceptanceRow(FIRST_MS, life.id)
    assert found(accepted(1), life, select=("A401",)) == []


def test_a404_a_mapping_beside_the_right_one() -> None:
    life = succeeded(2)
    storage = queue_of(accepted(1), life)
    storage.bulk.insert([RequestAcceptanceRow(FIRST_MS + 1, life.id)])
    for settle_ms in (0, 10):
        assert codes(check(storage, settle_ms=settle_ms)) == ["A404"]


def test_a404_two_mappings_and_neither_right() -> None:
    life = succeeded(2).without("acceptance")
    storage = queue_of(accepted(1), life)
    storage.bulk.insert([RequestAcceptanceRow(FIRST_MS + 1, life.id), RequestAcceptanceRow(FIRST_MS + 2, life.id)])
    for settle_ms in (0, 10):
        assert codes(check(storage, settle_ms=settle_ms)) == ["A404", "A404"]


def test_u501_a_commit_that_leads_nowhere() -> None:
    life = succeeded(2).without("uri")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id, finding.subject.table) == ("U501", life.id, "request_uri")
    assert finding.repair is not None


def test_u502_a_commit_that_leads_to_no_request() -> None:
    storage = queue_of(accepted(1))
    storage.bulk.insert([RequestURIRow("git://crashed", "request/monorepo/main/9", 1)])
    for settle_ms in (0, 10):
        report = check(storage, settle_ms=settle_ms)
        (finding,) = report.findings
        assert (finding.code, finding.severity, finding.request_id) == ("U502", "warning", "request/monorepo/main/9")


def test_u503_a_commit_that_leads_to_another_request() -> None:
    life, other = succeeded(2), superseded(3)
    assert life.request is not None
    assert other.uri is not None
    other.without("uri")
    life.uri = RequestURIRow(life.request.uri, other.id, 1)
    assert found(accepted(1), life, other) == [("U501", other.id), ("U503", life.id), ("U503", other.id)]


def test_u503_a_second_commit_that_leads_to_a_request() -> None:
    storage = queue_of(accepted(1), superseded(2))
    storage.bulk.insert([RequestURIRow("git://second", superseded(2).id, 1)])
    for settle_ms in (0, 10):
        assert codes(check(storage, settle_ms=settle_ms)) == ["U503"]
