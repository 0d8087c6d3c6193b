"""The ledger that a program writes to, opened beside it by a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger
from tests.cli.running import Program

QUEUE = "demo/main"


def ledger_url(program: Program) -> str:
    """The ledger that is configured, else the user's own."""
    own = f"sqlite:///{program.home}/.local/state/stovepipe/ledger.db"
    return program.environ.get("STOVEPIPE_LEDGER_URL", own)


@contextmanager
def ledger_of(program: Program, queue: str = QUEUE) -> Iterator[QueueLedger]:
    """The queue in the program's ledger."""
    url = ledger_url(program)
    if url.startswith("sqlite"):
        (program.home / ".local/state/stovepipe").mkdir(parents=True, exist_ok=True)
    with open_ledger(url) as ledger:
        yield ledger.for_queue(queue)
