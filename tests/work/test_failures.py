"""Steps that fail: tried again, set aside, or a sign that nothing can go on."""

from collections.abc import Mapping, Sequence

import pytest

from stovepipe_cli.storage.contract import (
    CollationConflict,
    SchemaMismatch,
    StatementTimeout,
    StorageError,
    StorageReadOnly,
    StorageUnavailable,
    VersionMismatch,
)
from stovepipe_cli.work import Quarantined, StepWatch, WorkSettings, halve
from tests.work.jobs import Mappings, Site, kinds


class Failing(Mappings):
    """Fails at its first `times` tries of the step that starts at `at`."""

    at = 4
    times = 0
    error: StorageError = VersionMismatch("somebody else was faster")

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        if covers["from"] == self.at and self.times:
            self.times -= 1
            raise self.error
        return super().perform(covers, watch)


def failing(site: Site, times: int, error: StorageError | None = None) -> Failing:
    job = Failing(site.storage, 12, 4)
    job.times = times
    job.error = error or job.error
    return job


def test_a_failed_step_is_tried_again_after_a_pause_and_others_go_on_meanwhile() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, failing(site, 1))
    assert (result.run.status, result.progress.retries, result.quarantined) == ("COMPLETED", 1, ())
    assert site.mapped() == list(range(12))
    starts = [each.step_index for each in site.ledger.steps.load_events(run.run_id, limit=99) if each.worker]
    assert starts.index(2) < len(starts) - 1 - starts[::-1].index(1), "step 2 was begun before step 1 was done"


def test_pauses_between_tries_grow() -> None:
    site = Site()
    run = site.start()
    site.work(run, failing(site, 4))
    retries = [each for each in site.ledger.steps.load_events(run.run_id, limit=99) if each.kind == "RetryScheduled"]
    pauses = [int(str(each.body["not_before_ms"])) - each.at_ms for each in retries]
    assert pauses == [1_000, 2_000, 4_000, 8_000]


def test_pauses_are_spread_by_chance() -> None:
    site = Site()
    run = site.start()
    site.work(run, failing(site, 1), chance=lambda: 0.5)
    [retry] = [each for each in site.ledger.steps.load_events(run.run_id, limit=99) if each.kind == "RetryScheduled"]
    assert int(str(retry.body["not_before_ms"])) - retry.at_ms == 750


def test_a_step_that_keeps_failing_is_set_aside_and_the_rest_finishes() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, failing(site, 99))
    assert (result.run.status, result.progress.failed_steps, result.progress.quarantined) == ("COMPLETED", 1, 1)
    assert result.run.header.failures == ("step 1 failed for good: somebody else was faster",)
    assert kinds(site.ledger, run.run_id).count("RetryScheduled") == 4
    assert site.mapped() == [0, 1, 2, 3, 8, 9, 10, 11]


def test_a_step_whose_failure_cannot_pass_is_not_tried_again() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, failing(site, 99, CollationConflict("the table holds no such key")))
    assert (result.run.status, result.progress.failed_steps, result.progress.retries) == ("COMPLETED", 1, 0)


def test_interruptions_use_up_no_tries() -> None:
    site = Site()
    run = site.start()
    job = failing(site, 0)
    for _ in range(6):
        site.ledger.steps.claim_step(run.run_id, 0, "gone", ttl_ms=1_000, covers={"from": 0, "to": 4})
        site.clock.sleep(1.1)
    job.at, job.times = 0, 2
    assert site.work(run, job).progress.failed_steps == 0


@pytest.mark.parametrize("error", [StorageReadOnly("read-only"), SchemaMismatch("no such table")])
def test_a_failure_that_every_step_would_meet_is_raised_and_the_run_left_running_with_the_reason(
    error: StorageError,
) -> None:
    site = Site()
    run = site.start()
    with pytest.raises(type(error)):
        site.work(run, failing(site, 1, error))
    left = site.ledger.runs.find(run.run_id)
    assert left is not None
    assert (left.status, left.header.stopped_because) == ("RUNNING", error.message)
    assert left.header.counts == {"mapped": 4, "quarantined": 0}
    assert site.ledger.steps.live_leases(run.run_id, limit=1) == ()


def test_an_outage_is_sat_out_without_a_try_of_any_other_step() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, failing(site, 3, StorageUnavailable("nobody answers")))
    assert (result.run.status, result.progress.retries) == ("COMPLETED", 3)
    [completed] = [place for place, kind in enumerate(kinds(site.ledger, run.run_id)) if kind == "RetryScheduled"][-1:]
    events = site.ledger.steps.load_events(run.run_id, limit=99)
    assert {each.step_index for each in events[:completed]} == {-1, 0, 1}


def test_an_outage_that_does_not_end_is_raised_and_sets_nothing_aside() -> None:
    site = Site()
    run = site.start()
    with pytest.raises(StorageUnavailable) as raised:
        site.work(run, failing(site, 5, StorageUnavailable("nobody answers")))
    assert raised.value.code == "storage-unavailable"
    assert site.work(run, failing(site, 0)).run.header.counts == {"mapped": 12, "quarantined": 0}


def test_a_poison_row_is_found_by_halving_and_set_aside_with_its_reason() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=40, step=20, poison=frozenset({7, 23}), refused=CollationConflict("no place for it"))
    result = site.work(run, job)
    assert site.mapped() == [number for number in range(40) if number not in {7, 23}]
    assert result.quarantined == (
        Quarantined("request 7", "no place for it"),
        Quarantined("request 23", "no place for it"),
    )
    assert result.run.header.counts == {"mapped": 38, "quarantined": 2}
    assert result.run.header.failures[0] == "'request 7' was quarantined: no place for it"


def test_a_batch_that_fails_once_is_written_whole_the_second_time() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=4, step=4, poison=frozenset({2}))
    sizes: list[int] = []

    def write(numbers: object) -> int:
        sizes.append(len(list(numbers)))  # type: ignore[call-overload]  # a range
        if len(sizes) == 1:
            raise StatementTimeout("too slow")
        return Mappings.write(job, numbers)  # type: ignore[arg-type]  # a range

    job.write = write  # type: ignore[method-assign]  # the same job, whose first write fails
    site.work(run, job)
    assert (sizes, site.mapped()) == ([4, 4], [0, 1, 2, 3])


def test_an_outage_within_a_batch_sets_no_row_aside() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=8, step=8, poison=frozenset({5}), refused=StorageUnavailable("nobody answers"))
    with pytest.raises(StorageUnavailable):
        site.work(run, job)
    assert site.work(run, site.job(rows=8, step=8)).progress.quarantined == 0


def test_too_large_a_share_of_rows_set_aside_stops_the_work_and_leaves_it_to_be_resumed() -> None:
    site = Site()
    run = site.start()
    settings = WorkSettings(max_failure_share=0.1, fewest_rows=20)
    poison = frozenset(range(15, 25))
    refused = CollationConflict("no place for it")
    result = site.work(run, site.job(60, 30, poison=poison, refused=refused), settings=settings)
    assert result.stop is not None
    assert (result.stop.kind, result.run.status) == ("failure share", "RUNNING")
    assert result.run.header.stopped_because == "5 of 20 rows were quarantined, at most 10.0% may be"
    again = site.work(run, site.job(60, 30, poison=poison, refused=refused))
    assert (again.run.status, again.progress.quarantined) == ("COMPLETED", 10)


def test_too_large_a_share_of_failed_steps_stops_the_work() -> None:
    site = Site()
    run = site.start()
    job = failing(site, 99, CollationConflict("no place for it"))
    result = site.work(run, job, settings=WorkSettings(max_failure_share=0.4, fewest_steps=2))
    assert result.stop is not None
    assert result.stop.sentence == "1 of 2 steps failed, at most 40.0% may"


def test_few_rows_are_no_share_to_judge() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=10, step=5, poison=frozenset({1}), refused=CollationConflict("no place for it"))
    settings = WorkSettings(max_failure_share=0.01, fewest_rows=11)
    assert site.work(run, job, settings=settings).run.status == "COMPLETED"


def test_a_step_that_failed_for_good_is_no_row_that_was_set_aside() -> None:
    site = Site()
    run = site.start()
    job = failing(site, 99, CollationConflict("no place for it"))
    settings = WorkSettings(max_failure_share=0.1, fewest_rows=4, fewest_steps=99)
    assert site.work(run, job, settings=settings).run.status == "COMPLETED"


def test_halves_are_written_in_order() -> None:
    site = Site()
    run = site.start()
    written: list[list[int]] = []

    class Halved(Mappings):
        def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
            del covers
            answers = halve([1, 2, 3, 4, 5], self.one_by_one, watch, key=str)
            return {"counts": {"mapped": len(answers)}}

        def one_by_one(self, numbers: Sequence[int]) -> None:
            if len(numbers) > 1:
                raise CollationConflict("too many at once")
            written.append(list(numbers))

    result = site.work(run, Halved(site.storage, 5, 5))
    assert written == [[1], [2], [3], [4], [5]]
    assert result.run.header.counts == {"mapped": 5, "quarantined": 0}
