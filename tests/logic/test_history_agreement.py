"""What a history marks is what verify finds, damage by damage, on a queue with every kind of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.fixtures_io.generator import SyntheticQueue, plantable
from stovepipe_cli.history.mendable import ALWAYS
from stovepipe_cli.history.viewer import Arrangement, view_history
from stovepipe_cli.reports import HistoryReport, VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage

QUEUE = "load/test"
REQUESTS = 400

# What a history can tell of one request without walking other tables, waiting, or masking values.
TOLD = frozenset(
    {
        *("H101", "H102", "H103", "H104", "H105", "H106", "H107", "H108", "H109", "H110", "H111", "H112", "H113"),
        *("H115",),
        *("E201", "E202", "E203", "E204", "E205", "E206", "E207", "E208", "E209", "E211"),
        *("P301", "P302", "P303", "P304", "P305", "P306", "A401", "U501"),
    }
)
# Rows elsewhere under another time or commit, which no key of the request leads to.
ELSEWHERE = frozenset({"A403", "U503"})
SETTLED = VerifyOptions(settle_ms=0, min_age_ms=0, fail_on="info", max_findings=10_000)


@pytest.fixture(scope="module")
def damaged() -> Iterator[Storage]:
    with open_storage("memory://") as factory:
        codes = [code for code in plantable() if code[0] != "Q" and code not in ELSEWHERE]
        for batch in SyntheticQueue(QUEUE, REQUESTS, seed=7, damage=dict.fromkeys(codes, 3)).batches():
            factory.for_queue(QUEUE).bulk.insert(batch)
        yield factory.for_queue(QUEUE)


@pytest.fixture(scope="module")
def verified(damaged: Storage) -> VerifyReport:
    return verify(damaged, SETTLED, clock=SystemClock())


@pytest.fixture(scope="module")
def histories(damaged: Storage, verified: VerifyReport) -> Mapping[str, HistoryReport]:
    found = {}
    for request_id in {*map(str, range(1, REQUESTS + 1)), *(each.request_id or "" for each in verified.findings)}:
        try:
            found[request_id] = view_history(damaged, request_id)
        except NothingFound:
            continue
    return found


def codes_found(report: VerifyReport) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in report.findings:
        if each.request_id and each.code in TOLD:
            found[each.request_id].add(each.code)
    return dict(found)


def codes_told(histories: Mapping[str, HistoryReport]) -> dict[str, set[str]]:
    told = {
        request_id: {mark.code for mark in (*report.gaps, *report.marks)} for request_id, report in histories.items()
    }
    return {request_id: codes for request_id, codes in told.items() if codes}


def test_a_history_tells_what_verify_finds_and_nothing_else(
    verified: VerifyReport, histories: Mapping[str, HistoryReport]
) -> None:
    assert codes_told(histories) == codes_found(verified)


def test_every_code_that_a_history_tells_was_planted(verified: VerifyReport) -> None:
    planted = {each.code for each in verified.findings}
    assert TOLD & {*plantable()} <= planted


def test_a_gap_is_mendable_exactly_where_a_finding_names_a_repair(
    verified: VerifyReport, histories: Mapping[str, HistoryReport]
) -> None:
    named = {(each.request_id, each.code): each.repair is not None for each in verified.findings}
    told = {(report.request_id, gap.code): gap.is_mendable for report in histories.values() for gap in report.gaps}
    assert told == {place: named[place] for place in told}


def test_what_always_can_be_mended_is_what_its_rule_says(verified: VerifyReport) -> None:
    assert verified.findings_total
    assert all(RULES[code].repaired_by for code in ALWAYS)


def test_folding_changes_nothing_that_is_told(damaged: Storage, histories: Mapping[str, HistoryReport]) -> None:
    for request_id, whole in histories.items():
        folded = view_history(damaged, request_id, arrangement=Arrangement(is_folded=True))
        assert (folded.gaps, folded.marks, folded.total) == (whole.gaps, whole.marks, whole.total)
