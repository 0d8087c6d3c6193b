"""The highest request number of a queue, found in few reads."""

from functools import partial

from stovepipe_cli.audit.numbers import TRIED_AT_ONCE, existing, walked_numbers
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.request_id import MAX_NUMBER, parse_request_id
from stovepipe_cli.storage.contract import AuditSnapshot, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import QueueRow

_NEWEST_ACCEPTANCES = 10


def newest_number(storage: Storage, snapshots: Snapshots) -> int:
    """The number of the newest request, 0 where there is none.

    Looked for around what the coordination row and the newest acceptances name, and upwards from there until hundreds
    of numbers have no request. Only where they name no request that exists are all keys walked, page by page.
    """
    for number in sorted(_named(storage, snapshots), reverse=True):
        # What is named may not exist: then it must not send the search far above what does.
        if there := existing(snapshots, storage.queue, number - TRIED_AT_ONCE + 1, number):
            return _upwards(storage.queue, snapshots, there[-1])
    return max(walked_numbers(snapshots, storage.queue), default=0)


def _named(storage: Storage, snapshots: Snapshots) -> set[int]:
    ids = [mapping.request_id for mapping in _newest_acceptances(storage)]
    try:
        for row in snapshots.read(_queue_rows):
            ids += [row.latest_request_id, row.last_green_request_id]
    except SchemaMismatch:
        pass
    parsed = map(partial(parse_request_id, storage.queue), ids)
    return {each.number for each in parsed if each is not None and each.number > 0}


def _queue_rows(snapshot: AuditSnapshot) -> tuple[QueueRow, ...]:
    return snapshot.page(QueueRow, limit=1).rows


def _newest_acceptances(storage: Storage) -> tuple[RequestAcceptance, ...]:
    try:
        return storage.acceptances.list_before(0, MAX_INT64, None, _NEWEST_ACCEPTANCES)
    except SchemaMismatch:
        return ()


def _upwards(queue: str, snapshots: Snapshots, number: int) -> int:
    while number < MAX_NUMBER:
        beyond = existing(snapshots, queue, number + 1, min(number + TRIED_AT_ONCE, MAX_NUMBER))
        if not beyond:
            break
        number = beyond[-1]
    return number
