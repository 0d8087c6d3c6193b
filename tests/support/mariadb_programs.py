"""Finds MariaDB's programs and lays a fresh data directory; starts nothing."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Beyond PATH: where Debian and Homebrew put programs that an ordinary user's PATH does not name.
SYSTEM_DIRECTORIES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/opt/mariadb/bin", "/usr/local/opt/mariadb/bin")

# A data directory remembers its redo log's size. Small, so that a copy is quick; the default is 96 MB.
LOG_FILE_SIZE = "--innodb-log-file-size=16M"


@dataclass(frozen=True, slots=True)
class MariaDBPrograms:
    server: Path
    install: Path


def find_programs(search_path: str, *, further: Sequence[str | Path] = SYSTEM_DIRECTORIES) -> MariaDBPrograms | None:
    """The server and its installer, or None unless both are there; `search_path` is in the form of PATH."""
    path = os.pathsep.join([search_path, *map(str, further)])
    server = shutil.which("mariadbd", path=path)
    install = shutil.which("mariadb-install-db", path=path)
    if server is None or install is None:
        return None
    return MariaDBPrograms(Path(server), Path(install))


def is_required(environment: Mapping[str, str]) -> bool:
    """Whether a missing MariaDB is a failure (on a build server) rather than a skip (on a laptop)."""
    return environment.get("CI", "").lower() not in {"", "0", "false"}


def run_as_options() -> list[str]:
    """The server refuses to run as root unless it is told to."""
    return ["--user=root"] if os.geteuid() == 0 else []


def install_data_directory(programs: MariaDBPrograms, directory: Path) -> None:
    """Create `directory` with MariaDB's system tables and a root user without password."""
    completed = subprocess.run(
        [
            str(programs.install),
            "--no-defaults",
            f"--datadir={directory}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
            LOG_FILE_SIZE,
            *run_as_options(),
        ],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if completed.returncode != 0:
        raise RuntimeError(f"mariadb-install-db failed ({completed.returncode}):\n{completed.stdout}{completed.stderr}")
