"""The ledger in memory: the independent model that the other backends are compared with."""

from stovepipe_cli.storage.ledger.memory.ledger import MemoryLedger

__all__ = ["MemoryLedger"]
