"""Every test that the list of what must stay true names is there, and every line of it names one."""

import re
from pathlib import Path

from tests.support.named_tests import facts_in

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "known-behaviours.md"


def rows() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each line with the files and tests beside it."""
    found = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "what holds":
            found.append((cells[0], re.findall(r"`(tests/[\w/.]+)::(\w+)`", cells[-1])))
    return found


def test_every_line_names_a_test() -> None:
    assert len(rows()) >= 40
    assert [holds for holds, shown in rows() if not shown] == []


def test_every_test_that_is_named_is_there() -> None:
    named = {(file, test) for _, shown in rows() for file, test in shown}
    assert {(file, test) for file, test in named if test not in facts_in(CHECKOUT / file)} == set()
