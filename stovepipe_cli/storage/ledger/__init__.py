"""The tool's own record: operator runs and their durable work, in a database of its own."""

from stovepipe_cli.storage.ledger.contract import Ledger, QueueLedger

__all__ = ["Ledger", "QueueLedger"]
