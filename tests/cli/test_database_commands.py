"""`db check` and `db ping` on a real server."""

import contextlib

import pytest

from tests.cli.running import Program
from tests.support.mariadb import MariaDBServer


@pytest.fixture
def service(program: Program, mariadb_service_database: str) -> Program:
    """The program on the service's own tables."""
    program.environ["STOVEPIPE_DATABASE_URL"] = mariadb_service_database
    return program


def test_check_names_each_difference_with_collation_and_server_version(
    service: Program, mariadb: MariaDBServer, mariadb_service_database: str
) -> None:
    name = mariadb_service_database.rpartition("/")[2]
    mariadb.execute("ALTER TABLE request DROP COLUMN base_uri, ADD COLUMN colour INT", database=name)
    result = service("db", "check", "-o", "json")
    data = result.document["data"]
    version = str(mariadb.execute("SELECT VERSION()")[0][0])
    found = {(item["kind"], item["table"], item["column"]): item for item in data["items"]}
    assert (data["backend"], data["server_version"]) == ("mysql", version)
    assert found["collation-not-byte-exact", "request", "id"]["found"] == "utf8mb4_general_ci"
    assert ("column-absent", "request", "base_uri") in found
    assert ("column-unknown", "request", "colour") in found
    assert ("table-absent", "open_issue", "") in found
    table = service("db", "check", "-o", "table").stdout
    for words in (version, "utf8mb4_general_ci", "base_uri", "colour", "open_issue"):
        assert words in table


def test_ping_waits_until_the_server_is_there(program: Program, own_mariadb: MariaDBServer) -> None:
    program.environ["STOVEPIPE_DATABASE_URL"] = own_mariadb.create_database("late")
    own_mariadb.stop()

    class Starting(type(program.clock)):  # type: ignore[misc]  # a clock whose passing starts the server
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.slept > 3 and not own_mariadb.is_running:
                own_mariadb.restart()

    program.clock = Starting()
    assert program("db", "ping").code == 6
    result = program("db", "ping", "--wait", "60s", "-o", "json")
    assert (result.code, result.document["data"]["database"]) == (0, "late")
    assert 3 < program.clock.slept < 10


def test_ping_does_not_wait_for_a_password_to_become_right(program: Program, mariadb: MariaDBServer) -> None:
    mariadb.execute("CREATE USER 'locked'@'127.0.0.1' IDENTIFIED BY 'right'")
    with contextlib.ExitStack() as stack:
        stack.callback(mariadb.execute, "DROP USER 'locked'@'127.0.0.1'")
        program.environ["STOVEPIPE_DATABASE_URL"] = mariadb.url("mysql", user="locked")
        result = program("db", "ping", "--wait", "1h")
    assert (result.code, program.clock.slept) == (6, 0)
