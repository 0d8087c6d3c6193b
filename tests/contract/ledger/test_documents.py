"""How documents are kept: readable while they are short, compressed when they are long."""

import contextlib
import json
import random
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.contract import UnreadableRow
from stovepipe_cli.storage.ledger.contract import Ledger
from stovepipe_cli.storage.ledger.sql.packing import COMPRESSED, READABLE_BYTES
from stovepipe_cli.storage.open import open_ledger
from tests.contract.ledger.raw import RawLedger
from tests.contract.ledger.samples import a_header, a_run, claimed, leased, started
from tests.support.mariadb import MariaDBServer


@pytest.fixture
def raw(sql_ledgers: tuple[Ledger, Ledger]) -> Iterator[RawLedger]:
    with contextlib.closing(RawLedger(sql_ledgers[0])) as opened:
        yield opened


def test_a_short_document_is_readable_text(raw: RawLedger, ledger_queue: str) -> None:
    book = started(raw.ledger.for_queue(ledger_queue))
    leased(book, "StepFailed", claimed(book), {"reason": "é", "is_final": True})
    body = raw.execute("SELECT body FROM work_event ORDER BY sequence DESC LIMIT 1")[0][0]
    assert json.loads(body) == {"reason": "é", "is_final": True}
    assert "é".encode() in body
    assert raw.execute("SELECT reason FROM work_step WHERE step_index = 0") == [("é".encode(),)]


@pytest.mark.parametrize("size", [READABLE_BYTES - 1_000, READABLE_BYTES, 10 * READABLE_BYTES])
def test_a_document_is_compressed_from_its_size_on(raw: RawLedger, ledger_queue: str, size: int) -> None:
    book = raw.ledger.for_queue(ledger_queue)
    run = a_run(ledger_queue, header=a_header(document={"plan": "x" * size}))
    stored = book.runs.save(run)
    (kept,) = raw.execute("SELECT header FROM run")[0]
    assert kept.startswith(COMPRESSED) == (size >= READABLE_BYTES)
    assert len(kept) < READABLE_BYTES
    assert book.runs.find("r1") == stored
    assert stored.header == run.header


def test_a_reason_of_any_text_and_length_comes_back_as_it_was(raw: RawLedger, ledger_queue: str) -> None:
    book = started(raw.ledger.for_queue(ledger_queue))
    for index, reason in enumerate(("", "\x00 nul first", "x" * 3 * READABLE_BYTES, "\udcff")):
        body = {"reason": reason, "is_final": True}
        leased(book, "StepFailed", claimed(book, index), body, step_index=index)
        step = book.steps.step("r1", index)
        assert step is not None
        assert step.reason == reason


@pytest.mark.parametrize("entries", [250_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_plan_of_many_packets_size_fits_through_one(mariadb: MariaDBServer, entries: int) -> None:
    chance = random.Random(7)  # noqa: S311  # data for a test
    rows = [
        {"request": f"request/main/{number}", "row": f"{chance.randrange(10**7):07}", "state": "recorded_green"}
        for number in range(entries)
    ]
    plan = {"entries": rows, "padding": "processing " * 2 * entries}
    assert len(json.dumps(plan)) > 100 * entries > 16 * 1024 * 1024
    assert mariadb.execute("SELECT @@max_allowed_packet") == [(16 * 1024 * 1024,)]
    with open_ledger(mariadb.create_database(mariadb.unused_name("ledger"))) as ledger:
        ledger.admin.init()
        book = ledger.for_queue("main")
        book.runs.save(a_run("main", header=a_header(document=plan)))
        found = book.runs.find("r1")
        assert found is not None
        assert found.header.document == plan


@pytest.mark.parametrize("damage", ["'\x01 no json'", "x'00ff'", "'[1, 2]'", "''"])
def test_a_damaged_document_is_named_and_never_guessed(raw: RawLedger, ledger_queue: str, damage: str) -> None:
    book = raw.ledger.for_queue(ledger_queue)
    book.runs.save(a_run(ledger_queue))
    raw.execute(f"UPDATE run SET header = {damage}")
    with pytest.raises(UnreadableRow):
        book.runs.find("r1")
