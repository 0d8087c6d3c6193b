"""A password that comes from a file or a command is looked up anew for every connection, and once more when refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Program
from tests.support.mariadb import HOST, MariaDBServer

PASSWORD = "sentinel-of-a-password"
STALE = "sentinel-of-a-stale-one"


@pytest.fixture
def user(mariadb: MariaDBServer) -> Iterator[str]:
    name = mariadb.unused_name()[:60]
    mariadb.execute(f"CREATE USER '{name}'@'%' IDENTIFIED BY '{PASSWORD}'")
    yield name
    mariadb.execute(f"DROP USER '{name}'@'%'")


def write_profile(program: Program, server: MariaDBServer, user: str, source: str) -> Path:
    """A profile whose password comes from there; its directory."""
    directory = program.home / ".config/stovepipe"
    directory.mkdir(parents=True)
    file = directory / "config.yaml"
    file.write_text(
        "default_profile: p\nprofiles:\n  p:\n"
        f"    database_url: mysql://{user}@{HOST}:{server.port}/information_schema\n    {source}\n"
    )
    file.chmod(0o600)
    return directory


def write_secret(path: Path, secret: str) -> None:
    path.write_text(f"{secret}\n")
    path.chmod(0o600)


def test_a_password_file_that_was_changed_counts_at_the_next_connection(
    program: Program, mariadb: MariaDBServer, user: str
) -> None:
    secret = write_profile(program, mariadb, user, "password_file: secret") / "secret"
    write_secret(secret, STALE)
    refused = program("db", "ping")
    write_secret(secret, PASSWORD)
    assert (refused.code, program("db", "ping").code) == (6, 0)
    assert STALE not in refused.stderr
    assert "'stovepipe config show' tells where the password comes from" in refused.stderr


def test_a_command_is_asked_once_more_where_its_password_is_refused(
    program: Program, mariadb: MariaDBServer, user: str
) -> None:
    script = program.home / "ask"
    write_profile(program, mariadb, user, f"password_command: {script}")
    asked = program.home / "asked"
    # As a cache of passwords does that is brought up to date behind the first question.
    script.write_text(f"#!/bin/sh\nif [ -e {asked} ]; then echo {PASSWORD}; else echo {STALE}; fi\necho >>{asked}\n")
    script.chmod(0o700)
    assert program("db", "ping").code == 0
    assert asked.read_text() == "\n\n"


def test_a_command_whose_password_stays_wrong_is_asked_twice_and_no_more(
    program: Program, mariadb: MariaDBServer, user: str
) -> None:
    script = program.home / "ask"
    write_profile(program, mariadb, user, f"password_command: {script}")
    asked = program.home / "asked"
    script.write_text(f"#!/bin/sh\necho {STALE}\necho >>{asked}\n")
    script.chmod(0o700)
    result = program("db", "ping")
    assert (result.code, result.stdout) == (6, "")
    assert STALE not in result.stderr
    assert asked.read_text() == "\n\n"
