"""Writes docs/rules.md from the registry of rules; with --check it only tells whether the page is what it would be."""

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.audit.rules.rule import Rule

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rules.md"

WIDTH = 118

GROUPS = {
    "H": "History of a request",
    "E": "Events, builds and facts",
    "P": "The summary of a request",
    "A": "Acceptance mappings",
    "U": "Commits and requests",
    "Q": "The queue's own rows",
    "I": "Issues",
    "D": "Mappings by degree",
}

HEAD = """\
# What verify looks for

This page is made from the program by `make docs`. `stovepipe rules list` and `stovepipe rules explain CODE` print the
same. A code keeps its meaning for ever, and is never given to another rule. `--select` and `--ignore` take codes and
prefixes: `H`, `H1`, `E203`.

An error is damage. A warning is suspicious, or lies in the way the service works and cannot be healed. An info is worth
knowing. `--fail-on` says which of them decide the verdict; all are counted and shown.

A rule is silent where a value that it needs is unknown, and where its finding would only follow from another one that
is shown. The last column of a table names what writes back what is missing, as far as stored rows prove it.
"""


def page() -> str:
    """The page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for letter, title in GROUPS.items():
        rules = [rule for code, rule in RULES.items() if code.startswith(letter)]
        yield f"## {title}\n"
        yield "| code | name | severity | mended by |\n|---|---|---|---|"
        yield from (f"| [{rule.code}](#{rule.code.lower()}) | {_row(rule)} |" for rule in rules)
        yield ""
        for rule in rules:
            yield f'### <a id="{rule.code.lower()}"></a>{rule.code} {rule.name}\n'
            yield textwrap.fill(rule.explanation, WIDTH) + "\n"
            if rule.tables:
                yield f"Reads {', '.join(f'`{table}`' for table in rule.tables)}.\n"


def _row(rule: Rule) -> str:
    return f"{rule.name} | {rule.severity} | {rule.repaired_by or 'nothing'}"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; the exit code."""
    text = page()
    if arguments == ["--check"]:
        if PAGE.exists() and PAGE.read_text() == text:
            return 0
        print(f"{PAGE.name} is not what the registry says: run 'make docs'")
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
