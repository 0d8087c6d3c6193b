"""Puts a synthetic queue into a store, batch by batch, and writes down what was planted in it."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import cast

from stovepipe_cli.errors import Refused
from stovepipe_cli.fixtures_io.generator import BATCH_REQUESTS, SyntheticQueue
from stovepipe_cli.fixtures_io.row_types import row_types
from stovepipe_cli.reports import json_form
from stovepipe_cli.storage.collecting import rarely_collecting
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import QueueRow, RequestRow, Row


def generate(
    storage: Storage, synthetic: SyntheticQueue, *, into_existing: bool, listener: Callable[[int], None] | None = None
) -> int:
    """Insert every row, and return how many there were. `listener` hears how many requests are in.

    `Refused`, and nothing written, where the queue holds rows already, unless `into_existing`: then its coordination
    row stays as it is. `AlreadyExists` where another row has the key of a generated one. Batches that were inserted
    stay, also where another one failed.
    """
    if not into_existing:
        _refuse_rows(storage)
    has_row = into_existing and _has_coordination_row(storage)
    count = done = 0

    def batches() -> Iterator[list[Row]]:
        nonlocal count
        for rows in synthetic.batches():
            batch: list[Row] = [row for row in rows if not isinstance(row, QueueRow)] if has_row else rows
            count += len(batch)
            yield batch

    with rarely_collecting():
        for _ in _inserted(storage, batches()):
            done += 1
            if listener is not None:
                listener(min(done * BATCH_REQUESTS, synthetic.requests))
    return count


def _inserted(storage: Storage, batches: Iterator[list[Row]]) -> Iterator[None]:
    """Insert them, and answer once for each that is in."""
    most = storage.bulk.most_at_once
    if most == 1:
        # Beside a second thread, SQLite and the C library lock whatever they touch.
        for batch in batches:
            yield storage.bulk.insert(batch)
        return
    inserting: deque[Future[None]] = deque()
    # The next batch is made, and turned into statements, while the server takes the ones before.
    with ThreadPoolExecutor(max_workers=most) as writers:
        for batch in batches:
            if len(inserting) == most:
                yield inserting.popleft().result()
            inserting.append(writers.submit(storage.bulk.insert, batch))
        for last in inserting:
            yield last.result()


def planted_lines(synthetic: SyntheticQueue) -> Iterator[str]:
    """Code and request of every finding that a verify is to make, a JSON object a line."""
    for finding in synthetic.planted():
        yield json.dumps(json_form(finding), ensure_ascii=False) + "\n"


def _has_coordination_row(storage: Storage) -> bool:
    with storage.audit.snapshot() as snapshot:
        return bool(snapshot.page(QueueRow, limit=1).rows)


def _refuse_rows(storage: Storage) -> None:
    with storage.audit.snapshot() as snapshot:
        for table, row_type in row_types().items():
            # Which row type it is does not matter: only whether there is one.
            if storage.audit.view(table) and snapshot.page(cast("type[RequestRow]", row_type), limit=1).rows:
                raise Refused(
                    f"queue '{storage.queue}' holds rows already, in table '{table}'",
                    hint="nothing was written: name a queue that is empty, or add '--into-existing'",
                )
