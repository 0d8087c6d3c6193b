"""What the other tests rely on when they ask for a MariaDB server."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pymysql
import pytest
from sqlalchemy.engine import make_url

from tests.support.mariadb import HOST, MariaDBServer
from tests.support.mariadb_programs import MariaDBPrograms, find_programs, is_required
from tests.support.waiting import comes_true


def test_the_server_listens_on_a_port_and_socket_of_its_own(mariadb: MariaDBServer) -> None:
    with pymysql.connect(unix_socket=str(mariadb.socket), user="root") as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port, @@datadir, @@bind_address")
        settings = cursor.fetchone()
    assert settings == (str(mariadb.socket), mariadb.port, f"{mariadb.data_directory}/", HOST)


def test_two_servers_live_side_by_side(mariadb: MariaDBServer, own_mariadb: MariaDBServer) -> None:
    own_mariadb.create_database("only_here")

    assert own_mariadb.port != mariadb.port
    assert ("only_here",) in own_mariadb.execute("SHOW DATABASES")
    assert ("only_here",) not in mariadb.execute("SHOW DATABASES")


def test_the_default_collation_ignores_case_and_trailing_spaces(mariadb: MariaDBServer, mariadb_database: str) -> None:
    assert mariadb.execute("SELECT 'a' = 'A '", database=make_url(mariadb_database).database) == [(1,)]


def test_a_database_with_a_binary_no_pad_collation_compares_bytes(mariadb: MariaDBServer) -> None:
    name = mariadb.unused_name()
    mariadb.create_database(name, collation="utf8mb4_nopad_bin")
    mariadb.execute("CREATE TABLE word (text VARCHAR(9) PRIMARY KEY)", database=name)
    mariadb.execute("INSERT INTO word VALUES ('a')", database=name)

    found = mariadb.execute("SELECT text FROM word WHERE text IN ('A', 'a ', 'A ')", database=name)
    mariadb.drop_database(name)

    assert found == []


def test_charset_and_collation_of_the_server_can_be_chosen(mariadb_template: Path, tmp_path: Path) -> None:
    with MariaDBServer.start(
        tmp_path / "server", template=mariadb_template, charset="latin1", collation="latin1_swedish_ci"
    ) as server:
        assert server.execute("SELECT @@character_set_server, @@collation_server") == [("latin1", "latin1_swedish_ci")]


def test_committed_rows_survive_kill_and_restart(own_mariadb: MariaDBServer) -> None:
    own_mariadb.create_database("kept")
    own_mariadb.execute("CREATE TABLE number (n INT PRIMARY KEY)", database="kept")
    own_mariadb.execute("INSERT INTO number VALUES (1), (2)", database="kept")
    port = own_mariadb.port

    own_mariadb.kill()
    assert not own_mariadb.is_running
    own_mariadb.restart()

    assert own_mariadb.execute("SELECT n FROM number ORDER BY n", database="kept") == [(1,), (2,)]
    assert own_mariadb.port == port


def test_a_database_url_opens_that_database_as_that_user(mariadb: MariaDBServer, mariadb_database: str) -> None:
    name = make_url(mariadb_database).database
    assert name is not None
    mariadb.execute("CREATE USER 'o/p'@'%%' IDENTIFIED BY %s", ("a:b@c/d",))
    mariadb.execute(f"GRANT SELECT ON `{name}`.* TO 'o/p'@'%'")
    url = make_url(mariadb.url(name, user="o/p", password="a:b@c/d"))

    connection = pymysql.connect(
        host=url.host, port=url.port or 0, user=url.username, password=url.password or "", database=url.database
    )
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT USER(), DATABASE()")
        opened = cursor.fetchone()
    mariadb.execute("DROP USER 'o/p'@'%'")

    assert opened == (f"o/p@{HOST}", name)


def test_an_open_connection_to_a_database_is_noticed(mariadb: MariaDBServer, mariadb_database: str) -> None:
    name = make_url(mariadb_database).database
    assert name is not None
    with contextlib.closing(mariadb.connect(name)):
        assert not mariadb.all_connections_closed(name, within_seconds=0)
    assert mariadb.all_connections_closed(name)


def test_a_forgotten_transaction_does_not_hold_up_the_drop_of_its_database(mariadb: MariaDBServer) -> None:
    name = mariadb.unused_name()
    mariadb.create_database(name)
    mariadb.execute("CREATE TABLE number (n INT PRIMARY KEY)", database=name)
    with contextlib.closing(mariadb.connect(name)) as connection, connection.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("INSERT INTO number VALUES (1)")
        mariadb.drop_database(name)

    assert (name,) not in mariadb.execute("SHOW DATABASES")


def test_close_ends_the_process_and_leaves_no_file(mariadb_template: Path, tmp_path: Path) -> None:
    server = MariaDBServer.start(tmp_path / "server", template=mariadb_template)
    process_id = int((server.directory / "server.pid").read_text())

    server.close()

    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    assert not server.directory.exists()
    assert not server.socket.parent.exists()


def test_an_option_that_the_server_refuses_is_reported_with_its_log(mariadb_template: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no-such-option"):
        MariaDBServer.start(tmp_path / "server", template=mariadb_template, options=["--no-such-option"])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a process to the one that started it")
def test_the_server_ends_when_the_tests_are_killed(mariadb_template: Path, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from tests.support.mariadb import MariaDBServer;"
        "server = MariaDBServer.start(Path(sys.argv[1]), template=Path(sys.argv[2]));"
        "print(server.port, server.socket.parent, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "server"), str(mariadb_template)],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    port, socket_directory = completed.stdout.split()
    ended = comes_true(lambda: not accepts_connections(int(port)), within_seconds=10)
    shutil.rmtree(socket_directory)

    assert ended


def accepts_connections(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0


def test_programs_are_found_only_where_both_are(tmp_path: Path) -> None:
    def add(name: str) -> None:
        program = tmp_path / name
        program.touch()
        program.chmod(0o755)

    add("mariadbd")
    assert find_programs("", further=[tmp_path]) is None
    add("mariadb-install-db")
    assert find_programs("", further=[tmp_path]) == MariaDBPrograms(
        server=tmp_path / "mariadbd", install=tmp_path / "mariadb-install-db"
    )


@pytest.mark.parametrize(
    ("environment", "required"),
    [({}, False), ({"CI": ""}, False), ({"CI": "false"}, False), ({"CI": "true"}, True), ({"CI": "1"}, True)],
)
def test_a_missing_server_fails_only_on_a_build_server(environment: dict[str, str], *, required: bool) -> None:
    assert is_required(environment) is required
