"""The page about versions of the service says of every table what this tool knows of it."""

import re
from pathlib import Path

from stovepipe_cli.storage.contract.tables import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"


def test_every_table_stands_there_with_the_columns_that_may_be_absent() -> None:
    (text,) = re.findall(r"<!-- tables -->\n.*?\n.*?\n(.*?)\n\n", PAGE.read_text(), re.DOTALL)
    told = {}
    for line in text.splitlines():
        name, expected, later = (cell.strip() for cell in line.strip("|").split("|"))
        told[name.strip("`")] = (expected, re.findall(r"`(\w+)`", later))
    known = {
        table.name: ("yes" if table.expected else "no", [column.name for column in table.columns if column.later])
        for table in TABLES.values()
    }
    assert told == known
