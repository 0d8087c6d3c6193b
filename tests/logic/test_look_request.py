"""One request with what stands beside it; the verdict is the fact's alone."""

import pytest

from stovepipe_cli.errors import NothingFound
from stovepipe_cli.look import request as look_request
from stovepipe_cli.look.request import show_request
from stovepipe_cli.reports.look import BuildItem, RequestReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import StandingClock, queue_of
from tests.support.lifecycles import QUEUE, Life, accepted, failed, processing, succeeded
from tests.support.watched_storage import watched


def show(storage: Storage, life: Life) -> RequestReport:
    return show_request(storage, life.id, StandingClock())


@pytest.mark.parametrize(
    ("life", "verdict"), [(succeeded(1), "green"), (failed(1), "broken"), (accepted(1), "unknown")]
)
def test_the_verdict_is_that_of_the_fact(life: Life, verdict: str) -> None:
    assert show(queue_of(life), life).verdict_of_commit == verdict


def test_a_request_that_succeeded_is_not_green_without_its_fact() -> None:
    life = succeeded(1)
    life.facts.clear()
    report = show(queue_of(life), life)
    assert report.request is not None
    assert (report.request.state, report.verdict_of_commit, report.fact) == ("succeeded", "unknown", None)


def test_builds_are_those_the_history_names_in_its_order() -> None:
    life = processing(1).event("build_triggered", "b-9").event("build_finished", "b-9")
    report = show(queue_of(life), life)
    assert report.builds == (BuildItem("build-1", "running", life.id), BuildItem("b-9", None, None))


def test_many_builds_are_read_at_once() -> None:
    life = processing(1)
    for number in range(50):
        life.build(f"b-{number}", "succeeded")
    storage, watch = watched(queue_of(life))
    assert len(show(storage, life).builds) == 51
    assert watch.gets == [("build", 51)]


def test_a_history_beyond_the_bound_is_said_to_be_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    life = processing(1)
    for number in range(20):
        life.event("build_triggered", f"b-{number:02}")
    storage = queue_of(life)
    assert show(storage, life).is_whole
    monkeypatch.setattr(look_request, "MOST_ENTRIES", 10)
    report = show(storage, life)
    assert (report.entries, report.is_whole) == (10, False)


def test_entries_without_a_request_are_shown() -> None:
    life = succeeded(1)
    report = show(queue_of(*[accepted(2)]), accepted(2))
    assert report.entries == 1
    storage = queue_of(life)
    request_id = life.id
    lost = queue_of(succeeded(1).without("request"), queue_row=False)
    assert show_request(lost, request_id, StandingClock()).request is None
    assert show_request(storage, request_id, StandingClock()).request is not None


def test_a_request_without_any_later_table_is_shown() -> None:
    absent = {"request_log", "request_summary", "request_uri", "validation_fact", "build"}
    storage = MemoryFactory(absent_tables=frozenset(absent)).for_queue(QUEUE)
    storage.bulk.insert([RequestRow("7", "git://7", "failed", "full", "", 3, "b-7")])
    report = show_request(storage, "7", StandingClock())
    assert (report.entries, report.summary, report.builds) == (None, None, (BuildItem("b-7", None, None),))


def test_nothing_at_all_is_not_found() -> None:
    with pytest.raises(NothingFound) as caught:
        show_request(queue_of(accepted(1)), "99", StandingClock())
    assert caught.value.hint
