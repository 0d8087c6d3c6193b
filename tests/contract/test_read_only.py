"""A database that was opened for reading only: every write is refused, every read works."""

from collections.abc import Callable, Iterator

import pytest

from stovepipe_cli.storage.contract import NotFound, Storage, StorageFactory, StorageReadOnly
from stovepipe_cli.storage.contract.rows import RequestRow
from tests.contract.backends import Backend
from tests.contract.samples import (
    NOON_MS,
    ROWS,
    URI,
    a_build,
    a_fact,
    a_log,
    a_mapping,
    a_queue,
    a_queue_summary,
    a_request,
    a_summary,
    a_transition,
    a_uri,
    an_acceptance,
    an_issue,
    an_observation,
    an_occurrence,
)

WRITES: dict[str, Callable[[Storage], object]] = {
    "request create": lambda s: s.requests.create(a_request(s.queue)),
    "request update": lambda s: s.requests.update(a_request(s.queue), old_version=1, new_version=2),
    "uri create": lambda s: s.request_uris.create(a_uri(s.queue)),
    "queue get_or_create": lambda s: s.queues.get_or_create(),
    "queue update": lambda s: s.queues.update(a_queue(s.queue), old_version=1, new_version=2),
    "build create": lambda s: s.builds.create(a_build(s.queue)),
    "build update": lambda s: s.builds.update(a_build(s.queue), old_version=1, new_version=2),
    "fact create": lambda s: s.facts.create(a_fact(s.queue)),
    "log create": lambda s: s.request_log.create(a_log(s.queue)),
    "summary create": lambda s: s.summaries.create(a_summary(s.queue)),
    "summary update": lambda s: s.summaries.update(a_summary(s.queue), old_version=1, new_version=2),
    "acceptance create": lambda s: s.acceptances.create(an_acceptance(s.queue)),
    "acceptance batch": lambda s: s.acceptances.create_missing([an_acceptance(s.queue)]),
    "issue create": lambda s: s.open_issues.create(an_issue(s.queue)),
    "issue delete": lambda s: s.open_issues.delete(an_issue(s.queue)),
    "observation create": lambda s: s.build_issues.create(an_observation(s.queue)),
    "transition create": lambda s: s.issue_log.create(a_transition(s.queue)),
    "enablement create": lambda s: s.queue_log.create(an_occurrence(s.queue)),
    "queue summary create": lambda s: s.queue_summaries.create(a_queue_summary(s.queue)),
    "queue summary update": lambda s: s.queue_summaries.update(a_queue_summary(s.queue), old_version=1, new_version=2),
    "degree create": lambda s: s.facts_by_degree.create(a_mapping(s.queue)),
    "bulk": lambda s: s.bulk.insert(ROWS[RequestRow]),
}


@pytest.fixture(scope="module")
def read_only_database(backend: Backend) -> Iterator[StorageFactory]:
    with backend.database(read_only=True) as opened:
        yield opened
        assert opened.checked_out() == 0, "a test left a connection checked out"


@pytest.fixture
def read_only(read_only_database: StorageFactory) -> Storage:
    return read_only_database.for_queue("main")


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_write_is_refused(read_only: Storage, write: Callable[[Storage], object]) -> None:
    with pytest.raises(StorageReadOnly):
        write(read_only)


def test_no_table_is_created(read_only_database: StorageFactory) -> None:
    with pytest.raises(StorageReadOnly):
        read_only_database.admin.create_tables()


def test_gets_and_lists_answer(read_only: Storage) -> None:
    with pytest.raises(NotFound):
        read_only.requests.get("7")
    assert read_only.request_log.list("7") == ()
    assert read_only.facts.list_after(URI, None, 9) == ()
    assert read_only.acceptances.list_before(0, NOON_MS, None, 9) == ()
    assert read_only.open_issues.list_after(None, 9) == ()
    assert read_only.build_issues.list_after("b7", None, 9) == ()
    assert read_only.issue_log.list_after("//app:test", "", None, 9) == ()
    assert read_only.queue_log.list_after(0, 9) == ()
    assert read_only.facts_by_degree.list_after(URI, None, 9) == ()


def test_audits_answer(read_only: Storage) -> None:
    with read_only.audit.snapshot() as snapshot:
        assert snapshot.page(RequestRow, limit=9).next_after is None


def test_the_directory_answers(read_only_database: StorageFactory) -> None:
    assert read_only_database.directory.list_after(None, 9) == ()
