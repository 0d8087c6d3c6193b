"""Random operations on a storage, described by name and arguments so that a failing example can be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from stovepipe_cli.entities import BuildIssue, IssueLog, ProjectFactByDegree, Queue, QueueLog, QueueSummary
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import BuildIssueRow, Key, ProjectFactByDegreeRow, RequestLogRow, Row
from tests.contract.paging import walk_audit
from tests.contract.samples import (
    a_build,
    a_fact,
    a_log,
    a_queue,
    a_request,
    a_summary,
    a_uri,
    an_acceptance,
    an_issue,
)

FOREIGN = "elsewhere"


def mostly(likely: st.SearchStrategy[Any], *others: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """`likely` most of the time, so that a step into the unusual does not drown the rest."""
    # Not one_of, which takes a strategy that is given often for one.
    return st.sampled_from([likely] * 19 + list(others)).flatmap(lambda strategy: strategy)


# Few and alike, so that operations meet on the same rows.
LIKELY_KEYS = st.sampled_from(["a", "A", "a ", "é"])
OTHER_KEYS = st.one_of(
    st.sampled_from(["", "e", "b", "🙂", "it's", 'a"%_\\', "x" * 255, "x" * 256, "🙂" * 255, "x" * 1021, "\udcff"]),
    st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=3),
)
KEYS = mostly(LIKELY_KEYS, OTHER_KEYS)
UNITS = st.sampled_from(["", "a", "A", "a "])
TEXT = st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=8)
VERSIONS = mostly(st.sampled_from([1, 2]), st.sampled_from([0, 3, 2**31 - 1, 2**31]))
TIMES = mostly(st.integers(1, 3), st.sampled_from([-1, 0, 4, 2**63 - 1, 2**63]))
STARTS = mostly(st.integers(0, 2), st.just(-1))
ENDS = mostly(st.integers(2, 5), st.sampled_from([0, 2**63 - 1]))
LIMITS = mostly(st.integers(1, 4), st.just(0))
DEGREES = mostly(st.sampled_from([0, 1]), st.sampled_from([0.25, 1 / 3, 1.5]))
STATES = mostly(st.sampled_from(["accepted", "processing", "failed"]), st.just("recorded_green"))
STATUSES = mostly(st.sampled_from(["accepted", "running", "failed"]), st.just("done"))
METADATA = st.dictionaries(TEXT, TEXT, max_size=3)
JSON = st.sampled_from(["null", "{}", '{"a":"b"}', '{"b":"1","a":"2"}', '{"a":1}', "[]", '"a"'])
EVENTS = mostly(st.sampled_from(["opened", "resolved"]), st.sampled_from(["closed", "", "e" * 33]))
IS_FOREIGN = mostly(st.just(value=False), st.just(value=True))


@dataclass(frozen=True, slots=True)
class Operation:
    """One call, by the name of its form and its arguments."""

    name: str
    arguments: tuple[Any, ...]

    def outcome(self, storage: Storage) -> object:
        """What the call returns, or the class of the error that it raises."""
        call, _ = FORMS[self.name]
        try:
            return call(storage, *self.arguments)
        except StovepipeError as error:
            return type(error)


def owner(storage: Storage, is_foreign: bool) -> str:  # noqa: FBT001 - drawn, and passed on by position
    return FOREIGN if is_foreign else storage.queue


def log_rows(request_id: str, log_ids: list[str], time_ms: int, metadata: str) -> list[Row]:
    return [RequestLogRow(request_id, log_id, time_ms, "", "e", 0, "", metadata) for log_id in log_ids]


def audited(storage: Storage, row_type: type[Row], after: Key | None, upto: Key | None, size: int) -> list[Row]:
    with storage.audit.snapshot() as snapshot:
        return walk_audit(snapshot, row_type, size, after=after, upto=upto)


def fetched(storage: Storage, row_type: type[Row], keys: list[Key]) -> list[Row]:
    with storage.audit.snapshot() as snapshot:
        return sorted(snapshot.multi_get(row_type, keys))


LOG_BOUNDS = st.one_of(st.none(), st.tuples(LIKELY_KEYS), st.tuples(LIKELY_KEYS, UNITS))
DEGREE_BOUNDS = st.one_of(
    st.none(), st.tuples(LIKELY_KEYS), st.tuples(LIKELY_KEYS, DEGREES), st.tuples(LIKELY_KEYS, DEGREES, LIKELY_KEYS)
)

Form = tuple[Callable[..., object], tuple[st.SearchStrategy[Any], ...]]

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "request create": (
            lambda s, f, i, state, base, v: s.requests.create(
                a_request(owner(s, f), i, state=state, base_uri=base, version=v)
            ),
            (IS_FOREIGN, KEYS, STATES, UNITS, VERSIONS),
        ),
        "request get": (lambda s, i: s.requests.get(i), (KEYS,)),
        "request update": (
            lambda s, f, i, state, old, new: s.requests.update(
                a_request(owner(s, f), i, state=state), old_version=old, new_version=new
            ),
            (IS_FOREIGN, LIKELY_KEYS, STATES, VERSIONS, VERSIONS),
        ),
        "uri create": (lambda s, u, i: s.request_uris.create(a_uri(s.queue, u, request_id=i)), (KEYS, KEYS)),
        "uri get": (lambda s, u: s.request_uris.get(u), (KEYS,)),
        "queue get": (lambda s: s.queues.get(), ()),
        "queue get_or_create": (lambda s: s.queues.get_or_create(), ()),
        "queue update": (
            lambda s, f, i, n, old, new: s.queues.update(
                a_queue(owner(s, f), latest_request_id=i, in_flight_count=n), old_version=old, new_version=new
            ),
            (IS_FOREIGN, KEYS, st.integers(0, 3), VERSIONS, VERSIONS),
        ),
        "queue forget": (
            lambda s, old, new: s.queues.update(Queue(s.queue, 1), old_version=old, new_version=new),
            (VERSIONS, VERSIONS),
        ),
        "build create": (
            lambda s, f, i, status, v: s.builds.create(a_build(owner(s, f), i, status=status, version=v)),
            (IS_FOREIGN, KEYS, STATUSES, VERSIONS),
        ),
        "build get": (lambda s, i: s.builds.get(i), (KEYS,)),
        "build update": (
            lambda s, i, r, status, old, new: s.builds.update(
                a_build(s.queue, i, request_id=r, status=status), old_version=old, new_version=new
            ),
            (LIKELY_KEYS, KEYS, STATUSES, VERSIONS, VERSIONS),
        ),
        "fact create": (
            lambda s, f, u, p, d: s.facts.create(a_fact(owner(s, f), u, p, degree=d)),
            (IS_FOREIGN, LIKELY_KEYS, mostly(UNITS, OTHER_KEYS), DEGREES),
        ),
        "fact get": (lambda s, u, p: s.facts.get(u, p), (LIKELY_KEYS, mostly(UNITS, OTHER_KEYS))),
        "fact list": (
            lambda s, u, p, n: s.facts.list_after(u, p, n),
            (LIKELY_KEYS, st.one_of(st.none(), UNITS, KEYS), LIMITS),
        ),
        "log create": (
            lambda s, f, r, i, t, m: s.request_log.create(a_log(owner(s, f), r, i, timestamp_ms=t, metadata=m)),
            (IS_FOREIGN, LIKELY_KEYS, KEYS, TIMES, METADATA),
        ),
        "log get": (lambda s, r, i: s.request_log.get(r, i), (LIKELY_KEYS, KEYS)),
        "log list": (lambda s, r: s.request_log.list(r), (KEYS,)),
        "log page": (
            lambda s, r, after, n: s.request_log.list_after(r, after, n),
            (LIKELY_KEYS, st.one_of(st.none(), st.tuples(TIMES, LIKELY_KEYS)), LIMITS),
        ),
        "summary create": (
            lambda s, f, i, r, v: s.summaries.create(a_summary(owner(s, f), i, outcome_reason=r, version=v)),
            (IS_FOREIGN, KEYS, TEXT, VERSIONS),
        ),
        "summary get": (lambda s, i: s.summaries.get(i), (KEYS,)),
        "summary update": (
            lambda s, i, u, t, old, new: s.summaries.update(
                a_summary(s.queue, i, uri=u, state_timestamp_ms=t), old_version=old, new_version=new
            ),
            (LIKELY_KEYS, KEYS, TIMES, VERSIONS, VERSIONS),
        ),
        "acceptance create": (
            lambda s, f, i, t: s.acceptances.create(an_acceptance(owner(s, f), i, t)),
            (IS_FOREIGN, KEYS, TIMES),
        ),
        "acceptance get": (lambda s, t, i: s.acceptances.get(t, i), (TIMES, KEYS)),
        "acceptance batch": (
            lambda s, ids, t: s.acceptances.create_missing([an_acceptance(s.queue, i, t) for i in ids]),
            (st.lists(KEYS, max_size=4), TIMES),
        ),
        "acceptance page": (
            lambda s, start, end, before, n: s.acceptances.list_before(start, end, before, n),
            (STARTS, ENDS, st.one_of(st.none(), st.tuples(TIMES, UNITS)), LIMITS),
        ),
        "issue create": (
            lambda s, f, t, u, b: s.open_issues.create(an_issue(owner(s, f), t, u, b)),
            (IS_FOREIGN, KEYS, mostly(UNITS, OTHER_KEYS), UNITS),
        ),
        "issue get": (lambda s, t, u: s.open_issues.get(t, u), (LIKELY_KEYS, UNITS)),
        "issue delete": (
            lambda s, f, t, u, b: s.open_issues.delete(an_issue(owner(s, f), t, u, b)),
            (IS_FOREIGN, LIKELY_KEYS, UNITS, UNITS),
        ),
        "issue page": (
            lambda s, after, n: s.open_issues.list_after(after, n),
            (st.one_of(st.none(), st.tuples(UNITS, UNITS)), LIMITS),
        ),
        "observation create": (
            lambda s, f, b, t, u: s.build_issues.create(BuildIssue(owner(s, f), b, t, u)),
            (IS_FOREIGN, LIKELY_KEYS, UNITS, mostly(UNITS, OTHER_KEYS)),
        ),
        "observation get": (lambda s, b, t, u: s.build_issues.get(b, t, u), (LIKELY_KEYS, UNITS, UNITS)),
        "observation page": (
            lambda s, b, after, n: s.build_issues.list_after(b, after, n),
            (LIKELY_KEYS, st.one_of(st.none(), st.tuples(UNITS, UNITS)), LIMITS),
        ),
        "transition create": (
            lambda s, f, t, u, b, e, at: s.issue_log.create(IssueLog(owner(s, f), t, u, b, e, at)),
            (IS_FOREIGN, LIKELY_KEYS, mostly(UNITS, OTHER_KEYS), LIKELY_KEYS, EVENTS, TIMES),
        ),
        "transition get": (
            lambda s, t, u, b, e: s.issue_log.get(t, u, b, e),
            (LIKELY_KEYS, UNITS, LIKELY_KEYS, EVENTS),
        ),
        "transition page": (
            lambda s, t, u, after, n: s.issue_log.list_after(t, u, after, n),
            (LIKELY_KEYS, UNITS, st.one_of(st.none(), st.tuples(LIKELY_KEYS, UNITS)), LIMITS),
        ),
        "enablement create": (
            lambda s, f, n, state, at, m: s.queue_log.create(QueueLog(owner(s, f), queue_log_id(n), n, state, at, m)),
            (IS_FOREIGN, st.integers(0, 12), UNITS, TIMES, METADATA),
        ),
        "enablement get": (lambda s, n: s.queue_log.get(queue_log_id(n)), (st.integers(0, 12),)),
        "enablement page": (lambda s, after, n: s.queue_log.list_after(after, n), (st.integers(0, 12), LIMITS)),
        "queue summary create": (
            lambda s, f, n, p, v: s.queue_summaries.create(QueueSummary(owner(s, f), "enabled", n, 5, p, v)),
            (IS_FOREIGN, st.integers(0, 3), VERSIONS, VERSIONS),
        ),
        "queue summary get": (lambda s: s.queue_summaries.get(), ()),
        "queue summary update": (
            lambda s, f, n, p, old, new: s.queue_summaries.update(
                QueueSummary(owner(s, f), "disabled", n, 6, p, 1), old_version=old, new_version=new
            ),
            (IS_FOREIGN, st.integers(0, 3), VERSIONS, VERSIONS, VERSIONS),
        ),
        "degree create": (
            lambda s, f, u, d, p: s.facts_by_degree.create(ProjectFactByDegree(owner(s, f), u, d, p)),
            (IS_FOREIGN, LIKELY_KEYS, DEGREES, mostly(UNITS, OTHER_KEYS)),
        ),
        "degree page": (
            lambda s, u, after, n: s.facts_by_degree.list_after(u, after, n),
            (LIKELY_KEYS, st.one_of(st.none(), st.tuples(DEGREES, LIKELY_KEYS)), LIMITS),
        ),
        "bulk log": (
            lambda s, r, ids, t, m: s.bulk.insert(log_rows(r, ids, t, m)),
            (LIKELY_KEYS, st.lists(LIKELY_KEYS, max_size=3, unique=True), TIMES, JSON),
        ),
        "bulk facts by degree": (
            lambda s, u, d, projects: s.bulk.insert([ProjectFactByDegreeRow(u, d, p) for p in projects]),
            (LIKELY_KEYS, DEGREES, st.lists(LIKELY_KEYS, max_size=3, unique=True)),
        ),
        "bulk build issues": (
            lambda s, b, t, units: s.bulk.insert([BuildIssueRow(b, t, u) for u in units]),
            (LIKELY_KEYS, UNITS, st.lists(LIKELY_KEYS, max_size=3, unique=True)),
        ),
        "audit log": (
            lambda s, after, upto, n: audited(s, RequestLogRow, after, upto, n),
            (LOG_BOUNDS, LOG_BOUNDS, LIMITS),
        ),
        "audit facts by degree": (
            lambda s, after, upto, n: audited(s, ProjectFactByDegreeRow, after, upto, n),
            (DEGREE_BOUNDS, DEGREE_BOUNDS, LIMITS),
        ),
        "audit build issues": (
            lambda s, after, upto, n: audited(s, BuildIssueRow, after, upto, n),
            (LOG_BOUNDS, LOG_BOUNDS, LIMITS),
        ),
        "fetch log": (
            lambda s, keys: fetched(s, RequestLogRow, keys),
            (st.lists(st.one_of(st.tuples(LIKELY_KEYS), st.tuples(LIKELY_KEYS, LIKELY_KEYS)), max_size=3),),
        ),
        "fetch facts by degree": (
            lambda s, keys: fetched(s, ProjectFactByDegreeRow, keys),
            (st.lists(st.one_of(st.tuples(LIKELY_KEYS), st.tuples(LIKELY_KEYS, DEGREES)), max_size=3),),
        ),
    }
)


def family(*names: str) -> st.SearchStrategy[list[Operation]]:
    """Many operations of these forms."""
    operations = [st.builds(Operation, st.just(name), st.tuples(*FORMS[name][1])) for name in names]
    return st.lists(st.one_of(operations), min_size=15, max_size=40)


# Operations of one table at a time, so that they meet. Audit pages of the log are apart, since the order of a table
# with text keys is its own.
HISTORIES: st.SearchStrategy[list[Operation]] = st.one_of(
    family("request create", "request create", "request get", "request update"),
    family("uri create", "uri get"),
    family("queue get", "queue get_or_create", "queue update", "queue forget"),
    family("build create", "build create", "build get", "build update"),
    family("fact create", "fact create", "fact create", "fact get", "fact list"),
    family("log create", "log create", "bulk log", "log get", "log list", "log page"),
    family("log create", "bulk log", "bulk log", "fetch log", "log list"),
    family("summary create", "summary create", "summary get", "summary update"),
    family("acceptance create", "acceptance create", "acceptance get", "acceptance batch", "acceptance page"),
    family("issue create", "issue create", "issue get", "issue delete", "issue page"),
    family("observation create", "bulk build issues", "observation get", "observation page"),
    family("transition create", "transition create", "transition get", "transition page"),
    family("enablement create", "enablement create", "enablement get", "enablement page"),
    family("queue summary create", "queue summary get", "queue summary update"),
    family("degree create", "degree create", "bulk facts by degree", "degree page"),
    family("bulk facts by degree", "audit facts by degree", "fetch facts by degree"),
    family("bulk build issues", "audit build issues"),
    family(*(name for name in FORMS if name != "audit log")),
)
PAGED_HISTORIES = st.one_of(HISTORIES, family("log create", "bulk log", "bulk log", "audit log"))
