"""Whatever is done in whichever order, memory and SQL give the same answers and the same errors."""

from collections.abc import Iterator

from hypothesis import given, settings

from stovepipe_cli.storage.contract import CollationConflict, Storage, StorageFactory
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    IssueLogRow,
    ProjectFactByDegreeRow,
    QueueLogRow,
    QueueSummaryRow,
    RequestLogRow,
    RequestRow,
    Row,
)
from stovepipe_cli.storage.memory import MemoryFactory
from tests.contract.operations import HISTORIES, PAGED_HISTORIES, Operation, audited
from tests.contract.samples import URI

ROW_TYPES: tuple[type[Row], ...] = (
    RequestRow,
    RequestLogRow,
    BuildIssueRow,
    IssueLogRow,
    ProjectFactByDegreeRow,
    QueueLogRow,
    QueueSummaryRow,
)


def everything(storage: Storage) -> object:
    """What is stored, by every list there is."""
    return (
        [sorted(audited(storage, row_type, None, None, 7)) for row_type in ROW_TYPES],
        storage.acceptances.list_before(0, 99, None, 99),
        storage.open_issues.list_after(None, 99),
        storage.facts.list_after(URI, None, 99),
    )


@given(operations=PAGED_HISTORIES)
@settings(max_examples=60, deadline=None, database=None)
def test_memory_and_byte_exact_tables_agree(
    byte_exact_database: StorageFactory, queue_numbers: Iterator[int], operations: list[Operation]
) -> None:
    # A queue of its own for every example: the database stays the same.
    queue = f"agreement-{next(queue_numbers)}"
    model, judged = MemoryFactory().for_queue(queue), byte_exact_database.for_queue(queue)
    for operation in operations:
        assert operation.outcome(judged) == operation.outcome(model)
    assert everything(judged) == everything(model)


@given(operations=HISTORIES)
@settings(max_examples=60, deadline=None, database=None)
def test_memory_and_tables_with_a_collation_agree_on_all_that_these_can_hold(
    collating_database: StorageFactory, queue_numbers: Iterator[int], operations: list[Operation]
) -> None:
    queue = f"agreement-{next(queue_numbers)}"
    model, judged = MemoryFactory().for_queue(queue), collating_database.for_queue(queue)
    for operation in operations:
        outcome = operation.outcome(judged)
        if outcome is not CollationConflict:
            assert outcome == operation.outcome(model)
    assert everything(judged) == everything(model)
