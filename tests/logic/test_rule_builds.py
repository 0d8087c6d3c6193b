"""E201 to E205 and E211: builds and the entries about them."""

import pytest

from stovepipe_cli.storage.contract.rows import BuildRow
from tests.support.audits import check, found, queue_of
from tests.support.lifecycles import accepted, cancelled, failed, polling_exhausted, processing, succeeded


def test_e201_a_build_without_its_triggered_entry() -> None:
    life = succeeded(2).drop("event/build_triggered/build-2")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id) == ("E201", life.id)
    assert finding.subject.key == {"request_id": life.id, "log_id": "event/build_triggered/build-2"}
    assert finding.repair == "stovepipe repair plan -q monorepo/main --request request/monorepo/main/2"


def test_e201_one_of_two_builds() -> None:
    life = processing(2).build("again", "running").drop("event/build_triggered/build-2")
    assert found(accepted(1), life) == [("E201", life.id)]


def test_e202_an_ended_build_without_its_finished_entry() -> None:
    life = failed(2).drop("event/build_finished/build-2")
    assert found(accepted(1), life) == [("E202", life.id)]


def test_e202_is_silent_while_the_build_runs() -> None:
    assert found(accepted(1), processing(2), polling_exhausted(3)) == []


def test_e201_and_e202_come_together() -> None:
    life = cancelled(2).drop("event/build_triggered/build-2", "event/build_finished/build-2")
    assert found(accepted(1), life) == [("E201", life.id), ("E202", life.id)]


def test_a_build_id_that_fits_no_identity_is_not_missed() -> None:
    life = processing(2)
    name = "b" * 250
    life.builds[name] = BuildRow(name, life.id, "running", 2)
    assert found(accepted(1), life) == []


def test_e203_a_finished_entry_of_a_build_under_way() -> None:
    life = processing(2).event("build_finished", "build-2", build_id="build-2")
    assert found(accepted(1), life) == [("E203", life.id)]


def test_e204_an_entry_of_an_unknown_build() -> None:
    life = succeeded(2)
    life.builds.clear()
    assert found(accepted(1), life) == [("E204", life.id), ("E204", life.id)]


def test_e204_a_terminal_state_that_names_an_unknown_build() -> None:
    life = succeeded(2).change_entry("state/3", metadata='{"build_id":"gone"}')
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.subject.key["log_id"]) == ("E204", "state/3")


def test_e205_an_entry_of_another_requests_build() -> None:
    life = processing(2).event("build_triggered", "build-3", build_id="build-3")
    assert found(accepted(1), life, succeeded(3)) == [("E205", life.id)]


def test_e205_hides_that_the_foreign_build_has_not_ended() -> None:
    life = processing(2).event("build_finished", "build-3", build_id="build-3")
    assert found(accepted(1), life, processing(3)) == [("E205", life.id)]


def test_e211_the_named_build_ended_otherwise() -> None:
    life = failed(2).change_request(terminal_build_id="build-2")
    life.builds["build-2"] = life.builds["build-2"]._replace(status="succeeded")
    assert found(accepted(1), life) == [("E211", life.id)]


def test_e211_the_build_of_the_terminal_entry_ended_otherwise() -> None:
    life = failed(2).change_entry("state/3", metadata='{"base_uri":"","build_id":"build-2"}')
    life.builds["build-2"] = life.builds["build-2"]._replace(status="cancelled")
    assert found(accepted(1), life) == [("E211", life.id)]


@pytest.mark.parametrize("settle_ms", [0, 10])
def test_e211_the_only_build_ended_otherwise(settle_ms: int) -> None:
    life = failed(2)
    life.builds["build-2"] = life.builds["build-2"]._replace(status="succeeded")
    assert found(accepted(1), life, settle_ms=settle_ms) == [("E211", life.id)]
    assert found(accepted(1), life, last=1) == [("E211", life.id)]


def test_e211_is_silent_where_another_build_may_have_decided() -> None:
    life = failed(2)
    life.builds["build-2"] = life.builds["build-2"]._replace(status="succeeded")
    life.builds["other"] = BuildRow("other", life.id, "failed", 2)
    assert found(accepted(1), life, settle_ms=10, select=("E211",)) == []


def test_e211_is_silent_where_no_build_decided() -> None:
    life = (
        polling_exhausted(2)
        .change_request(terminal_build_id="build-2")
        .event("build_finished", "build-2", build_id="build-2")
    )
    life.builds["build-2"] = life.builds["build-2"]._replace(status="succeeded")
    assert found(accepted(1), life) == []
