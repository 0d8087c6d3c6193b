"""Limits, pages and the cursors between them."""

import base64
import hashlib
import json
from typing import Any

import pytest

from stovepipe_cli.cursor import CURSOR_VERSION, encode_cursor
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program

QUEUE = "demo/main"


@pytest.fixture
def pages(healthy: Program) -> Program:
    """A queue with five open issues."""
    with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        for number in range(5):
            factory.for_queue(QUEUE).open_issues.create(OpenIssue(QUEUE, f"//secretive:{number}", "u", "b-1"))
    return healthy


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "1.5", ""])
def test_a_limit_out_of_range_is_a_usage_error(limit: str, pages: Program) -> None:
    result = pages("issues", "list", f"--limit={limit}", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (2, "usage")


@pytest.mark.parametrize("limit", [1, 2, 4, 5, 6, 1000])
def test_pages_hold_every_item_once(limit: int, pages: Program) -> None:
    seen: list[str] = []
    cursor: list[str] = []
    while True:
        result = pages("issues", "list", "--limit", str(limit), *cursor, "-o", "json")
        data = result.document["data"]
        seen += [item["task_id"] for item in data["items"]]
        assert len(data["items"]) <= limit
        if data["next_cursor"] is None:
            break
        cursor = ["--cursor", data["next_cursor"]]
        assert data["next_cursor"] in result.stderr
    assert seen == [f"//secretive:{number}" for number in range(5)]


def test_all_is_every_item_without_a_cursor(pages: Program) -> None:
    data = pages("issues", "list", "--limit", "1", "--all", "-o", "json").document["data"]
    assert (len(data["items"]), data["next_cursor"]) == (5, None)


def bad_cursors(good: str) -> dict[str, str]:
    body = json.dumps([CURSOR_VERSION + 1, "0" * 16, ["c2VjcmV0aXZl"]]).encode()
    newer = hashlib.sha256(b"stovepipe-cursor" + body).digest()[:4] + body
    return {
        "empty": "",
        "an object": "{}",
        "an object in base64": base64.urlsafe_b64encode(b"{}").decode(),
        "a list": '["//secretive:1"]',
        "a list in base64": base64.urlsafe_b64encode(b'["//secretive:1","u"]').decode(),
        "truncated": good[:-5],
        "one letter changed": good[:12] + ("A" if good[12] != "A" else "B") + good[13:],
        "longer": good + "AAAA",
        "not ascii": good + "é",
        "of the next version": base64.urlsafe_b64encode(newer).decode().rstrip("="),
        "of another queue": encode_cursor(
            queue="other", listing="open-issues", order="task,unit", key=("//secretive:1", "u")
        ),
        "of another listing": encode_cursor(
            queue=QUEUE, listing="requests", order="task,unit", key=("//secretive:1", "u")
        ),
        "of another kind of key": encode_cursor(queue=QUEUE, listing="open-issues", order="task,unit", key=(1, 2)),
    }


def test_a_cursor_that_is_not_of_this_listing_is_refused_and_not_repeated(pages: Program) -> None:
    good = pages("issues", "list", "--limit", "2", "-o", "json").document["data"]["next_cursor"]
    for kind, cursor in bad_cursors(good).items():
        result = pages("issues", "list", f"--cursor={cursor}", "-o", "json")
        error: dict[str, Any] = result.document["errors"][0]
        assert (kind, result.code, error["code"]) == (kind, 7, "invalid-cursor")
        assert error["hint"] == "list again without --cursor and page on from there"
        assert "secretive" not in result.stdout + result.stderr, kind
        assert not cursor or cursor not in error["message"], kind


def test_a_cursor_of_another_prefix_is_refused(pages: Program) -> None:
    cursor = pages("issues", "list", "--limit", "2", "-o", "json").document["data"]["next_cursor"]
    assert pages("issues", "list", "--task", "//s", "--cursor", cursor).code == 7
