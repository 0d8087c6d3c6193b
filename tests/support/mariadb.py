"""A private MariaDB server: its own data directory, socket and port, no configuration file, gone when closed."""

import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import pymysql
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from tests.support.mariadb_programs import (
    LOG_FILE_SIZE,
    MariaDBPrograms,
    find_programs,
    install_data_directory,
    run_as_options,
)
from tests.support.waiting import comes_true

HOST = "127.0.0.1"
DEFAULT_CHARSET = "utf8mb4"
# Debian's and MariaDB 10.11's own default for utf8mb4: case-insensitive, and trailing spaces do not count.
DEFAULT_COLLATION = "utf8mb4_general_ci"

DEADLINE_SECONDS = 60.0
# Another process can take a free port between its choice and the server's start.
PORT_TRIES = 5

Row = tuple[Any, ...]


class MariaDBServer:
    """One server process over one data directory; owns both until `close`."""

    def __init__(self, programs: MariaDBPrograms, directory: Path, options: Sequence[str]) -> None:
        self.directory = directory
        self.data_directory = directory / "data"
        self.log = directory / "error.log"
        self.port = 0
        # A socket's path has room for about a hundred bytes, and a test's directory can be longer.
        self._socket_directory = Path(tempfile.mkdtemp(prefix="stovepipe-", dir="/tmp"))
        self.socket = self._socket_directory / "s"
        self._programs = programs
        # Arguments of the next start.
        self.options = tuple(options)
        self.environment: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)

    @classmethod
    def start(
        cls,
        directory: Path,
        *,
        template: Path | None = None,
        charset: str = DEFAULT_CHARSET,
        collation: str = DEFAULT_COLLATION,
        options: Sequence[str] = (),
    ) -> Self:
        """Start a server in the empty or absent `directory`; with `template`, on a copy of that data directory.

        `options` are further arguments of mariadbd; they win over the defaults of this class.
        """
        programs = find_programs(os.environ.get("PATH", ""))
        if programs is None:
            raise RuntimeError("mariadbd or mariadb-install-db is not installed")
        directory.mkdir(parents=True, exist_ok=True)
        server = cls(
            programs, directory, [f"--character-set-server={charset}", f"--collation-server={collation}", *options]
        )
        try:
            if template is None:
                install_data_directory(programs, server.data_directory)
            else:
                shutil.copytree(template, server.data_directory)
            server._launch_on_a_free_port()
        except BaseException:
            server.close()
            raise
        return server

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def url(
        self, database: str, *, user: str = "root", password: str | None = None, driver: str = "mysql+pymysql"
    ) -> str:
        credentials = quote(user, safe="") + ("" if password is None else ":" + quote(password, safe=""))
        return f"{driver}://{credentials}@{HOST}:{self.port}/{database}"

    def connect(self, database: str | None = None, *, user: str = "root", password: str = "") -> "Connection[Cursor]":
        """An autocommitting connection; the caller closes it."""
        return pymysql.connect(
            host=HOST, port=self.port, user=user, password=password, database=database, autocommit=True
        )

    def execute(
        self, sql: str, parameters: Sequence[object] | None = None, *, database: str | None = None
    ) -> list[Row]:
        """Run one statement as root on a connection of its own and return its rows."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return list(cursor.fetchall())

    def create_database(self, name: str, collation: str | None = None) -> str:
        """Create an empty database and return its URL; without `collation` it has the server's default."""
        suffix = "" if collation is None else f" COLLATE {collation}"
        self.execute(f"CREATE DATABASE `{name}`{suffix}")
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Drop it at once: a session that still uses it is ended, since its locks would hold the drop up."""
        for (session,) in self.execute("SELECT id FROM information_schema.processlist WHERE BINARY db = %s", (name,)):
            # It may have ended by itself meanwhile.
            with contextlib.suppress(pymysql.OperationalError):
                self.execute(f"KILL CONNECTION {session}")
        self.execute(f"DROP DATABASE `{name}`")

    def unused_name(self, prefix: str = "t") -> str:
        """A database name that this method has not given before."""
        return f"{prefix}_{next(self._numbers)}"

    def connections(self, database: str) -> int:
        """How many sessions have `database` as their current one."""
        sql = "SELECT COUNT(*) FROM information_schema.processlist WHERE BINARY db = %s"
        return int(self.execute(sql, (database,))[0][0])

    def all_connections_closed(self, database: str, *, within_seconds: float = 2.0) -> bool:
        """Whether no session uses `database`; the server forgets a closed one only a moment later, hence the wait."""
        return comes_true(lambda: self.connections(database) == 0, within_seconds=within_seconds)

    def restart(self) -> None:
        """Stop the server if it runs, and start it again on the same data, port and socket."""
        self.stop()
        if not self._launch():
            raise RuntimeError(f"mariadbd did not start again on port {self.port}:\n{self._log_tail()}")

    def stop(self) -> None:
        """Shut down in order; the data stay. No-op if it does not run."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        finally:
            self._process = None

    def kill(self) -> None:
        """End the server at once, without a word to its clients; what was committed stays."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the server and delete everything it wrote."""
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self._socket_directory, ignore_errors=True)

    def _launch_on_a_free_port(self) -> None:
        for _ in range(PORT_TRIES):
            self.port = _free_port()
            if self._launch():
                return
        raise RuntimeError(f"mariadbd did not start:\n{self._log_tail()}")

    def _launch(self) -> bool:
        """Start the process and wait until it answers; False if it ended instead."""
        arguments = [
            *_dies_with_this_process(),
            str(self._programs.server),
            "--no-defaults",
            *run_as_options(),
            f"--datadir={self.data_directory}",
            f"--socket={self.socket}",
            f"--port={self.port}",
            f"--bind-address={HOST}",
            f"--pid-file={self.directory / 'server.pid'}",
            f"--log-error={self.log}",
            "--skip-name-resolve",
            "--skip-log-bin",
            # Servers that share a directory for temporary tables delete those of each other when they start.
            f"--tmpdir={self.directory}",
            "--performance-schema=OFF",
            "--innodb-buffer-pool-size=64M",
            LOG_FILE_SIZE,
            # 2 and not 0: a commit reaches the kernel, so `kill` loses nothing that was committed.
            "--innodb-flush-log-at-trx-commit=2",
            *self.options,
        ]
        # A session of its own: an interrupt typed at the terminal is for the tests, which then close the server.
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **self.environment},
        )
        self._process = process
        answered = comes_true(lambda: process.poll() is not None or self._answers(), within_seconds=DEADLINE_SECONDS)
        if not answered or process.poll() is not None:
            self.kill()
            return False
        return True

    def _answers(self) -> bool:
        # The socket is ours by its path; on the port alone, somebody else's server could be the one that answers.
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(self.socket)) != 0:
                return False
        with contextlib.suppress(pymysql.OperationalError):
            self.connect().close()
            return True
        return False

    def _log_tail(self) -> str:
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else "(no error log)"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _dies_with_this_process() -> list[str]:
    """Prefix that ends the server when the tests are killed outright, where the system offers it.

    Linux watches the thread that started the server, so only the main thread, which lives as long as the process, asks.
    """
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    if setpriv is None or threading.current_thread() is not threading.main_thread():
        return []
    return [setpriv, "--pdeathsig", "KILL"]
