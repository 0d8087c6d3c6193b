"""The page of rules is what the registry says."""

import subprocess
import sys
from pathlib import Path

from stovepipe_cli.audit.rules import RULES

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "rules.md"


def run_tool(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECKOUT / "tools" / "rules_page.py"), *argv],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env={"PYTHONPATH": str(CHECKOUT)},
        check=False,
    )


def test_the_page_is_up_to_date() -> None:
    checked = run_tool("--check")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), "run 'make docs'"


def test_the_page_explains_every_rule() -> None:
    text = " ".join(PAGE.read_text().split())
    for code, rule in RULES.items():
        assert f"{code} {rule.name} {rule.explanation}" in text
