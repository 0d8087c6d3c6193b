"""What is asked often is answered from an index, and never by replaying the log."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.contract.ledger.backends import LedgerBackend
from tests.contract.ledger.raw import RawLedger
from tests.contract.ledger.samples import NOON_MS, a_run, expired, started

NOW = 2**40
QUESTIONS = {
    "newest runs": (
        "SELECT * FROM run WHERE queue = 'main' ORDER BY newest_first, run_id LIMIT 5",
        "run_newest",
    ),
    "children": (
        "SELECT * FROM run WHERE queue = 'main' AND parent_run_id = 'p' ORDER BY newest_first, run_id LIMIT 5",
        "run_children",
    ),
    "lineage": (
        "SELECT * FROM run WHERE queue = 'main' AND root_run_id = 'p' ORDER BY newest_first, run_id LIMIT 5",
        "run_lineage",
    ),
    "expired leases": (
        f"""SELECT * FROM work_step WHERE queue = 'main' AND status = 'running' AND lease_until_ms <= {NOW}
        ORDER BY lease_until_ms, run_id, step_index LIMIT 5""",
        "work_step_lease",
    ),
    "an event by its token": (
        "SELECT * FROM work_event WHERE queue = 'main' AND run_id = 'r1' AND token > 't'",
        "work_event_token",
    ),
    "attempts in plan order": (
        """SELECT * FROM invocation WHERE queue = 'main' AND run_id = 'r1'
        ORDER BY step_index, attempt, invocation_id LIMIT 5""",
        "invocation_plan",
    ),
}


@pytest.fixture(scope="module")
def explained(sql_backend: LedgerBackend) -> Iterator[RawLedger]:
    ledger = sql_backend.fresh()
    book = ledger.for_queue("main")
    with ledger, contextlib.closing(RawLedger(ledger)) as raw:
        for number in range(60):
            book.runs.save(a_run("main", f"r{number}", started_at_ms=NOON_MS + number))
            started(book, f"r{number}")
            expired(book, run_id=f"r{number}")
        raw.execute("ANALYZE" if raw.is_file else "ANALYZE TABLE run, work_step, work_event, invocation")
        yield raw


@pytest.mark.parametrize(("sql", "index"), QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_frequent_question_is_answered_from_its_index_and_sorted_by_it(
    explained: RawLedger, sql: str, index: str
) -> None:
    asked = sql.replace("'main'", "x'6d61696e'") if explained.is_file else sql
    plan = str(explained.execute(("EXPLAIN QUERY PLAN " if explained.is_file else "EXPLAIN ") + asked))
    assert index in plan
    assert "TEMP B-TREE" not in plan
    assert "filesort" not in plan
    assert "work_event" not in plan or "token" in sql
