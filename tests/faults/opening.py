"""Storages that are opened with pauses and limits that suit a test."""

from dataclasses import dataclass

from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.sql.factory import SQLFactory
from stovepipe_cli.storage.sql.retry import RetryPolicy

QUEUE = "main"


@dataclass
class Pauses:
    """Notes the pauses that a storage would make, and makes none."""

    made: list[float]

    def sleep(self, seconds: float) -> None:
        self.made.append(seconds)

    @property
    def policy(self) -> RetryPolicy:
        return RetryPolicy(sleep=self.sleep, chance=lambda: 0.5)


def open_directly(url: str, policy: RetryPolicy, limits: Limits | None = None) -> StorageFactory:
    """Like `open_storage`, with pauses and limits that suit a test."""
    backend = MySQLBackend(parse_connection_url(url), limits or Limits(lock_wait_ms=1_000), is_read_only=False)
    return SQLFactory(backend, policy)
