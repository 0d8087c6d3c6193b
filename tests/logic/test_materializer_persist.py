import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.entities import RequestAcceptance, RequestLog, RequestSummary
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.counters import Counters
from stovepipe_cli.history.errors import HistoryConflict, ProjectionConflict, SummaryRequired
from stovepipe_cli.history.materializer import Materializer, Persisted
from stovepipe_cli.history.reconciliation import CountDifference
from stovepipe_cli.storage.contract import ForeignQueue, NotFound, Storage, StorageUnavailable, VersionMismatch
from stovepipe_cli.storage.contract.rows import RequestLogRow
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.faults import Disturbed
from tests.support.history_databases import embedded_url, storage_with_request
from tests.support.history_samples import (
    BASE_URI,
    QUEUE,
    REQUEST_ID,
    STARTED_MS,
    URI,
    ManualClock,
    succeeded_request,
    whole_history,
)

ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = whole_history()
ANALYSED = RequestLog(
    queue=QUEUE,
    request_id=REQUEST_ID,
    id="event/build_analysis_completed/bk-41",
    timestamp_ms=STARTED_MS,
    event="build_analysis_completed",
    metadata={"build_id": "bk-41", "issue_count": "3"},
)


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with storage_with_request(embedded_url(request.param, tmp_path)) as storage:
        yield storage


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(STARTED_MS, step_ms=10)


@pytest.fixture
def materializer(storage: Storage, clock: ManualClock) -> Materializer:
    return Materializer(storage, clock)


def mappings(storage: Storage) -> list[tuple[int, str]]:
    listed = storage.acceptances.list_before(0, 2**62, None, 100)
    return [(mapping.accepted_at_ms, mapping.request_id) for mapping in listed]


def damaged(storage: Storage, entry: RequestLog, *, metadata: str | None = None) -> None:
    """Store an entry as it is, whatever is wrong with it."""
    storage.bulk.insert(
        [
            RequestLogRow(
                request_id=entry.request_id,
                log_id=entry.id,
                timestamp_ms=entry.timestamp_ms,
                state=entry.state,
                event=entry.event,
                request_version=entry.request_version,
                outcome_reason=entry.outcome_reason,
                metadata=json.dumps(dict(entry.metadata)) if metadata is None else metadata,
            )
        ]
    )


def test_an_entry_is_retained_projected_and_mapped(materializer: Materializer, storage: Storage) -> None:
    assert materializer.persist(ACCEPTED) == Persisted("created", ACCEPTED, "created", "created")
    assert storage.request_log.list(REQUEST_ID) == (ACCEPTED,)
    assert storage.summaries.get(REQUEST_ID) == RequestSummary(
        queue=QUEUE,
        request_id=REQUEST_ID,
        uri=URI,
        base_uri="",
        state="accepted",
        request_version=1,
        state_timestamp_ms=STARTED_MS,
        version=1,
        accepted_at_ms=STARTED_MS,
    )
    assert mappings(storage) == [(STARTED_MS, REQUEST_ID)]


def test_persisting_again_finds_everything_done(materializer: Materializer) -> None:
    materializer.persist(ACCEPTED)
    assert materializer.persist(ACCEPTED) == Persisted("identical_existing", ACCEPTED, "none", "already_mapped")


def test_a_whole_history_ends_in_one_summary_and_one_mapping(materializer: Materializer, storage: Storage) -> None:
    changes = [materializer.persist(entry).summary_change for entry in whole_history()]
    assert changes == ["created", "advanced", "none", "none", "advanced", "none", "advanced"]
    assert storage.summaries.get(REQUEST_ID) == RequestSummary(
        queue=QUEUE,
        request_id=REQUEST_ID,
        uri=URI,
        base_uri=BASE_URI,
        state="succeeded",
        request_version=3,
        state_timestamp_ms=SUCCEEDED.timestamp_ms,
        version=4,
        accepted_at_ms=STARTED_MS,
        outcome_reason="build_succeeded",
        project_results_completed_at_ms=PROJECTS.timestamp_ms,
        project_fact_count=7,
        broken_project_fact_count=2,
    )
    assert mappings(storage) == [(STARTED_MS, REQUEST_ID)]


def test_an_entry_without_a_time_gets_the_moment_of_its_retention(materializer: Materializer) -> None:
    assert materializer.persist(replace(ACCEPTED, timestamp_ms=0)).retained.timestamp_ms == STARTED_MS + 10


def test_the_first_retained_time_stands(materializer: Materializer, storage: Storage) -> None:
    materializer.persist(ACCEPTED)
    again = materializer.persist(replace(ACCEPTED, timestamp_ms=0))
    assert (again.outcome, again.retained) == ("identical_existing", ACCEPTED)
    assert mappings(storage) == [(STARTED_MS, REQUEST_ID)]


@pytest.mark.parametrize(
    ("retained", "field"),
    [
        (replace(SUCCEEDED, state="failed"), "state"),
        (replace(SUCCEEDED, state="", event="build_finished"), "event"),
        (replace(SUCCEEDED, request_version=4), "request_version"),
        (replace(SUCCEEDED, outcome_reason="build_failed"), "outcome_reason"),
        (replace(SUCCEEDED, metadata={**SUCCEEDED.metadata, "build_id": "bk-9"}), "metadata 'build_id'"),
    ],
)
def test_a_retained_entry_that_says_something_else_is_a_conflict(
    storage: Storage, materializer: Materializer, retained: RequestLog, field: str
) -> None:
    damaged(storage, retained)
    with pytest.raises(HistoryConflict) as conflict:
        materializer.persist(SUCCEEDED)
    assert field in conflict.value.fields
    assert (conflict.value.code, conflict.value.exit_code) == ("history-conflict", 3)
    assert storage.request_log.list(REQUEST_ID) == (retained,)
    with pytest.raises(NotFound):
        storage.summaries.get(REQUEST_ID)


def test_unreadable_retained_metadata_is_a_conflict(storage: Storage, materializer: Materializer) -> None:
    damaged(storage, replace(SUCCEEDED, metadata={}), metadata='["x"]')
    with pytest.raises(HistoryConflict) as conflict:
        materializer.persist(SUCCEEDED)
    assert conflict.value.fields == ("metadata",)


def test_a_conflict_quotes_ids_and_names_what_differs(storage: Storage, materializer: Materializer) -> None:
    damaged(storage, replace(SUCCEEDED, state="failed", outcome_reason="build_failed"))
    with pytest.raises(HistoryConflict) as conflict:
        materializer.persist(SUCCEEDED)
    assert conflict.value.message == (
        "request 'request/monorepo/main/41' has retained an entry 'state/3' that differs in state, outcome_reason"
    )


@pytest.mark.parametrize(
    "metadata", [{}, {"build_id": "bk-41"}, {**SUCCEEDED.metadata, "repair_run_id": "r"}], ids=["none", "less", "more"]
)
def test_a_key_on_one_side_only_is_compatible_and_nothing_is_enriched(
    storage: Storage, materializer: Materializer, metadata: dict[str, str]
) -> None:
    retained = replace(SUCCEEDED, metadata=metadata)
    damaged(storage, retained)
    assert materializer.persist(SUCCEEDED).outcome == "identical_existing"
    assert storage.request_log.list(REQUEST_ID) == (retained,)


def test_the_retained_row_is_projected_not_the_retry(storage: Storage, materializer: Materializer) -> None:
    damaged(storage, replace(PROCESSING, metadata={}))
    materializer.persist(PROCESSING)
    assert storage.summaries.get(REQUEST_ID).base_uri == ""


def test_a_completed_analysis_keeps_its_first_count(storage: Storage, clock: ManualClock) -> None:
    heard: list[CountDifference] = []
    materializer = Materializer(storage, clock, on_count_difference=heard.append)
    materializer.persist(ANALYSED)
    again = materializer.persist(replace(ANALYSED, metadata={**ANALYSED.metadata, "issue_count": "5"}))
    assert (again.outcome, again.retained) == ("identical_existing", ANALYSED)
    assert heard == [CountDifference(REQUEST_ID, ANALYSED.id, "issue_count", "3", "5")]


def test_other_contradictions_of_a_completed_analysis_are_conflicts(materializer: Materializer) -> None:
    first = replace(ANALYSED, metadata={**ANALYSED.metadata, "mode": "a"})
    materializer.persist(first)
    with pytest.raises(HistoryConflict):
        materializer.persist(replace(first, metadata={**first.metadata, "mode": "b"}))


def test_a_count_of_another_event_is_a_contradiction(storage: Storage, materializer: Materializer) -> None:
    materializer.persist(ACCEPTED)
    materializer.persist(PROJECTS)
    with pytest.raises(HistoryConflict):
        materializer.persist(replace(PROJECTS, metadata={**PROJECTS.metadata, "project_fact_count": "8"}))
    assert storage.summaries.get(REQUEST_ID).project_fact_count == 7


@pytest.mark.parametrize(
    "entry",
    [
        replace(ACCEPTED, timestamp_ms=-1),
        replace(ACCEPTED, outcome_reason="build_failed"),
        replace(PROCESSING, id="state/3"),
        replace(PROCESSING, id="log/" + "0" * 64),
        replace(TRIGGERED, metadata={}),
        replace(TRIGGERED, metadata={"build_id": "other"}),
        replace(TRIGGERED, metadata={"build_id": "bk-41", "x": "y" * 4097}),
        replace(TRIGGERED, event="promotion_failed", id="event/promotion_failed/repository"),
        replace(FACT, metadata={"fact_degree": "green"}),
    ],
    ids=["time", "reason", "other id", "obsolete id", "no build", "other build", "long", "obsolete event", "degree"],
)
def test_an_invalid_entry_writes_nothing(materializer: Materializer, storage: Storage, entry: RequestLog) -> None:
    with pytest.raises(InvalidEntity):
        materializer.persist(entry)
    assert storage.request_log.list(REQUEST_ID) == ()


def test_an_entry_of_another_queue_is_refused_before_any_query(storage: Storage, clock: ManualClock) -> None:
    disturbed = Disturbed({})
    with pytest.raises(ForeignQueue):
        Materializer(disturbed.around(storage), clock).persist(replace(ACCEPTED, queue="other"))
    assert disturbed.calls == []


def test_a_completion_without_a_summary_is_refused_and_heals_later(
    materializer: Materializer, storage: Storage
) -> None:
    with pytest.raises(SummaryRequired) as refusal:
        materializer.persist(PROJECTS)
    assert refusal.value.exit_code == 3
    materializer.persist(ACCEPTED)
    assert materializer.persist(PROJECTS).summary_change == "advanced"
    assert storage.summaries.get(REQUEST_ID).project_fact_count == 7


def test_a_summary_that_disagrees_is_left_alone_and_nothing_is_mapped(
    materializer: Materializer, storage: Storage
) -> None:
    materializer.persist(ACCEPTED)
    summary = replace(storage.summaries.get(REQUEST_ID), state_timestamp_ms=STARTED_MS + 1)
    storage.summaries.update(summary, old_version=1, new_version=2)
    with pytest.raises(ProjectionConflict) as conflict:
        materializer.persist(ACCEPTED)
    assert (conflict.value.code, conflict.value.exit_code) == ("projection-conflict", 3)
    assert storage.summaries.get(REQUEST_ID) == replace(summary, version=2)


def test_an_unknown_acceptance_is_never_mapped(materializer: Materializer, storage: Storage) -> None:
    assert materializer.persist(PROCESSING).acceptance == "none"
    assert mappings(storage) == []


def test_any_state_entry_heals_a_lost_mapping(materializer: Materializer, storage: Storage) -> None:
    summary = RequestSummary(
        QUEUE, REQUEST_ID, URI, BASE_URI, "processing", 2, PROCESSING.timestamp_ms, 1, accepted_at_ms=STARTED_MS
    )
    storage.summaries.create(summary)
    assert materializer.persist(PROCESSING) == Persisted("created", PROCESSING, "none", "created")
    assert mappings(storage) == [(STARTED_MS, REQUEST_ID)]


def test_no_event_maps_an_acceptance(materializer: Materializer, storage: Storage) -> None:
    storage.summaries.create(
        RequestSummary(QUEUE, REQUEST_ID, URI, BASE_URI, "processing", 2, 5, 1, accepted_at_ms=STARTED_MS)
    )
    assert materializer.persist(PROJECTS).acceptance == "none"
    assert mappings(storage) == []


def test_a_summary_without_the_column_maps_nothing_and_is_not_written_for_ever(clock: ManualClock) -> None:
    factory = MemoryFactory(absent_columns={"request_summary": frozenset({"accepted_at_ms", "outcome_reason"})})
    storage = factory.for_queue(QUEUE)
    storage.requests.create(succeeded_request())
    materializer = Materializer(storage, clock)
    for entry in (ACCEPTED, PROCESSING, SUCCEEDED):
        materializer.persist(entry)
    again = [materializer.persist(entry) for entry in (ACCEPTED, PROCESSING, SUCCEEDED)]
    assert {(each.summary_change, each.acceptance) for each in again} == {("none", "none")}
    assert mappings(storage) == []


@pytest.mark.parametrize(("absent", "summary_change"), [("request_summary", "none"), ("request_acceptance", "created")])
def test_a_database_without_a_projection_gets_the_log(clock: ManualClock, absent: str, summary_change: str) -> None:
    storage = MemoryFactory(absent_tables=frozenset({absent})).for_queue(QUEUE)
    storage.requests.create(succeeded_request())
    persisted = Materializer(storage, clock).persist(ACCEPTED)
    assert (persisted.outcome, persisted.summary_change, persisted.acceptance) == ("created", summary_change, "none")


def test_insert_only_makes_a_summary_and_never_moves_one(storage: Storage, clock: ManualClock) -> None:
    materializer = Materializer(storage, clock, insert_only=True)
    made = materializer.persist(ACCEPTED)
    left = materializer.persist(PROCESSING)
    assert (made.summary_change, left.summary_change, left.acceptance) == ("created", "none", "already_mapped")
    assert storage.summaries.get(REQUEST_ID).request_version == 1


def test_a_summary_that_moves_meanwhile_is_decided_anew(storage: Storage, clock: ManualClock) -> None:
    Materializer(storage, clock).persist(ACCEPTED)

    def overtake() -> None:
        Materializer(storage, clock).persist(SUCCEEDED)

    # The calls are: create the entry, read the summary; the other writer comes in behind that.
    disturbed = Disturbed({2: overtake})
    persisted = Materializer(disturbed.around(storage), clock).persist(PROCESSING)
    assert persisted.summary_change == "none"
    assert storage.summaries.get(REQUEST_ID).state == "succeeded"


def test_a_summary_that_appears_meanwhile_is_taken(storage: Storage, clock: ManualClock) -> None:
    def overtake() -> None:
        Materializer(storage, clock).persist(PROCESSING)

    disturbed = Disturbed({2: overtake})
    persisted = Materializer(disturbed.around(storage), clock).persist(ACCEPTED)
    assert (persisted.summary_change, persisted.acceptance) == ("advanced", "created")
    summary = storage.summaries.get(REQUEST_ID)
    assert (summary.state, summary.accepted_at_ms) == ("processing", STARTED_MS)


def test_a_summary_that_never_rests_is_given_up_in_the_end(storage: Storage, clock: ManualClock) -> None:
    Materializer(storage, clock).persist(ACCEPTED)

    def touch() -> None:
        summary = storage.summaries.get(REQUEST_ID)
        storage.summaries.update(summary, old_version=summary.version, new_version=summary.version + 1)

    disturbed = Disturbed(dict.fromkeys(range(2, 200), touch))
    with pytest.raises(VersionMismatch):
        Materializer(disturbed.around(storage), clock).persist(PROCESSING)
    assert disturbed.calls.count("summaries.update") == 16


def test_what_was_done_is_counted_by_state_or_event_only(storage: Storage, clock: ManualClock) -> None:
    counters = Counters()
    materializer = Materializer(storage, clock, counters)
    with pytest.raises(SummaryRequired):
        materializer.persist(PROJECTS)
    materializer.persist(ACCEPTED)
    materializer.persist(ACCEPTED)
    damaged(storage, replace(SUCCEEDED, outcome_reason="build_failed"))
    with pytest.raises(HistoryConflict):
        materializer.persist(SUCCEEDED)
    with pytest.raises(InvalidEntity):
        materializer.persist(replace(ACCEPTED, state="merged"))
    with pytest.raises(StorageUnavailable):
        Materializer(Disturbed({1: "fails"}).around(storage), clock, counters).persist(FACT)
    assert dict(counters.snapshot()) == {
        ("created", "project_facts_recorded"): 1,
        ("projection_failure", "project_facts_recorded"): 1,
        ("created", "accepted"): 1,
        ("identical_existing", "accepted"): 1,
        ("conflict", "succeeded"): 1,
        ("validation_failure", "invalid"): 1,
        ("storage_failure", "validation_fact_recorded"): 1,
    }


def test_an_unknown_tag_is_folded() -> None:
    counters = Counters()
    counters.increment("created", "request/monorepo/main/41")
    assert dict(counters.snapshot()) == {("created", "invalid"): 1}


def test_a_snapshot_of_the_counters_stands_still() -> None:
    counters = Counters()
    snapshot = counters.snapshot()
    counters.increment("created", "accepted")
    assert dict(snapshot) == {}


def test_a_mapping_is_not_made_twice(materializer: Materializer, storage: Storage) -> None:
    storage.acceptances.create(RequestAcceptance(QUEUE, STARTED_MS, REQUEST_ID))
    assert materializer.persist(ACCEPTED).acceptance == "already_mapped"
