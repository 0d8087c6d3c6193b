"""The end of a run in the tables of an SQL ledger: one row, whose fingerprint was stored when it was written."""

import contextlib
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.ledger.contract import Ledger, RunConflict
from tests.contract.ledger.raw import RAW_ERRORS, RawLedger
from tests.contract.ledger.samples import a_run, an_end


@pytest.fixture
def raw(sql_ledgers: tuple[Ledger, Ledger]) -> Iterator[RawLedger]:
    with contextlib.closing(RawLedger(sql_ledgers[0])) as opened:
        yield opened


def test_the_fingerprint_on_record_decides_and_is_never_made_anew(raw: RawLedger, ledger_queue: str) -> None:
    book = raw.ledger.for_queue(ledger_queue)
    book.runs.save(a_run(ledger_queue))
    book.runs.transition("r1", an_end("FAILED"))
    # As an earlier version of the tool would have made it of the same claim.
    other = an_end("CANCELLED", 7)
    raw.execute(f"UPDATE run_end SET fingerprint = x'{other.fingerprint.encode().hex()}'")
    assert book.runs.transition("r1", other) == "REPLAYED"
    with pytest.raises(RunConflict):
        book.runs.transition("r1", an_end("FAILED"))


def test_a_second_end_is_impossible_in_the_tables_themselves(raw: RawLedger, ledger_queue: str) -> None:
    book = raw.ledger.for_queue(ledger_queue)
    book.runs.save(a_run(ledger_queue))
    book.runs.transition("r1", an_end("FAILED"))
    with pytest.raises(RAW_ERRORS):
        raw.execute("INSERT INTO run_end SELECT queue, run_id, status, 7, fingerprint, token, 0 FROM run_end")
