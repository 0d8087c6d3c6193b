"""Two or many at once: one is the owner, the others are told, and the record is that of some order."""

import itertools
import multiprocessing
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.entities.run import RunStatus
from stovepipe_cli.storage.contract import VersionMismatch
from stovepipe_cli.storage.ledger.contract import (
    Claimed,
    InvocationConflict,
    LeaseLost,
    Ledger,
    QueueLedger,
    RunConflict,
    RunEnded,
    WorkflowEnded,
)
from stovepipe_cli.storage.open import open_ledger
from tests.contract.ledger.backends import LedgerBackend, OnServer
from tests.contract.ledger.racing import RACERS, Act, clocks_apart, race, racing_claims
from tests.contract.ledger.samples import (
    COVERS,
    LONG_MS,
    NOON_MS,
    a_header,
    a_run,
    a_verified,
    an_attempt,
    an_end,
    an_event,
    claimed,
    expired,
    leased,
    started,
)
from tests.support.mariadb import MariaDBServer

ROUNDS = 12
CLAIMS = 1_000


def racing(
    backend: LedgerBackend, ledger: Ledger, book: QueueLedger, act: Act, rounds: int = 1
) -> list[Counter[object]]:
    """What came of every round."""
    return race(lambda: backend.again(ledger), book.queue, rounds, act)


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(CLAIMS, marks=pytest.mark.soak)])
def test_racing_claims_of_a_step_have_exactly_one_owner_whatever_the_workers_clocks_say(
    sql_backend: LedgerBackend, ledger_queue: str, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = sql_backend.fresh()
    with clocks_apart(monkeypatch) as skew:
        racing_claims(ledger, lambda: sql_backend.again(ledger), ledger_queue, rounds, skew)


def claims_in_a_process(place: str, queue: str, worker: int, start: object, answers: object) -> None:
    """A crowd's share of claims of one step, from a process whose clock is minutes away."""
    import time

    real = time.time
    time.time = lambda: real() + (worker - 1) * 600
    with open_ledger(place) as ledger:
        book = ledger.for_queue(queue)
        start.wait()  # type: ignore[attr-defined]  # a barrier of another process
        owned = sum(
            isinstance(book.steps.claim_step("r1", 0, f"w{worker}-{number}", ttl_ms=LONG_MS, covers=COVERS), Claimed)
            for number in range(CLAIMS // 4)
        )
    answers.put(owned)  # type: ignore[attr-defined]  # a queue of another process


def test_a_thousand_claims_of_one_step_by_processes_have_exactly_one_owner(tmp_path: Path) -> None:
    place = f"sqlite:///{tmp_path}/ledger.db"
    context = multiprocessing.get_context("spawn")
    start, answers = context.Barrier(4), context.Queue()
    with open_ledger(place) as ledger:
        book = started(ledger.for_queue("main"))
        workers = [
            context.Process(target=claims_in_a_process, args=(place, "main", number, start, answers))
            for number in range(4)
        ]
        for worker in workers:
            worker.start()
        owned = [answers.get(timeout=60) for _ in workers]
        for worker in workers:
            worker.join()
        assert sorted(owned) == [0, 0, 0, 1]
        assert [event.kind for event in book.steps.load_events("r1", limit=9)] == ["WorkflowStarted", "StepStarted"]


def test_a_thousand_claims_of_one_step_on_a_server_have_exactly_one_owner(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    started(book)

    def act(mine: QueueLedger, number: int, _: int) -> int:
        claims = (
            mine.steps.claim_step("r1", 0, f"w{number}-{turn}", ttl_ms=LONG_MS, covers=COVERS)
            for turn in range(CLAIMS // RACERS)
        )
        return sum(isinstance(claim, Claimed) for claim in claims)

    assert racing(ledger_backend, ledger, book, act) == [Counter({0: RACERS - 1, 1: 1})]


def test_an_expired_lease_is_taken_over_by_one_of_many(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    started(book)
    for index in range(ROUNDS):
        expired(book, index)

    def act(mine: QueueLedger, number: int, turn: int) -> str:
        return type(mine.steps.claim_step("r1", turn, f"t{number}", ttl_ms=LONG_MS)).__name__

    expected = Counter(Claimed=1, HeldByOther=RACERS - 1)
    assert racing(ledger_backend, ledger, book, act, ROUNDS) == [expected] * ROUNDS
    assert {(step.fencing, step.attempt) for step in book.steps.steps("r1", limit=99)} == {(2, 2)}


def test_of_racing_transitions_one_is_applied(ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger) -> None:
    for turn in range(ROUNDS):
        book.runs.save(a_run(book.queue, f"r{turn}"))
    statuses: tuple[RunStatus, ...] = ("COMPLETED", "FAILED", "CANCELLED")

    def act(mine: QueueLedger, number: int, turn: int) -> object:
        return mine.runs.transition(f"r{turn}", an_end(statuses[number % 3]))

    for outcome in racing(ledger_backend, ledger, book, act, ROUNDS):
        assert outcome["APPLIED"] == 1
        # Three claim COMPLETED, three FAILED, two CANCELLED.
        assert outcome["REPLAYED"] in {1, 2}
        assert outcome[RunConflict] == RACERS - 1 - outcome["REPLAYED"]


def test_of_racing_transitions_with_one_claim_all_but_one_replay(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    book.runs.save(a_run(book.queue))
    outcome = racing(ledger_backend, ledger, book, lambda mine, *_: mine.runs.transition("r1", an_end()))
    assert outcome == [Counter(APPLIED=1, REPLAYED=RACERS - 1)]


def test_of_racing_saves_of_one_version_one_is_stored(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    book.runs.save(a_run(book.queue))

    def act(mine: QueueLedger, number: int, turn: int) -> int:
        return mine.runs.save(a_run(mine.queue, header=a_header(reason=f"{number} {turn}"), version=turn + 1)).version

    outcomes = racing(ledger_backend, ledger, book, act, ROUNDS)
    assert outcomes == [Counter({turn + 2: 1, VersionMismatch: RACERS - 1}) for turn in range(ROUNDS)]


def test_of_racing_first_saves_one_content_is_stored_and_equal_ones_replay(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    def act(mine: QueueLedger, number: int, turn: int) -> int:
        return mine.runs.save(a_run(mine.queue, f"r{turn}", header=a_header(reason=str(number % 2)))).version

    outcomes = racing(ledger_backend, ledger, book, act, ROUNDS)
    assert outcomes == [Counter({1: RACERS // 2, VersionMismatch: RACERS // 2})] * ROUNDS


def test_a_run_that_ends_while_attempts_are_recorded_has_none_that_came_later(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    for turn in range(ROUNDS):
        book.runs.save(a_run(book.queue, f"r{turn}"))

    def act(mine: QueueLedger, number: int, turn: int) -> object:
        if number == 0:
            return mine.runs.transition(f"r{turn}", an_end())
        return mine.runs.record_invocation(an_attempt(mine.queue, f"i{number}", run_id=f"r{turn}"))

    for turn, outcome in enumerate(racing(ledger_backend, ledger, book, act, ROUNDS)):
        assert outcome["APPLIED"] == 1
        assert len(book.runs.invocations_of(f"r{turn}", limit=99)) == outcome[None] == RACERS - 1 - outcome[RunEnded]


def test_an_attempt_is_locked_by_one_of_many(ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    for turn in range(ROUNDS):
        book.runs.record_invocation(an_attempt(book.queue, f"i{turn}"))

    def act(mine: QueueLedger, number: int, turn: int) -> None:
        mine.runs.record_invocation(an_attempt(mine.queue, f"i{turn}", status="SUCCEEDED", document={"by": number}))

    outcomes = racing(ledger_backend, ledger, book, act, ROUNDS)
    assert outcomes == [Counter({None: 1, InvocationConflict: RACERS - 1})] * ROUNDS


def test_a_completion_that_races_with_the_workflows_end_is_in_the_log_before_it_or_not_at_all(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    leases = []
    for turn in range(ROUNDS):
        started(book, f"r{turn}")
        leases.append([claimed(book, index, f"w{index}", run_id=f"r{turn}") for index in range(RACERS)])

    def act(mine: QueueLedger, number: int, turn: int) -> object:
        run_id = f"r{turn}"
        if number == 0:
            return mine.steps.append_event(an_event(mine.queue, "WorkflowCancelled", run_id=run_id)).kind
        leased(
            mine,
            "StepCompleted",
            leases[turn][number],
            {"output": {}},
            run_id=run_id,
            step_index=number,
            worker=f"w{number}",
        )
        return None

    for turn, outcome in enumerate(racing(ledger_backend, ledger, book, act, ROUNDS)):
        events = book.steps.load_events(f"r{turn}", limit=99)
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert events[-1].kind == "WorkflowCancelled"
        assert [event.kind for event in events].count("StepCompleted") == outcome[None]
        assert outcome[WorkflowEnded] == RACERS - 1 - outcome[None]


def test_renewals_that_race_with_a_take_over_leave_one_holder(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    started(book)
    # They run out one after the other, so that some do so in the middle of a round.
    lost = [claimed(book, index, ttl_ms=100 + 15 * index) for index in range(ROUNDS)]

    def act(mine: QueueLedger, number: int, turn: int) -> object:
        if number % 2:
            mine.steps.renew_lease("r1", turn, "w1", fencing=lost[turn].fencing, ttl_ms=LONG_MS)
            return "renewed"
        return type(mine.steps.claim_step("r1", turn, f"t{number}", ttl_ms=LONG_MS)).__name__

    for turn, outcome in enumerate(racing(ledger_backend, ledger, book, act, ROUNDS)):
        step = book.steps.step("r1", turn)
        assert step is not None
        assert (step.worker == "w1") == (outcome["Claimed"] == 0)
        assert outcome["Claimed"] in {0, 1}
        if outcome["Claimed"]:
            assert outcome[LeaseLost] >= 1
            with pytest.raises(LeaseLost):
                book.steps.renew_lease("r1", turn, "w1", fencing=lost[turn].fencing, ttl_ms=5)


def test_racing_starts_open_one_workflow(ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger) -> None:
    def act(mine: QueueLedger, _: int, turn: int) -> int:
        return mine.steps.append_event(an_event(mine.queue, "WorkflowStarted", run_id=f"r{turn}")).sequence

    assert racing(ledger_backend, ledger, book, act, ROUNDS) == [Counter({1: RACERS})] * ROUNDS
    assert all(len(book.steps.load_events(f"r{turn}", limit=9)) == 1 for turn in range(ROUNDS))


def test_the_lowest_boundary_and_the_latest_verify_survive_a_race(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    order = list(itertools.permutations(range(RACERS)))[777]

    def act(mine: QueueLedger, number: int, _: int) -> None:
        mine.verified.put(
            a_verified(
                mine.queue,
                run_id=f"r{number}",
                verified_at_ms=NOON_MS + number,
                boundary=f"request/main/{order[number] + 1}",
                boundary_number=order[number] + 1,
            )
        )

    racing(ledger_backend, ledger, book, act)
    found = book.verified.of("mariadb:1")
    assert found is not None
    expected = a_verified(book.queue, boundary="request/main/1", boundary_number=1, run_id=f"r{RACERS - 1}")
    assert replace(found, version=0) == replace(expected, verified_at_ms=NOON_MS + RACERS - 1)


def test_one_of_many_holds_is_on_record_and_all_are_told_which(
    ledger_backend: LedgerBackend, ledger: Ledger, book: QueueLedger
) -> None:
    book.runs.save(a_run(book.queue))
    outcome = racing(
        ledger_backend, ledger, book, lambda mine, number, _: mine.holds.put("r1", reason="x", actor=f"a{number}").actor
    )
    hold = book.holds.of("r1")
    assert hold is not None
    assert outcome == [Counter({hold.actor: RACERS})]


def test_runs_and_workflows_that_begin_at_once_do_not_get_in_each_others_way(mariadb: MariaDBServer) -> None:
    backend = OnServer(mariadb, None)
    with backend.fresh() as ledger:
        deadlocks = "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"
        before = mariadb.execute(deadlocks)

        def act(mine: QueueLedger, number: int, turn: int) -> int:
            run_id = f"r{turn}-{number}"
            version = mine.runs.save(a_run(mine.queue, run_id)).version
            claimed(started(mine, run_id), 0, f"w{number}", run_id=run_id)
            return version

        assert racing(backend, ledger, ledger.for_queue("main"), act, ROUNDS) == [Counter({1: RACERS})] * ROUNDS
        assert mariadb.execute(deadlocks) == before
