"""What the ledger in memory has of its own: a bound, and a clock that is given."""

import pytest

from stovepipe_cli.storage.contract import StorageReadOnly
from stovepipe_cli.storage.ledger.contract import HeldByOther
from stovepipe_cli.storage.ledger.memory import MemoryLedger
from stovepipe_cli.storage.open import open_ledger
from tests.contract.ledger.samples import NOON_MS, a_run, an_attempt, an_end, claimed, started


def test_the_oldest_ended_runs_are_forgotten_beyond_the_cap() -> None:
    with MemoryLedger(most_runs=3) as ledger:
        book = ledger.for_queue("main")
        for number, ended in enumerate((5, 0, 9, 1, 7, 3)):
            book.runs.save(a_run("main", f"r{number}"))
            book.runs.record_invocation(an_attempt("main", run_id=f"r{number}"))
            started(book, f"r{number}")
            book.runs.transition(f"r{number}", an_end(at_ms=NOON_MS + ended))
        kept = [run.run_id for run in book.runs.runs_in_queue(limit=9)]
        assert kept == ["r2", "r4", "r5"]
        assert book.runs.invocations_of("r1", limit=9) == ()
        assert book.steps.load_events("r1", limit=9) == ()


def test_a_running_run_is_never_forgotten() -> None:
    with MemoryLedger(most_runs=2) as ledger:
        book = ledger.for_queue("main")
        for number in range(5):
            book.runs.save(a_run("main", f"r{number}"))
        assert book.runs.counts_by_status()["RUNNING"] == 5
        for number in range(5):
            book.runs.transition(f"r{number}", an_end())
        assert sum(book.runs.counts_by_status().values()) == 2


def test_leases_go_by_the_clock_that_was_given() -> None:
    now = [1_000]
    with open_ledger("memory://", clock=lambda: now[0]) as ledger:
        book = started(ledger.for_queue("main"))
        claim = claimed(book, ttl_ms=50)
        assert claim.until_ms == 1_050
        now[0] = 1_049
        assert book.steps.claim_step("r1", 0, "w2", ttl_ms=5) == HeldByOther("w1", 1_050)
        now[0] = 1_050
        assert claimed(book, worker="w2").fencing == 2


def test_it_is_whole_and_of_this_version_from_the_start() -> None:
    with open_ledger("memory://") as ledger:
        state = ledger.admin.state()
        assert (ledger.place, ledger.is_private, state.place, state.is_private) == ("memory", True, "memory", True)
        assert (state.absent_tables, state.can_read, state.can_write, state.refusal) == ((), True, True, None)
        assert ledger.admin.init() == ()
        assert ledger.admin.upgrade() == (state.schema_version, state.tool_schema_version, None)


def test_a_ledger_that_was_opened_for_reading_takes_no_write() -> None:
    with open_ledger("memory://", read_only=True) as ledger:
        book = ledger.for_queue("main")
        with pytest.raises(StorageReadOnly):
            book.runs.save(a_run("main"))
        with pytest.raises(StorageReadOnly):
            ledger.admin.init()
        assert not ledger.admin.state().can_write
        assert book.runs.runs_in_queue(limit=9) == ()
