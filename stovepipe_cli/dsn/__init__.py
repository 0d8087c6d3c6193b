"""Database URLs, go-sql-driver DSNs and MySQL option files, read into values; nothing here opens a connection."""

from stovepipe_cli.dsn.option_file import OptionFile, read_option_file
from stovepipe_cli.dsn.parse import parse_database_url, parse_partial_url
from stovepipe_cli.dsn.secret import MASK, Secret
from stovepipe_cli.dsn.target import DatabaseTarget, TlsMode, TlsSettings, complete_target

__all__ = [
    "MASK",
    "DatabaseTarget",
    "OptionFile",
    "Secret",
    "TlsMode",
    "TlsSettings",
    "complete_target",
    "parse_database_url",
    "parse_partial_url",
    "read_option_file",
]
