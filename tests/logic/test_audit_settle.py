"""No difference is reported that was seen once."""

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import Row
from tests.support.audits import StandingClock, check, codes, names, queue_of
from tests.support.lifecycles import Life, accepted, failed, put, succeeded, superseded


def healing(storage: Storage, *rows: Row) -> StandingClock:
    """A clock during whose first wait these rows appear."""
    clock = StandingClock()

    def heal() -> None:
        if len(clock.slept) == 1:
            storage.bulk.insert(rows)

    clock.on_sleep = heal
    return clock


def test_an_entry_that_appears_between_the_reads_was_never_missing() -> None:
    life = succeeded(2)
    entry = life.log["state/2"]
    storage = queue_of(accepted(1), life.lose("state/2"))
    report = check(storage, settle_ms=5_000, clock=healing(storage, entry))
    assert (codes(report), report.verdict) == ([], "clean")


def test_every_kind_of_missing_row_may_heal() -> None:
    lives = [succeeded(number) for number in range(2, 7)]
    appearing: list[Row] = []

    def keep(row: Row | None) -> None:
        assert row is not None
        appearing.append(row)

    keep(lives[0].log["event/build_triggered/build-2"])
    keep(lives[1].log[lives[1].fact_log_id])
    keep(lives[2].acceptance)
    keep(lives[3].uri)
    keep(lives[4].summary)
    lives[0].drop("event/build_triggered/build-2")
    lives[1].drop(lives[1].fact_log_id)
    lives[2].without("acceptance")
    lives[3].without("uri")
    lives[4].without("summary")
    storage = queue_of(accepted(1), *lives)
    assert codes(check(storage)) == ["A401", "A402", "E201", "E206", "P301", "U501"]
    assert codes(check(storage, settle_ms=5_000, clock=healing(storage, *appearing))) == []


def test_what_heals_does_not_hide_what_stays() -> None:
    life = succeeded(2)
    entries = [row for key, row in life.log.items() if key != "state/2"]
    storage = queue_of(accepted(1), life.drop(*life.log))
    report = check(storage, settle_ms=5_000, clock=healing(storage, *entries))
    assert codes(report) == []
    assert codes(check(storage)) == ["H104"]


def test_an_orphan_whose_request_appears_is_none() -> None:
    late = accepted(2)
    storage = queue_of(accepted(1))
    storage.bulk.insert(late.rows()[3:])
    assert codes(check(storage)) == ["H109"]
    report = check(storage, settle_ms=5_000, clock=healing(storage, *late.rows()[:3]))
    assert codes(report) == []


def test_a_finding_carries_both_reads() -> None:
    life = succeeded(2).lose("state/2")
    clock = StandingClock()
    (finding,) = check(queue_of(accepted(1), life), settle_ms=5_000, clock=clock).findings
    assert [read.found for read in finding.reads] == ["no entry", "no entry"]
    assert clock.slept == [5.0]


def test_without_candidates_nobody_waits() -> None:
    clock = StandingClock()
    check(queue_of(*(succeeded(number).legacy() for number in range(1, 5)), accepted(5)), settle_ms=5_000, clock=clock)
    assert clock.slept == []


def test_the_wait_is_once_a_run() -> None:
    clock = StandingClock()
    lives = [succeeded(number).lose("state/2") for number in range(2, 260)]
    report = check(queue_of(accepted(1), *lives), settle_ms=5_000, clock=clock)
    assert (report.counts, clock.slept) == ({"H104": 258}, [5.0])


def test_zero_trusts_the_first_read() -> None:
    clock = StandingClock()
    (finding,) = check(queue_of(accepted(1), succeeded(2).lose("state/2")), settle_ms=0, clock=clock).findings
    assert (len(finding.reads), clock.slept) == (1, [])


def advance(storage: Storage, number: int) -> None:
    """The service goes on: its queue row knows a later request, whose rows are there."""
    newest = f"request/monorepo/main/{number}"
    queue = storage.queues.get()
    changed = type(queue)(
        name=queue.name,
        last_green_uri=queue.last_green_uri,
        last_green_request_id=queue.last_green_request_id,
        in_flight_count=queue.in_flight_count,
        latest_request_id=newest,
        version=queue.version,
    )
    storage.queues.update(changed, old_version=queue.version, new_version=queue.version + 1)


class RowsDuringTheWalk(StandingClock):
    """Brings new requests at the first look at the time after the walk began."""

    def __init__(self, storage: Storage, lives: list[Life], newest: int) -> None:
        super().__init__()
        self.storage, self.lives, self.newest, self.looks = storage, lives, newest, 0

    def monotonic(self) -> float:
        self.looks += 1
        if self.looks == 4:
            put(self.storage, *self.lives, queue_row=False)
            advance(self.storage, self.newest)
        return super().monotonic()


def test_requests_that_come_during_the_walk_are_judged_wherever_their_ids_sort() -> None:
    storage = queue_of(*(superseded(number) for number in range(5, 100)))
    late = [failed(100).lose("state/2"), succeeded(102).lose("state/3"), superseded(103)]
    clock = RowsDuringTheWalk(storage, late, 103)
    report = check(storage, clock=clock)
    assert clock.looks > 4
    assert names(report) == [("H102", late[1].id), ("H104", late[0].id)]


def test_a_late_request_that_the_walk_met_as_well_is_reported_once() -> None:
    storage = queue_of(*(superseded(number) for number in range(5, 100)))
    late = [failed(999).lose("state/2")]
    clock = RowsDuringTheWalk(storage, late, 999)
    assert names(check(storage, clock=clock)) == [("H104", late[0].id)]
