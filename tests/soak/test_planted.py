"""A generated queue with damage of every kind gives exactly what was planted, and a healthy one nothing.

Small in every run, and at full size with `make soak`.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue, plantable
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.request_id import IdForm
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.open import open_storage

QUEUE = "load/test"
LEAST_KINDS = 42
ONCE = tuple(code for code in plantable() if code.startswith("Q"))

at_every_size = pytest.mark.parametrize(
    ("requests", "each"), [(600, 3), pytest.param(200_000, 50, marks=pytest.mark.soak)], ids=["small", "200000"]
)

# Tables that planting writes to beside those that the rule reads.
BESIDE = {
    "E212": "project_fact_by_degree",
    "P307": "project_fact_by_degree",
    "I701": "build_issue",
    "I702": "issue_log",
    "I703": "build_issue",
}

Found = Counter[tuple[str, str | None]]


def check(url: str, file: Path) -> tuple[VerifyReport, Found]:
    """Verify by every rule with a second look, and the complete list of findings."""
    options = VerifyOptions(settle_ms=1, min_age_ms=0, fail_on="info", max_findings=10, findings_file=file)
    with open_storage(url) as factory:
        report = verify(factory.for_queue(QUEUE), options, clock=SystemClock())
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return report, Counter((line["code"], line["request_id"]) for line in lines)


def fitting(url: str) -> list[str]:
    """What can be planted in a database with these tables, and together."""
    with open_storage(url) as factory:
        audit = factory.for_queue(QUEUE).audit
        there = {table for table in TABLES if audit.view(table) is not None}
    return [
        code
        for code in plantable()
        if code != "Q601" and there.issuperset(RULES[code].tables) and BESIDE.get(code, "request") in there
    ]


def plant(url: str, synthetic: SyntheticQueue) -> Found:
    with open_storage(url) as factory:
        generate(factory.for_queue(synthetic.queue), synthetic, into_existing=False)
    return Counter((each.code, each.request_id) for each in synthetic.planted())


@at_every_size
@pytest.mark.parametrize("ids", ["decimal", "path"])
def test_every_planted_finding_is_found_and_no_other(
    ids: IdForm, requests: int, each: int, url: str, tmp_path: Path
) -> None:
    damage = {code: 1 if code in ONCE else each for code in fitting(url)}
    assert len(damage) >= LEAST_KINDS
    planted = plant(url, SyntheticQueue(QUEUE, requests, seed=requests, damage=damage, ids=ids))
    report, found = check(url, tmp_path / "findings")
    assert found - planted == Counter(), "found, and not planted"
    assert planted - found == Counter(), "planted, and not found"
    assert Counter(report.counts) == Counter({code: count for code, count in damage.items() if count})
    assert report.findings_total == planted.total()
    assert report.pending == 0


@at_every_size
def test_a_healthy_queue_gives_nothing(requests: int, each: int, url: str, tmp_path: Path) -> None:
    plant(url, SyntheticQueue(QUEUE, requests, seed=each))
    report, found = check(url, tmp_path / "findings")
    assert (found, report.verdict, report.pending, report.legacy_requests) == (Counter(), "clean", 0, 0)
    assert report.coverage["requests"].checked == requests


@pytest.mark.parametrize("url", ["sqlite", "mariadb"], indirect=True)
def test_a_missing_queue_row_is_found_where_it_was_planted(url: str, tmp_path: Path) -> None:
    planted = plant(url, SyntheticQueue(QUEUE, 50, seed=1, damage={"Q601": 1, "Q605": 1, "Q606": 1}))
    assert check(url, tmp_path / "findings")[1] == planted


@pytest.mark.parametrize("url", ["mariadb-service-tables"], indirect=True)
@at_every_size
def test_a_name_that_is_ours_by_collation_alone_is_found_row_by_row(
    requests: int, each: int, url: str, tmp_path: Path
) -> None:
    plant(url, SyntheticQueue(QUEUE, requests, seed=1))
    other = QUEUE.upper()
    rows = [RequestRow(str(requests + 1 + n), f"git://other/{n}", "accepted", "", "", 1, "") for n in range(each)]
    with open_storage(url) as factory:
        factory.for_queue(other).bulk.insert(rows)
    assert check(url, tmp_path / "findings")[1] == Counter({("H114", None): each})
