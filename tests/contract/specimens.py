"""Each text part of each key, under one form, so that what holds for every key is tested once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from stovepipe_cli.entities import ProjectFactByDegree
from stovepipe_cli.storage.contract import NotFound, Storage
from tests.contract.samples import (
    NOON_MS,
    URI,
    a_build,
    a_fact,
    a_log,
    a_mapping,
    a_request,
    a_summary,
    a_transition,
    a_uri,
    an_acceptance,
    an_issue,
    an_observation,
)

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Specimen(Generic[E]):
    """One part of one store's key: how to build an entity with it, write it and read it back.

    `longest` has as many characters or bytes as the column holds; `may_be_empty` where that is a key of its own,
    `is_binary` where the column holds any bytes.
    """

    name: str
    make: Callable[[str, str], E]
    create: Callable[[Storage, E], None]
    get: Callable[[Storage, str], E]
    longest: str
    may_be_empty: bool = False
    is_binary: bool = False

    def __str__(self) -> str:
        return self.name


# As long as a text column allows, in characters that take four bytes each.
LONGEST_TEXT = "🙂" * 255
LONGEST_REQUEST_ID = "🙂" * 255
LONGEST_BUILD_ID = "🙂" * 255
LONGEST_TASK = "é" * 127 + "t"
LONGEST_UNIT = "🙂" * 256


def the_mapping(storage: Storage, uri: str, project: str) -> ProjectFactByDegree:
    """A mapping by its key, which its store has no get for."""
    for mapping in storage.facts_by_degree.list_after(uri, None, 9):
        if mapping.project == project:
            return mapping
    raise NotFound(f"no project '{project}' of '{uri}'")


SPECIMENS: tuple[Specimen[Any], ...] = (
    Specimen("request.id", a_request, lambda s, e: s.requests.create(e), lambda s, k: s.requests.get(k), LONGEST_TEXT),
    Specimen(
        "request_uri.uri",
        a_uri,
        lambda s, e: s.request_uris.create(e),
        lambda s, k: s.request_uris.get(k),
        LONGEST_TEXT,
    ),
    Specimen("build.id", a_build, lambda s, e: s.builds.create(e), lambda s, k: s.builds.get(k), LONGEST_TEXT),
    Specimen("fact.uri", a_fact, lambda s, e: s.facts.create(e), lambda s, k: s.facts.get(k), LONGEST_TEXT),
    Specimen(
        "fact.project",
        lambda queue, key: a_fact(queue, URI, key),
        lambda s, e: s.facts.create(e),
        lambda s, k: s.facts.get(URI, k),
        LONGEST_TEXT,
        may_be_empty=True,
    ),
    Specimen(
        "request_log.request_id",
        a_log,
        lambda s, e: s.request_log.create(e),
        lambda s, k: s.request_log.get(k, "state/1"),
        LONGEST_TEXT,
    ),
    Specimen(
        "request_log.id",
        lambda queue, key: a_log(queue, "7", key),
        lambda s, e: s.request_log.create(e),
        lambda s, k: s.request_log.get("7", k),
        LONGEST_TEXT,
    ),
    Specimen(
        "summary.request_id",
        a_summary,
        lambda s, e: s.summaries.create(e),
        lambda s, k: s.summaries.get(k),
        LONGEST_TEXT,
    ),
    Specimen(
        "acceptance.request_id",
        an_acceptance,
        lambda s, e: s.acceptances.create(e),
        lambda s, k: s.acceptances.get(NOON_MS, k),
        LONGEST_REQUEST_ID,
        is_binary=True,
    ),
    Specimen(
        "open_issue.task",
        an_issue,
        lambda s, e: s.open_issues.create(e),
        lambda s, k: s.open_issues.get(k, ""),
        LONGEST_TASK,
        is_binary=True,
    ),
    Specimen(
        "open_issue.unit",
        lambda queue, key: an_issue(queue, "//app:test", key),
        lambda s, e: s.open_issues.create(e),
        lambda s, k: s.open_issues.get("//app:test", k),
        LONGEST_UNIT,
        may_be_empty=True,
        is_binary=True,
    ),
    Specimen(
        "build_issue.build",
        an_observation,
        lambda s, e: s.build_issues.create(e),
        lambda s, k: s.build_issues.get(k, "//app:test", ""),
        LONGEST_BUILD_ID,
        is_binary=True,
    ),
    Specimen(
        "build_issue.task",
        lambda queue, key: an_observation(queue, "b7", key),
        lambda s, e: s.build_issues.create(e),
        lambda s, k: s.build_issues.get("b7", k, ""),
        LONGEST_TASK,
        is_binary=True,
    ),
    Specimen(
        "build_issue.unit",
        lambda queue, key: an_observation(queue, "b7", "//app:test", key),
        lambda s, e: s.build_issues.create(e),
        lambda s, k: s.build_issues.get("b7", "//app:test", k),
        LONGEST_UNIT,
        may_be_empty=True,
        is_binary=True,
    ),
    Specimen(
        "issue_log.task",
        lambda queue, key: a_transition(queue, task_id=key),
        lambda s, e: s.issue_log.create(e),
        lambda s, k: s.issue_log.get(k, "", "b7", "opened"),
        LONGEST_TASK,
        is_binary=True,
    ),
    Specimen(
        "issue_log.unit",
        lambda queue, key: a_transition(queue, unit_id=key),
        lambda s, e: s.issue_log.create(e),
        lambda s, k: s.issue_log.get("//app:test", k, "b7", "opened"),
        LONGEST_UNIT,
        may_be_empty=True,
        is_binary=True,
    ),
    Specimen(
        "issue_log.build",
        a_transition,
        lambda s, e: s.issue_log.create(e),
        lambda s, k: s.issue_log.get("//app:test", "", k, "opened"),
        LONGEST_BUILD_ID,
        is_binary=True,
    ),
    Specimen(
        "fact_by_degree.uri",
        lambda queue, key: a_mapping(queue, uri=key),
        lambda s, e: s.facts_by_degree.create(e),
        lambda s, k: the_mapping(s, k, "app"),
        "🙂" * 255,
        is_binary=True,
    ),
    Specimen(
        "fact_by_degree.project",
        lambda queue, key: a_mapping(queue, project=key),
        lambda s, e: s.facts_by_degree.create(e),
        lambda s, k: the_mapping(s, URI, k),
        "🙂" * 255,
        is_binary=True,
    ),
)

BY_NAME: dict[str, Specimen[Any]] = {specimen.name: specimen for specimen in SPECIMENS}
