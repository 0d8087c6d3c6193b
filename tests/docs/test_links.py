"""Every link of a page to another one leads somewhere, to a heading where it names one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = (
    CHECKOUT / "README.md",
    CHECKOUT / "CHANGELOG.md",
    *sorted((CHECKOUT / "docs").glob("*.md")),
    *sorted((CHECKOUT / "fixtures").glob("**/*.md")),
)

_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([^"]+)">')


def links(page: Path) -> Iterator[str]:
    for target in _LINK.findall(_FENCED.sub("", page.read_text())):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: Path) -> set[str]:
    """What a heading is called, as GitHub makes it, and what is named outright."""
    text = _FENCED.sub("", page.read_text())
    found = set(_ANCHOR.findall(text))
    for heading in _HEADING.findall(text):
        plain = re.sub(r"<[^>]+>|`|\[|\]\([^)]*\)|\*", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


EVERY = [
    pytest.param(page, target, id=f"{page.relative_to(CHECKOUT)}: {target}")
    for page in PAGES
    for target in dict.fromkeys(links(page))
]


@pytest.mark.parametrize(("page", "target"), EVERY)
def test_a_link_leads_somewhere(page: Path, target: str) -> None:
    name, _, anchor = target.partition("#")
    there = (page.parent / name).resolve() if name else page
    assert there.exists()
    assert there.is_relative_to(CHECKOUT)
    if anchor:
        assert anchor in anchors(there)


def test_the_readme_leads_to_every_page() -> None:
    led_to = {(CHECKOUT / target).resolve() for target in links(CHECKOUT / "README.md")}
    beyond = {(page.parent / target.partition("#")[0]).resolve() for page in PAGES for target in links(page)}
    pages = {page for page in PAGES if page.parent.name == "docs"}
    assert pages <= led_to | beyond
    assert {"getting-started.md", "operations.md", "security.md", "fixtures.md"} <= {page.name for page in led_to}


def test_the_readme_is_short() -> None:
    assert len((CHECKOUT / "README.md").read_text().splitlines()) <= 130
