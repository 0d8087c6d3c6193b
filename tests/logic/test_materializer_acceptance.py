from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.entities import RequestLog, RequestSummary
from stovepipe_cli.history.acceptance_mapping import (
    AcceptanceTime,
    acceptance_from_log,
    acceptance_time,
    ensure_acceptance,
)
from stovepipe_cli.history.errors import ProjectionConflict, SummaryRequired
from stovepipe_cli.history.summary_writer import ensure_summary, ensure_summary_from_log
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.faults import Disturbed
from tests.support.history_databases import embedded_url, storage_with_request
from tests.support.history_samples import (
    BASE_URI,
    QUEUE,
    REQUEST_ID,
    STARTED_MS,
    URI,
    whole_history,
)

WHOLE = whole_history()
ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = WHOLE
UNKNOWN_ACCEPTANCE = RequestSummary(QUEUE, REQUEST_ID, URI, BASE_URI, "processing", 2, PROCESSING.timestamp_ms, 1)
KNOWN_ACCEPTANCE = replace(UNKNOWN_ACCEPTANCE, accepted_at_ms=STARTED_MS)


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with storage_with_request(embedded_url(request.param, tmp_path)) as storage:
        yield storage


def mappings(storage: Storage) -> list[tuple[int, str]]:
    listed = storage.acceptances.list_before(0, 2**62, None, 100)
    return [(mapping.accepted_at_ms, mapping.request_id) for mapping in listed]


def test_a_known_acceptance_is_mapped_once(storage: Storage) -> None:
    storage.summaries.create(KNOWN_ACCEPTANCE)
    assert ensure_acceptance(storage, REQUEST_ID) == "created"
    assert ensure_acceptance(storage, REQUEST_ID) == "already_mapped"
    assert mappings(storage) == [(STARTED_MS, REQUEST_ID)]


def test_neither_an_unknown_acceptance_nor_a_missing_summary_is_mapped(storage: Storage) -> None:
    assert ensure_acceptance(storage, REQUEST_ID) == "none"
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(ACCEPTED)
    assert ensure_acceptance(storage, REQUEST_ID) == "none"
    assert mappings(storage) == []


def test_a_missing_acceptance_table_is_named() -> None:
    storage = MemoryFactory(absent_tables=frozenset({"request_acceptance"})).for_queue(QUEUE)
    storage.summaries.create(KNOWN_ACCEPTANCE)
    with pytest.raises(SchemaMismatch, match="request_acceptance"):
        ensure_acceptance(storage, REQUEST_ID)


def test_the_retained_accepted_entry_makes_the_acceptance_known(storage: Storage) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(ACCEPTED)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("known", STARTED_MS)
    assert storage.summaries.get(REQUEST_ID) == replace(KNOWN_ACCEPTANCE, version=2)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("known", STARTED_MS)
    assert storage.summaries.get(REQUEST_ID).version == 2


def test_an_accepted_entry_of_the_obsolete_form_counts(storage: Storage) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(replace(ACCEPTED, id="log/" + "0" * 64))
    assert acceptance_from_log(storage, REQUEST_ID).knowledge == "known"


@pytest.mark.parametrize(
    "other", [replace(ACCEPTED, state="processing"), replace(ACCEPTED, id="state/3", request_version=3)]
)
def test_only_version_one_of_the_accepted_state_tells_the_acceptance(storage: Storage, other: RequestLog) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(other)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("unknown")


def test_an_acceptance_that_nothing_tells_stays_unknown(storage: Storage) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(PROCESSING)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("unknown")
    assert storage.summaries.get(REQUEST_ID) == UNKNOWN_ACCEPTANCE


def test_a_summary_is_never_made_for_an_acceptance(storage: Storage) -> None:
    storage.request_log.create(ACCEPTED)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("no-summary")
    with pytest.raises(NotFound):
        storage.summaries.get(REQUEST_ID)


def test_an_acceptance_that_has_no_column_is_not_known() -> None:
    factory = MemoryFactory(absent_columns={"request_summary": frozenset({"accepted_at_ms"})})
    storage = factory.for_queue(QUEUE)
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(ACCEPTED)
    assert acceptance_from_log(storage, REQUEST_ID) == AcceptanceTime("no-column")


def test_a_summary_that_disagrees_is_an_answer_and_stays(storage: Storage) -> None:
    other = replace(KNOWN_ACCEPTANCE, accepted_at_ms=STARTED_MS + 1)
    storage.summaries.create(other)
    storage.request_log.create(ACCEPTED)
    found = acceptance_from_log(storage, REQUEST_ID)
    assert (found.knowledge, found.accepted_at_ms) == ("conflict", 0)
    assert storage.summaries.get(REQUEST_ID) == other


def test_a_summary_that_disagrees_only_by_the_time_of_its_write_is_an_answer_too(storage: Storage) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    storage.request_log.create(ACCEPTED)

    def overtake() -> None:
        storage.summaries.update(replace(KNOWN_ACCEPTANCE, accepted_at_ms=5), old_version=1, new_version=2)

    # The calls are: list the log, read the summary, read it again to project; the other writer comes in before that.
    found = acceptance_from_log(Disturbed({2: overtake}).around(storage), REQUEST_ID)
    assert found.knowledge == "conflict"
    assert storage.summaries.get(REQUEST_ID).accepted_at_ms == 5


@pytest.mark.parametrize("accepted", [None, ACCEPTED])
def test_a_known_acceptance_stands_with_or_without_its_entry(accepted: RequestLog | None) -> None:
    assert acceptance_time(KNOWN_ACCEPTANCE, accepted) == AcceptanceTime("known", STARTED_MS)


def test_what_the_entry_tells_is_derivable_before_it_is_written() -> None:
    assert acceptance_time(UNKNOWN_ACCEPTANCE, ACCEPTED) == AcceptanceTime("derivable", STARTED_MS)


def test_a_missing_summary_is_made_from_everything_retained_in_one_write(storage: Storage) -> None:
    for entry in WHOLE:
        storage.request_log.create(entry)
    written = ensure_summary_from_log(storage, REQUEST_ID)
    assert (written.change, written.summary) == ("created", storage.summaries.get(REQUEST_ID))
    assert written.summary
    assert (written.summary.version, written.summary.state, written.summary.accepted_at_ms) == (
        1,
        "succeeded",
        STARTED_MS,
    )
    assert ensure_summary_from_log(storage, REQUEST_ID).change == "none"


def test_a_summary_that_is_behind_is_moved_forward_in_one_write(storage: Storage) -> None:
    storage.summaries.create(UNKNOWN_ACCEPTANCE)
    for entry in WHOLE:
        storage.request_log.create(entry)
    written = ensure_summary_from_log(storage, REQUEST_ID)
    assert written.change == "advanced"
    assert written.summary
    assert (written.summary.version, written.summary.request_version) == (2, 3)


def test_a_request_without_entries_gets_no_summary(storage: Storage) -> None:
    assert ensure_summary_from_log(storage, REQUEST_ID).summary is None


def test_a_history_of_completions_alone_makes_no_summary(storage: Storage) -> None:
    storage.request_log.create(PROJECTS)
    with pytest.raises(SummaryRequired):
        ensure_summary_from_log(storage, REQUEST_ID)


def test_an_entry_that_is_not_retained_is_never_projected(storage: Storage) -> None:
    with pytest.raises(NotFound):
        ensure_summary(storage, ACCEPTED)


def test_a_retained_entry_is_projected_as_it_is_retained(storage: Storage) -> None:
    storage.request_log.create(PROCESSING)
    written = ensure_summary(storage, replace(PROCESSING, timestamp_ms=5))
    assert written.summary
    assert written.summary.state_timestamp_ms == PROCESSING.timestamp_ms


def test_a_summary_is_not_made_beside_a_contradiction(storage: Storage) -> None:
    storage.request_log.create(PROCESSING)
    storage.request_log.create(replace(PROCESSING, id="log/" + "0" * 64, timestamp_ms=5))
    with pytest.raises(ProjectionConflict):
        ensure_summary_from_log(storage, REQUEST_ID)
    with pytest.raises(NotFound):
        storage.summaries.get(REQUEST_ID)
