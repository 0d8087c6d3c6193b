"""A write whose answer was lost is asked about and done once, and never taken for somebody else's."""

from collections.abc import Callable, Iterator

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import EventKind
from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract import StorageUnavailable, VersionMismatch
from stovepipe_cli.storage.ledger.contract import Claimed, HeldByOther, QueueLedger, RunConflict, RunEnded
from stovepipe_cli.storage.ledger.sql.ledger import SQLLedger
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.open import open_ledger
from stovepipe_cli.storage.sql.retry import RetryPolicy
from tests.contract.ledger.samples import (
    COVERS,
    LONG_MS,
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
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.tcp_proxy import TcpProxy

QUEUE = "main"
CUTS = ("before", "behind")


@pytest.fixture
def proxy(mariadb: MariaDBServer) -> Iterator[TcpProxy]:
    with TcpProxy(mariadb.port) as proxy:
        yield proxy


@pytest.fixture
def heard() -> list[Run]:
    return []


@pytest.fixture
def through(mariadb_database: str, proxy: TcpProxy, heard: list[Run]) -> Iterator[QueueLedger]:
    """A ledger whose connection can be cut."""
    name = mariadb_database.rpartition("/")[2]
    spec = parse_connection_url(f"mysql+pymysql://root@{HOST}:{proxy.port}/{name}?ssl_mode=DISABLED")
    policy = RetryPolicy(sleep=lambda _: None, chance=lambda: 0.5)
    backend = MySQLBackend(spec, Limits(lock_wait_ms=1_000), is_read_only=False)
    with SQLLedger(backend, listener=heard.append, policy=policy) as ledger:
        ledger.admin.init()
        yield ledger.for_queue(QUEUE)


@pytest.fixture
def direct(mariadb_database: str, through: QueueLedger) -> Iterator[QueueLedger]:  # noqa: ARG001  # after its tables
    """Another process, whose connection does not break."""
    with open_ledger(mariadb_database) as ledger:
        yield ledger.for_queue(QUEUE)


def cut(proxy: TcpProxy, where: str, then: Callable[[], object] = lambda: None, marker: bytes = b"COMMIT") -> None:
    {"before": proxy.cut_before, "behind": proxy.cut_behind}[where](marker, then)


def kinds(book: QueueLedger) -> list[str]:
    return [event.kind for event in book.steps.load_events("r1", limit=99)]


@pytest.mark.parametrize("where", CUTS)
def test_a_claim_whose_commit_is_lost_is_one_lease(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    started(through)
    cut(proxy, where)
    claim = claimed(through)
    assert (claim.fencing, claim.attempt, proxy.cuts) == (1, 1, 1)
    assert kinds(through) == ["WorkflowStarted", "StepStarted"]
    leased(through, "StepCompleted", claim, {"output": {}})


@pytest.mark.parametrize("where", CUTS)
def test_a_take_over_by_claim_whose_commit_is_lost_is_one_take_over(
    through: QueueLedger, proxy: TcpProxy, where: str
) -> None:
    started(through)
    expired(through)
    cut(proxy, where)
    assert claimed(through, worker="w2").fencing == 2
    assert kinds(through)[2:] == ["LeaseTakenOver", "StepStarted"]


def test_a_lost_claim_that_another_has_taken_over_since_is_not_believed_to_be_held(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy
) -> None:
    started(through)

    def theirs() -> None:
        assert direct.steps.take_over("r1", 0, fencing=1, worker="w1")
        claimed(direct, worker="w2")

    cut(proxy, "behind", theirs)
    assert isinstance(through.steps.claim_step("r1", 0, "w1", ttl_ms=LONG_MS, covers=COVERS), HeldByOther)


def test_a_claim_is_not_taken_for_another_workers(through: QueueLedger, direct: QueueLedger, proxy: TcpProxy) -> None:
    started(through)
    cut(proxy, "before", lambda: claimed(direct, worker="w2"))
    claim = through.steps.claim_step("r1", 0, "w1", ttl_ms=LONG_MS, covers=COVERS)
    assert isinstance(claim, HeldByOther)
    assert claim.worker == "w2"


@pytest.mark.parametrize("where", CUTS)
@pytest.mark.parametrize("marker", [b"INSERT INTO work_event", b"UPDATE work_step", b"COMMIT"])
def test_an_append_whose_connection_is_lost_is_one_event_with_its_effect(
    through: QueueLedger, proxy: TcpProxy, where: str, marker: bytes
) -> None:
    started(through)
    claim = claimed(through)
    cut(proxy, where, marker=marker)
    event = leased(through, "StepCompleted", claim, {"output": {"done": 1}})
    assert (event.sequence, proxy.cuts) == (3, 1)
    assert kinds(through) == ["WorkflowStarted", "StepStarted", "StepCompleted"]
    step = through.steps.step("r1", 0)
    assert step is not None
    assert (step.status, step.output) == ("completed", {"done": 1})


@pytest.mark.parametrize("kind", ["WorkflowStarted", "WorkflowCompleted"])
@pytest.mark.parametrize("where", CUTS)
def test_a_start_or_an_ending_whose_commit_is_lost_is_one_event(
    through: QueueLedger, proxy: TcpProxy, where: str, kind: EventKind
) -> None:
    if kind != "WorkflowStarted":
        started(through)
    cut(proxy, where)
    event = an_event(QUEUE, kind)
    assert through.steps.append_event(event).token == event.token
    assert kinds(through).count(kind) == 1


def test_an_append_whose_answer_stays_lost_is_recognised_by_its_token_later(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy
) -> None:
    started(through)
    claim = claimed(through)
    event = an_event(QUEUE, "StepCompleted", 0, worker="w1", fencing=claim.fencing, body={"output": {}})
    for _ in range(15):
        cut(proxy, "behind")
        proxy.cut_before(b"START TRANSACTION")
        proxy.cut_before(b"START TRANSACTION")
    with pytest.raises(StorageUnavailable):
        through.steps.append_event(event)
    assert direct.steps.append_event(event).token == event.token
    assert kinds(direct).count("StepCompleted") == 1


@pytest.mark.parametrize("where", CUTS)
def test_a_first_save_whose_commit_is_lost_is_one_run(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    cut(proxy, where)
    assert through.runs.save(a_run(QUEUE)) == a_run(QUEUE, version=1)
    assert through.runs.find("r1") == a_run(QUEUE, version=1)


@pytest.mark.parametrize("where", CUTS)
def test_an_update_whose_commit_is_lost_happens_once(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, where)
    assert through.runs.save(a_run(QUEUE, header=a_header(reason="new"), version=1)).version == 2
    assert through.runs.find("r1") == a_run(QUEUE, header=a_header(reason="new"), version=2)


def test_an_update_is_not_taken_for_another_writers(through: QueueLedger, direct: QueueLedger, proxy: TcpProxy) -> None:
    through.runs.save(a_run(QUEUE))
    theirs = a_run(QUEUE, header=a_header(reason="theirs"), version=1)
    cut(proxy, "before", lambda: direct.runs.save(theirs))
    with pytest.raises(VersionMismatch):
        through.runs.save(a_run(QUEUE, header=a_header(reason="mine"), version=1))


@pytest.mark.parametrize("where", CUTS)
def test_a_transition_whose_commit_is_lost_is_applied_and_told_once(
    through: QueueLedger, proxy: TcpProxy, heard: list[Run], where: str
) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, where)
    assert through.runs.transition("r1", an_end(counts={"done": 1})) == "APPLIED"
    assert heard == [through.runs.find("r1")]
    assert through.runs.transition("r1", an_end()) == "REPLAYED"
    assert len(heard) == 1


def test_a_transition_is_not_taken_for_another_callers_with_the_same_claim(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy, heard: list[Run]
) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, "before", lambda: direct.runs.transition("r1", an_end()))
    assert through.runs.transition("r1", an_end()) == "REPLAYED"
    assert heard == []


def test_a_transition_that_lost_to_another_claim_is_a_conflict(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy
) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, "before", lambda: direct.runs.transition("r1", an_end("FAILED")))
    with pytest.raises(RunConflict):
        through.runs.transition("r1", an_end())


@pytest.mark.parametrize("where", CUTS)
def test_an_attempt_whose_commit_is_lost_is_on_record_once(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, where)
    through.runs.record_invocation(an_attempt(QUEUE, status="SUCCEEDED"))
    assert through.runs.invocations_of("r1", limit=9) == (an_attempt(QUEUE, status="SUCCEEDED"),)


@pytest.mark.parametrize("where", CUTS)
def test_an_attempt_whose_answer_is_lost_is_told_as_it_was_when_the_run_ends_meanwhile(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy, where: str
) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, where, lambda: direct.runs.transition("r1", an_end()))
    if where == "behind":
        through.runs.record_invocation(an_attempt(QUEUE))
    else:
        with pytest.raises(RunEnded):
            through.runs.record_invocation(an_attempt(QUEUE))
    assert len(direct.runs.invocations_of("r1", limit=9)) == (where == "behind")


@pytest.mark.parametrize("where", CUTS)
def test_a_renewal_whose_commit_is_lost_is_renewed(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    started(through)
    claim = claimed(through)
    cut(proxy, where)
    until = through.steps.renew_lease("r1", 0, "w1", fencing=claim.fencing, ttl_ms=2 * LONG_MS)
    step = through.steps.step("r1", 0)
    assert step is not None
    assert (step.lease_until_ms, proxy.cuts) == (until, 1)


@pytest.mark.parametrize("where", CUTS)
def test_a_take_over_whose_commit_is_lost_is_one_recovery(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    started(through)
    claim = claimed(through)
    cut(proxy, where)
    assert through.steps.take_over("r1", 0, fencing=claim.fencing, worker="w1")
    assert kinds(through).count("WorkerRecovered") == 1


@pytest.mark.parametrize("where", CUTS)
def test_a_hold_that_loses_its_commit_is_put_and_lifted_once(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    through.runs.save(a_run(QUEUE))
    cut(proxy, where)
    hold = through.holds.put("r1", reason="x", actor="ann")
    assert through.holds.of("r1") == hold
    cut(proxy, where)
    assert through.holds.lift("r1")
    assert not through.holds.lift("r1")


@pytest.mark.parametrize("where", CUTS)
def test_a_verified_queue_whose_commit_is_lost_is_on_record_once(
    through: QueueLedger, proxy: TcpProxy, where: str
) -> None:
    cut(proxy, where)
    assert through.verified.put(a_verified(QUEUE)) == a_verified(QUEUE, version=1)


@pytest.mark.parametrize("where", CUTS)
def test_a_rebuild_whose_commit_is_lost_gives_the_same_steps(through: QueueLedger, proxy: TcpProxy, where: str) -> None:
    started(through)
    claimed(through)
    live = through.steps.steps("r1", limit=9)
    cut(proxy, where)
    assert through.steps.rebuild("r1") == 1
    assert through.steps.steps("r1", limit=9) == live


def test_neither_event_nor_effect_stays_of_an_append_that_was_never_committed(
    through: QueueLedger, direct: QueueLedger, proxy: TcpProxy
) -> None:
    started(through)
    claim = claimed(through)
    before = (kinds(direct), direct.steps.step("r1", 0))
    for _ in range(15):
        cut(proxy, "before")
    with pytest.raises(StorageUnavailable):
        leased(through, "StepCompleted", claim, {"output": {}})
    assert (kinds(direct), direct.steps.step("r1", 0)) == before
    assert isinstance(claim, Claimed)
