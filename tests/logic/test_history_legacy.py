"""What a history says of a request from before histories were kept, where nobody has said when that was."""

import pytest

from stovepipe_cli.history.viewer import view_history
from stovepipe_cli.storage.contract import Storage
from tests.support.audits import check, queue_of
from tests.support.lifecycles import Life, accepted, succeeded, superseded
from tests.support.repairs import Repairs


def gaps_of(storage: Storage, life: Life, *, history_since: str | None = None) -> list[str]:
    return [gap.code for gap in view_history(storage, life.id, history_since=history_since).gaps]


def test_nothing_is_missing_of_a_request_below_all_first_entries() -> None:
    old = succeeded(3).legacy()
    storage = queue_of(succeeded(1).legacy(), old, accepted(4))
    report = view_history(storage, old.id)
    assert (report.gaps, report.is_legacy) == ((), True)
    assert check(storage, request_ids=(old.id,)).legacy_requests == 1


def test_a_request_in_flight_when_histories_began_lacks_nothing() -> None:
    life = succeeded(3).lose("state/1", "event/build_triggered/build-3")
    assert gaps_of(queue_of(superseded(1).legacy(), life, accepted(4)), life) == []


def test_what_a_repair_never_writes_for_a_legacy_request_is_not_called_mendable() -> None:
    life = superseded(2).legacy().without("uri")
    storage = queue_of(life, accepted(4))
    assert [(gap.code, gap.is_mendable) for gap in view_history(storage, life.id).gaps] == [("U501", False)]
    assert {entry.status for entry in Repairs(storage).plan().entries} == {"not-derivable"}


def test_a_history_is_missing_where_a_request_below_has_its_first_entry() -> None:
    lost = succeeded(3)
    lost.drop(*lost.log)
    report = view_history(queue_of(accepted(2), lost), lost.id)
    assert ([gap.code for gap in report.gaps], report.is_legacy) == (["H101"], False)
    assert report.gaps[0].is_mendable


def test_entries_of_a_request_that_does_not_exist_begin_no_history() -> None:
    life = superseded(3).legacy()
    storage = queue_of(life, accepted(4))
    storage.bulk.insert([accepted(2).log["state/1"]])
    assert gaps_of(storage, life) == []


def test_far_above_the_first_numbers_it_stays_open_and_nothing_is_called_mendable() -> None:
    life = succeeded(5_000).legacy()
    report = view_history(queue_of(accepted(1), life, accepted(5_001)), life.id)
    assert report.is_legacy is None
    assert [(gap.code, gap.is_mendable) for gap in report.gaps] == [("H101", False)]


def test_in_a_queue_without_any_history_it_stays_open() -> None:
    life = superseded(2).legacy()
    report = view_history(queue_of(superseded(1).legacy(), life), life.id)
    assert report.is_legacy is None
    assert [gap.code for gap in report.gaps] == ["H101"]


@pytest.mark.parametrize(
    ("history_since", "gaps"), [("request/monorepo/main/4", []), ("none", ["H101"]), ("2", ["H101"])]
)
def test_a_given_boundary_decides(history_since: str, gaps: list[str]) -> None:
    life = superseded(3).legacy()
    storage = queue_of(life, accepted(4))
    assert gaps_of(storage, life, history_since=history_since) == gaps
    assert view_history(storage, life.id, history_since=history_since).is_legacy is (not gaps)
