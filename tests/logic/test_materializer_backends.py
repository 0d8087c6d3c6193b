"""The same history on every kind of database, the service's own tables among them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.history.acceptance_mapping import acceptance_from_log, ensure_acceptance
from stovepipe_cli.history.errors import HistoryConflict
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.history.summary_projection import project_all
from stovepipe_cli.history.summary_writer import ensure_summary_from_log
from stovepipe_cli.storage.contract import Storage
from tests.support.history_databases import embedded_url, storage_with_request
from tests.support.history_samples import REQUEST_ID, STARTED_MS, ManualClock, succeeded_request, whole_history

WHOLE = whole_history()


@pytest.fixture(params=["memory", "sqlite", "mariadb"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    is_server = request.param == "mariadb"
    url = request.getfixturevalue("mariadb_service_database") if is_server else embedded_url(request.param, tmp_path)
    with storage_with_request(url) as storage:
        yield storage


@pytest.fixture
def materializer(storage: Storage) -> Materializer:
    return Materializer(storage, ManualClock())


def test_a_history_reads_back_as_it_was_persisted(storage: Storage, materializer: Materializer) -> None:
    for entry in WHOLE:
        materializer.persist(entry)
    summary = project_all(None, WHOLE, succeeded_request(), storage.summaries.retains).summary
    assert summary
    assert storage.request_log.list(REQUEST_ID) == WHOLE
    assert replace(storage.summaries.get(REQUEST_ID), version=1) == summary
    assert storage.acceptances.get(STARTED_MS, REQUEST_ID).request_id == REQUEST_ID


def test_a_second_time_changes_nothing(materializer: Materializer) -> None:
    for entry in WHOLE:
        materializer.persist(entry)
    again = [materializer.persist(entry) for entry in WHOLE]
    assert {(each.outcome, each.summary_change) for each in again} == {("identical_existing", "none")}
    assert [each.retained for each in again] == list(WHOLE)


def test_a_contradiction_is_a_conflict(storage: Storage, materializer: Materializer) -> None:
    for entry in WHOLE:
        materializer.persist(entry)
    fact = WHOLE[5]
    with pytest.raises(HistoryConflict):
        materializer.persist(replace(fact, metadata={"fact_degree": "1"}))
    assert storage.request_log.get(REQUEST_ID, fact.id) == fact


def test_lost_projections_are_made_from_the_log(storage: Storage) -> None:
    for entry in WHOLE:
        storage.request_log.create(entry)
    assert ensure_summary_from_log(storage, REQUEST_ID).change == "created"
    assert acceptance_from_log(storage, REQUEST_ID).accepted_at_ms == STARTED_MS
    assert ensure_acceptance(storage, REQUEST_ID) == "created"
    assert ensure_acceptance(storage, REQUEST_ID) == "already_mapped"
