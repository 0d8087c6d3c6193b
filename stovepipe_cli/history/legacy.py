"""Whether a request is older than the history of its queue, as far as a look at its neighbours tells."""

from collections.abc import Iterable

from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.request_id import MAX_NUMBER, parse_request_id, request_order, spell_request_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow

FIRST_ENTRY = state_log_id(1)

# How many numbers to either side are looked at: two keys each, which one read answers.
NEIGHBOURS = 500

# What a profile says where no request is legacy.
_NO_BOUNDARY = "none"


def is_legacy(storage: Storage, request_id: str, history_since: str | None, *, has_first_entry: bool) -> bool | None:
    """Whether nothing is missing of a request because history began after it.

    History begins at `history_since`, else at the lowest request that has its first entry. None where only a walk
    over the whole log would tell.
    """
    if history_since is not None:
        is_given = history_since != _NO_BOUNDARY
        return is_given and request_order(storage.queue, request_id) < request_order(storage.queue, history_since)
    parsed = parse_request_id(storage.queue, request_id)
    if has_first_entry or parsed is None:
        return False
    number = parsed.number
    if _has_first_entry(storage, range(max(number - NEIGHBOURS, 1), number)):
        return False
    if number > NEIGHBOURS + 1:
        return None
    # All that are lower were looked at.
    is_followed = _has_first_entry(storage, range(number + 1, min(number + NEIGHBOURS, MAX_NUMBER) + 1))
    return True if is_followed else None


def _has_first_entry(storage: Storage, numbers: Iterable[int]) -> bool:
    keys: list[Key] = [
        (spell_request_id(storage.queue, number, form), FIRST_ENTRY)
        for number in numbers
        for form in ("path", "decimal")
    ]
    if not keys:
        return False
    with storage.audit.snapshot() as snapshot:
        found: list[Key] = [(entry.request_id,) for entry in snapshot.multi_get(RequestLogRow, keys)]
        # Entries of requests that do not exist begin no history.
        return bool(found and snapshot.multi_get(RequestRow, found))
