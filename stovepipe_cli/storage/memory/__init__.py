"""Storage in dictionaries behind a lock: the independent model that the SQL backends are judged against."""

from stovepipe_cli.storage.memory.factory import MemoryFactory

__all__ = ["MemoryFactory"]
