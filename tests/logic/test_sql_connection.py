"""URLs of databases as a library user writes them."""

import subprocess
import sys

import pytest

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.storage.connection import ConnectionSpec, parse_connection_url
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage


def test_a_server_is_taken_apart() -> None:
    spec = parse_connection_url(
        "mysql+pymysql://us%40er:p%2Fw@db.example:3307/stove%20pipe?ssl_mode=VERIFY_CA&ssl_ca=/x"
    )
    assert (spec.backend, spec.driver, spec.host, spec.port) == ("mysql", "pymysql", "db.example", 3307)
    assert (spec.user, spec.credentials(), spec.database) == ("us@er", "p/w", "stove pipe")
    assert spec.tls == {"mode": "verify-ca", "ca": "/x"}
    assert spec.place == "db.example:3307/stove pipe"


def test_a_socket_is_taken_from_the_query() -> None:
    spec = parse_connection_url("mysql://root@localhost/p?unix_socket=/run/s&charset=utf8mb4")
    assert (spec.driver, spec.socket, spec.credentials()) == (None, "/run/s", None)
    assert spec.place == "/run/s/p"


@pytest.mark.parametrize(
    ("url", "path"), [("sqlite:///a%20b.db", "a b.db"), ("sqlite:////var/x.db", "/var/x.db"), ("sqlite:///x?y", "x")]
)
def test_a_file_is_relative_after_three_slashes_and_absolute_after_four(url: str, path: str) -> None:
    assert parse_connection_url(url) == ConnectionSpec("sqlite", path=path)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mysql",
        "postgresql://user:sentinel@host/db",
        "mysql://user:sentinel@host",
        "mysql://user:sentinel@host:port/db",
        "mysql://user:sentinel@host/db/more",
        "mysql://user:sentinel@host/db?unknown=1",
        "mysql://user:sentinel@host/db?ssl_mode=maybe",
        "sqlite://",
        "sqlite://sentinel/x",
    ],
)
def test_what_is_no_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_connection_url(url)
    assert "sentinel" not in caught.value.message + str(caught.value.hint)


def test_a_spec_never_shows_its_password() -> None:
    assert "sentinel" not in repr(parse_connection_url("mysql://user:sentinel@host/db"))


def test_memory_is_opened_by_url() -> None:
    with open_storage("memory://") as factory:
        storage: Storage = factory.for_queue("main")
        assert storage.request_log.list("7") == ()


def test_importing_storage_loads_no_sql() -> None:
    program = (
        "import sys; import stovepipe_cli.storage;"
        "print(*{'sqlalchemy', 'pymysql', 'MySQLdb', 'sqlite3'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")
