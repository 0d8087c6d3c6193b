"""Every test that the page of cases names is there, and every case names one."""

import re
from pathlib import Path

from tests.support.named_tests import facts_in

CHECKOUT = Path(__file__).resolve().parents[2]
ROWS = [
    line.strip("|").split("|")
    for line in (CHECKOUT / "docs" / "known-cases.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| report ")
]
NAMED = {report.strip(): re.findall(r"`(tests/[\w/.]+)::(\w+)`", tests) for report, _, tests in ROWS}


def test_every_case_names_a_test() -> None:
    assert len(ROWS) > 30
    assert [report for report, tests in NAMED.items() if not tests] == []


def test_every_test_that_is_named_is_there() -> None:
    named = {each for tests in NAMED.values() for each in tests}
    assert {(file, test) for file, test in named if test not in facts_in(CHECKOUT / file)} == set()
