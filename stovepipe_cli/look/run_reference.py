"""From what somebody typed to the run that is meant."""

import re

from stovepipe_cli.entities.run import RUN_ID_BYTES, Run
from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.look.runs import Place, runs_behind
from stovepipe_cli.storage.ledger.contract import QueueLedger

LATEST = "@latest"

_MOST_LOOKED_AT = 20_000
_MOST_NAMED = 5
_TIME_DIGITS = 12
_DAY_MS = 86_400_000
_HEX = re.compile(r"[0-9a-f]+\Z")
_SEE = "see 'stovepipe runs list'"


def resolve_run(ledger: QueueLedger, text: str) -> Run:
    """The run with this id, the only one whose id begins with it, or the latest for `@latest`.

    `NothingFound` where there is none, `UsageError` where several begin so or the prefix is too short to look for.
    """
    if text == LATEST:
        for run in ledger.runs.runs_in_queue(limit=1):
            return run
        raise NothingFound(f"queue '{ledger.queue}' has no run on record", hint="name the queue that it ran on")
    if not text or len(key_bytes(text)) > RUN_ID_BYTES:
        raise UsageError("that is no id of a run", hint=f"give an id, the beginning of one, or {LATEST}; {_SEE}")
    exact = ledger.runs.find(text)
    if exact is not None:
        return exact
    found = _beginning_with(ledger, text)
    if not found:
        raise NothingFound(f"queue '{ledger.queue}' has no run '{text}' on record", hint=_SEE)
    if len(found) > 1:
        named = ", ".join(f"'{each.run_id}'" for each in found[:_MOST_NAMED])
        more = ", and more" if len(found) > _MOST_NAMED else ""
        raise UsageError(f"'{text}' fits several runs: {named}{more}", hint="give more of the id")
    return found[0]


def _beginning_with(ledger: QueueLedger, prefix: str) -> list[Run]:
    since_ms, behind = _window(prefix)
    found: list[Run] = []
    for looked_at, run in enumerate(runs_behind(ledger, behind, since_ms)):
        if looked_at == _MOST_LOOKED_AT:
            raise UsageError(f"'{prefix}' is too short to look for among so many runs", hint=f"give more of it; {_SEE}")
        if run.run_id.startswith(prefix):
            found.append(run)
            if len(found) > _MOST_NAMED:
                break
    return found


def _window(prefix: str) -> tuple[int | None, Place | None]:
    """When runs of such ids can have started: their first digits are the time they were minted at.

    A day is allowed for clocks that differ.
    """
    digits = prefix.replace("-", "")[:_TIME_DIGITS]
    if not _HEX.match(digits):
        return None, None
    first = int(digits.ljust(_TIME_DIGITS, "0"), 16)
    last = int(digits.ljust(_TIME_DIGITS, "f"), 16)
    return max(first - _DAY_MS, 0), (min(last + _DAY_MS, 2**63 - 1), "")
