"""Keys that are easily taken for one another: pages of every size give each once, in byte order, on every backend."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract import CollationConflict, Storage
from stovepipe_cli.storage.contract.rows import BuildIssueRow, RequestRow
from tests.contract.paging import walk, walk_audit
from tests.contract.samples import (
    NOON_MS,
    URI,
    a_fact,
    a_log,
    a_mapping,
    a_request,
    a_transition,
    an_acceptance,
    an_issue,
    an_observation,
)

WORDS = (
    *("main", "Main", "MAIN", "main ", "main  ", " main", "main\n", "main\t"),
    *("resume", "résumé", "re\u0301sume\u0301", "ss", "ß", "ma\u200bin"),
    *("🙂", "🙃", "🙂 ", "\ufffd", "\u007f"),
    *("'", "''", '"', "`", "\\", "\\'", "'; --", "%", "%%", "_", "a%", "a_", "10", "9", "09"),
)
# Bytes that no text has, all but NUL.
BYTES = ("\udcff", "\udcff\udcfe", "main\udc80", "\udcc3", "\udced\udca0\udc80")


@dataclass(frozen=True, slots=True)
class Paged:
    """One part of a key that pages run along; `widest` counts characters, or bytes where `is_binary`."""

    name: str
    widest: int
    is_binary: bool
    create: Callable[[Storage, str], None]
    page: Callable[[Storage, Any, int], tuple[Any, ...]]
    key: Callable[[Any], str]
    after: Callable[[str], Any] = lambda key: key
    may_be_empty: bool = False
    is_descending: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def keys(self) -> tuple[str, ...]:
        """Hard keys that the part can hold, none of them twice."""
        full = "k" * (self.widest - 1)
        longest = (full + "k", full + "K", full + " ", full + "l", full)
        return (*WORDS, *longest, *(BYTES if self.is_binary else ()), *([""] if self.may_be_empty else []))

    def in_order(self, keys: list[str]) -> list[str]:
        """The keys as their pages give them."""
        return sorted(keys, key=key_bytes, reverse=self.is_descending)


PAGED = (
    Paged(
        "fact.project",
        255,
        is_binary=False,
        create=lambda s, k: s.facts.create(a_fact(s.queue, URI, k)),
        page=lambda s, after, limit: s.facts.list_after(URI, after, limit),
        key=lambda fact: fact.project,
        may_be_empty=True,
    ),
    Paged(
        "request_log.id",
        255,
        is_binary=False,
        create=lambda s, k: s.request_log.create(a_log(s.queue, "7", k)),
        page=lambda s, after, limit: s.request_log.list_after("7", after, limit),
        key=lambda entry: entry.id,
        after=lambda key: (NOON_MS, key),
    ),
    Paged(
        "acceptance.request_id",
        1020,
        is_binary=True,
        create=lambda s, k: s.acceptances.create(an_acceptance(s.queue, k)),
        page=lambda s, after, limit: s.acceptances.list_before(0, NOON_MS + 1, after, limit),
        key=lambda acceptance: acceptance.request_id,
        after=lambda key: (NOON_MS, key),
        is_descending=True,
    ),
    Paged(
        "open_issue.task",
        255,
        is_binary=True,
        create=lambda s, k: s.open_issues.create(an_issue(s.queue, k)),
        page=lambda s, after, limit: s.open_issues.list_after(after, limit),
        key=lambda issue: issue.task_id,
        after=lambda key: (key, ""),
    ),
    Paged(
        "open_issue.unit",
        1024,
        is_binary=True,
        create=lambda s, k: s.open_issues.create(an_issue(s.queue, "t", k)),
        page=lambda s, after, limit: s.open_issues.list_after(after, limit),
        key=lambda issue: issue.unit_id,
        after=lambda key: ("t", key),
        may_be_empty=True,
    ),
    Paged(
        "build_issue.task",
        255,
        is_binary=True,
        create=lambda s, k: s.build_issues.create(an_observation(s.queue, "b7", k)),
        page=lambda s, after, limit: s.build_issues.list_after("b7", after, limit),
        key=lambda issue: issue.task_id,
        after=lambda key: (key, ""),
    ),
    Paged(
        "build_issue.unit",
        1024,
        is_binary=True,
        create=lambda s, k: s.build_issues.create(an_observation(s.queue, "b7", "t", k)),
        page=lambda s, after, limit: s.build_issues.list_after("b7", after, limit),
        key=lambda issue: issue.unit_id,
        after=lambda key: ("t", key),
        may_be_empty=True,
    ),
    Paged(
        "issue_log.build",
        1020,
        is_binary=True,
        create=lambda s, k: s.issue_log.create(a_transition(s.queue, k)),
        page=lambda s, after, limit: s.issue_log.list_after("//app:test", "", after, limit),
        key=lambda entry: entry.build_id,
        after=lambda key: (key, "opened"),
    ),
    Paged(
        "fact_by_degree.project",
        1020,
        is_binary=True,
        create=lambda s, k: s.facts_by_degree.create(a_mapping(s.queue, project=k)),
        page=lambda s, after, limit: s.facts_by_degree.list_after(URI, after, limit),
        key=lambda mapping: mapping.project,
        after=lambda key: (0.5, key),
    ),
)
each_part = pytest.mark.parametrize("paged", PAGED, ids=str)


def stored(storage: Storage, paged: Paged) -> Iterator[str]:
    """The keys that are there afterwards: all but those that a collation takes for another."""
    for key in paged.keys:
        with suppress(CollationConflict):
            paged.create(storage, key)
            yield key


@each_part
def test_pages_of_every_size_give_each_key_once_in_byte_order(storage: Storage, paged: Paged) -> None:
    expected = paged.in_order(list(stored(storage, paged)))
    assert len(expected) > len(WORDS) // 2
    for size in range(1, len(expected) + 2):
        listed = walk(
            lambda after, limit: paged.page(storage, after, limit), lambda entity: paged.after(paged.key(entity)), size
        )
        assert [paged.key(entity) for entity in listed] == expected, f"in pages of {size}"


@each_part
def test_a_page_starts_right_behind_each_key_whether_it_is_there_or_not(storage: Storage, paged: Paged) -> None:
    there = set(stored(storage, paged))
    ordered = paged.in_order(list(paged.keys))
    for key in ordered:
        page = paged.page(storage, paged.after(key), 1)
        behind = [each for each in ordered[ordered.index(key) + 1 :] if each in there]
        assert [paged.key(entity) for entity in page] == behind[:1], f"behind {key!r}"


@pytest.mark.parametrize("paged", [paged for paged in PAGED if paged.is_binary], ids=str)
def test_every_hard_key_is_kept_apart_where_keys_are_bytes(storage: Storage, paged: Paged) -> None:
    assert sorted(stored(storage, paged)) == sorted(set(paged.keys))


def test_audit_pages_of_every_size_give_each_text_key_once(storage: Storage) -> None:
    requests = Paged(
        "request.id",
        255,
        is_binary=False,
        create=lambda s, k: s.requests.create(a_request(s.queue, k)),
        page=lambda *_: (),
        key=lambda request: request.id,
    )
    expected = sorted(stored(storage, requests))
    with storage.audit.snapshot() as snapshot:
        for size in range(1, len(expected) + 2):
            assert sorted(row.id for row in walk_audit(snapshot, RequestRow, size)) == expected, f"in pages of {size}"


def test_audit_pages_of_every_size_give_binary_keys_in_byte_order(storage: Storage) -> None:
    units = next(paged for paged in PAGED if paged.name == "build_issue.unit")
    expected = units.in_order(list(stored(storage, units)))
    with storage.audit.snapshot() as snapshot:
        for size in range(1, len(expected) + 2):
            rows = walk_audit(snapshot, BuildIssueRow, size)
            assert [row.unit_id for row in rows] == expected, f"in pages of {size}"
