"""Every test that the ledger page names as proof of a promise is there, and every promise names one."""

import re
from pathlib import Path

from stovepipe_cli.storage.ledger.tables import LEDGER_TABLES
from tests.support.named_tests import facts_in

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "ledger.md"
SUITE = CHECKOUT / "tests" / "contract" / "ledger"


def section() -> str:
    whole = PAGE.read_text()
    (found,) = re.findall(r"^## What the stores promise\n(.*?)(?=^### The tables)", whole, re.DOTALL | re.MULTILINE)
    return str(found)


def rows() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each promise with the files and tests beside it."""
    found = []
    for line in section().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "promise":
            found.append((cells[0], re.findall(r"`([\w/.]+)::(\w+)`", cells[-1])))
    return found


def facts_of(name: str) -> set[str]:
    return facts_in(CHECKOUT / name if "/" in name else SUITE / name)


def test_every_promise_names_a_test() -> None:
    assert len(rows()) > 70
    assert [promise for promise, shown in rows() if not shown] == []


def test_every_test_that_is_named_is_there() -> None:
    named = {(file, test) for _, shown in rows() for file, test in shown}
    assert {(file, test) for file, test in named if test not in facts_of(file)} == set()


def test_every_table_is_told_of() -> None:
    (told,) = re.findall(r"^### The tables\n(.*?)(?=^#|\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE) == list(LEDGER_TABLES)
