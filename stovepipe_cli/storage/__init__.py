"""The storage library: contracts, and the memory, SQLite and MySQL backends that hold them."""

from stovepipe_cli.storage.connection import ConnectionSpec
from stovepipe_cli.storage.open import open_storage

__all__ = ["ConnectionSpec", "open_storage"]
