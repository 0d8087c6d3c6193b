"""SQL scripts run by the servers' own clients, as an administrator runs them."""

import contextlib
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.support.mariadb import HOST, MariaDBServer


def run_in_sqlite(path: Path, script: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def run_in_mariadb(server: MariaDBServer, database: str, script: str) -> None:
    client = shutil.which("mariadb") or shutil.which("mysql")
    if client is None:
        pytest.skip("no MariaDB client is installed")
    argv = [client, "--no-defaults", f"--host={HOST}", f"--port={server.port}", "--user=root", database]
    subprocess.run(argv, input=script.encode(), check=True, capture_output=True)
