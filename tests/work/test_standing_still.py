"""A job that stands still once one of its steps needs an operator: nothing is written behind that step."""

from collections.abc import Mapping
from dataclasses import dataclass

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.work import NeedsOperator, StepWatch, WorkResult, fail_run
from tests.work.jobs import Mappings, Site, kinds


@dataclass
class Careful(Mappings):
    """Cannot decide about the step that begins at `doubtful`."""

    stops_at_waiting: bool = True
    doubtful: int = -1

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        if covers["from"] == self.doubtful:
            raise NeedsOperator("who owns request 4?")
        return super().perform(covers, watch)


def test_a_worker_in_the_middle_of_a_step_writes_nothing_once_another_one_waits() -> None:
    site = Site()
    run = site.start()
    others: list[WorkResult] = []

    def meanwhile(covers: Mapping[str, object], _watch: StepWatch) -> None:
        if covers["from"] == 0:
            others.append(site.work(run, Careful(site.storage, 12, 4, doubtful=4)))

    result = site.work(run, Careful(site.storage, 12, 4, before=meanwhile))
    assert [each.stop.kind for each in (*others, result) if each.stop is not None] == ["waiting", "waiting"]
    assert result.stop is not None
    assert (result.stop.sentence, site.mapped()) == ("who owns request 4?", [])


def test_a_step_that_fails_for_good_is_not_set_aside_and_gone_on_behind() -> None:
    site = Site()
    run = site.start()

    def unreadable(covers: Mapping[str, object], _watch: StepWatch) -> None:
        if covers["from"] == 4:
            raise InvalidInput("a row cannot be read")

    result = site.work(run, Careful(site.storage, 12, 4, before=unreadable))
    assert result.stop is not None
    assert (result.stop.kind, result.stop.sentence) == ("waiting", "a row cannot be read")
    assert (result.run.status, site.mapped()) == ("RUNNING", [0, 1, 2, 3])
    assert "StepFailed" not in kinds(site.ledger, run.run_id)


def test_one_step_that_waits_is_told_as_one() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, Careful(site.storage, 8, 4, doubtful=4, stops_at_waiting=False))
    assert result.stop is not None
    assert result.stop.sentence == "a step waits for an operator: who owns request 4?"


def test_a_run_that_is_failed_keeps_the_counts_it_is_failed_with() -> None:
    site = Site()
    run = site.start()
    ended, is_ours = fail_run(site.ledger, run.run_id, reason="a conflict", counts={"applied": 3})
    assert (ended.status, is_ours, ended.header.counts) == ("FAILED", True, {"applied": 3})
    assert (ended.header.failures, ended.header.stopped_because) == (("a conflict",), "a conflict")
