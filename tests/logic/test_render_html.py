"""The HTML report: one file that needs nothing else, in which no text of a database acts."""

import os
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from stovepipe_cli.render.context import RenderContext, TargetView
from stovepipe_cli.render.html_report import MOST_ENTRIES, html_text
from tests.support.hostile import HOSTILE, hostile_history, hostile_run

CONTEXT = RenderContext("verify")
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "p", "span", "b", "i", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "rect", "text"),
}
VOID = frozenset({"meta", "rect"})


class Outline(HTMLParser):
    """Elements and attributes of a page, and whether every element that was opened is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag, "elements overlap"

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def is_balanced(self) -> bool:
        return not self._open


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    found.close()
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_database_becomes_markup(text: str) -> None:
    found = outline(html_text([hostile_run(text)], CONTEXT))
    assert found.tags <= ALLOWED
    assert found.is_balanced
    assert {name for name, _ in found.attributes} <= {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "id",
        "href",
        "open",
        "role",
        "viewbox",
        "width",
        "height",
        "x",
        "y",
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_no_character_that_acts_is_in_the_page(text: str) -> None:
    page = html_text([hostile_run(text)], CONTEXT)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)


def test_nothing_is_loaded_from_anywhere() -> None:
    page = html_text([hostile_run("x"), hostile_run("y")], CONTEXT)
    found = outline(page)
    links = {value for name, value in found.attributes if name in {"href", "src", "action", "data", "srcset"}}
    assert all(link.startswith("#") for link in links)
    assert "@import" not in page
    assert "url(" not in page
    assert any(value.startswith("default-src 'none'") for name, value in found.attributes if name == "content")


def test_verdict_coverage_counts_findings_and_timelines_are_there() -> None:
    text = " ".join(outline(html_text([hostile_run("r1")], CONTEXT)).text)
    for part in ("findings", "requests", "H102 current-state-missing", "lacks something", "Timeline of r1", "expected"):
        assert part in text


def test_the_page_says_which_database_it_is_about() -> None:
    target = TargetView("prod", "profile 'prod'", "db.example:3306", "submitqueue", "8.0.36")
    text = outline(html_text([hostile_run("r1")], replace(CONTEXT, target=target))).text
    for part in ("prod", "db.example:3306", "submitqueue", "8.0.36"):
        assert part in text


def test_a_timeline_is_told_once_and_then_pointed_at() -> None:
    page = html_text([hostile_run("r1")], CONTEXT)
    assert page.count("<h4") == 1
    (place,) = re.findall(r'<h4 id="([^"]+)"', page)
    assert page.count(f'<a href="#{place}">') == 2


def test_a_long_timeline_is_cut_and_says_so() -> None:
    entries = hostile_history("r1").entries * (MOST_ENTRIES + 7)
    run = hostile_run("r1")
    long = replace(run.timelines[0], entries=entries, gap_positions=(len(entries),))
    page = html_text([replace(run, timelines=(long,))], CONTEXT)
    assert "and 7 more entries" in page


def test_a_queue_that_failed_tells_why() -> None:
    from stovepipe_cli.render.audit_run import AuditRun
    from stovepipe_cli.render.context import ErrorView

    failed = AuditRun("q", "", 0, 6, error=ErrorView("storage-unavailable", "<gone>", "wait", retryable=True))
    page = html_text([failed], CONTEXT)
    assert "&lt;gone&gt;" in page


def test_a_browser_shows_the_page_and_runs_nothing_in_it(tmp_path: Path) -> None:
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if browser is None:
        pytest.skip("no Chromium is installed, so the page is not opened in one")
    file = tmp_path / "report.html"
    file.write_text(html_text([hostile_run(text) for text in HOSTILE], CONTEXT), encoding="utf-8")
    dom = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "HOME": str(tmp_path)},
    ).stdout
    assert outline(dom).tags <= ALLOWED, "the browser made elements out of text"
    assert dom.count("<h2>") == len(HOSTILE)
    assert f"<title>stovepipe verify: {len(HOSTILE)} queues</title>" in dom, "a script ran"
    assert "&lt;script&gt;document.title = 'run'&lt;/script&gt;" in dom
