"""Database URLs with a scheme."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.dsn import DatabaseTarget, Secret, TlsSettings, parse_database_url
from stovepipe_cli.errors import InvalidInput

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
PRINTABLE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)


def parse(text: str) -> DatabaseTarget:
    return parse_database_url(text, from_argv=False)


@pytest.mark.parametrize(
    ("scheme", "driver"),
    [
        ("mysql", None),
        ("MySQL", None),
        ("mariadb", None),
        ("mysql+pymysql", "pymysql"),
        ("mysql+mysqldb", "mysqldb"),
    ],
)
def test_mysql_schemes_are_read_whole(scheme: str, driver: str | None) -> None:
    target = parse(f"{scheme}://user:secret@db.example.com:3307/submitqueue")
    assert (target.backend, target.driver, target.host, target.port, target.database, target.user, target.password) == (
        "mysql",
        driver,
        "db.example.com",
        3307,
        "submitqueue",
        "user",
        Secret("secret"),
    )


@given(user=PRINTABLE, password=ANY_TEXT, database=PRINTABLE)
def test_percent_encoded_parts_survive(user: str, password: str, database: str) -> None:
    target = parse(f"mysql://{quote(user, safe='')}:{quote(password, safe='')}@db/{quote(database, safe='')}")
    assert (target.user, target.password, target.database) == (user, Secret(password), database)


@given(user=PRINTABLE, database=PRINTABLE)
def test_the_display_of_a_target_without_a_password_reads_back_as_the_same_target(user: str, database: str) -> None:
    target = DatabaseTarget("mysql", host="db", port=3306, user=user, database=database)
    assert parse(target.display) == target


def test_a_plus_in_a_password_is_a_plus() -> None:
    assert parse("mysql://user:a+b@db/submitqueue").password == Secret("a+b")


@pytest.mark.parametrize(
    ("authority", "host", "port"),
    [("db", "db", 3306), ("[::1]:3307", "::1", 3307), ("[::1]", "::1", 3306), ("", "127.0.0.1", 3306)],
)
def test_addresses_have_defaults(authority: str, host: str, port: int) -> None:
    target = parse(f"mysql://{authority}/submitqueue")
    assert (target.host, target.port) == (host, port)


def test_a_socket_replaces_the_address() -> None:
    target = parse("mysql://user@localhost/submitqueue?unix_socket=/run/mysqld/mysqld.sock")
    assert (target.host, target.port, target.socket) == (None, None, "/run/mysqld/mysqld.sock")


@pytest.mark.parametrize(
    ("query", "tls"),
    [
        ("ssl_ca=/ca.pem", TlsSettings("verify-identity", ca="/ca.pem")),
        ("ssl_ca=/ca.pem&ssl_check_hostname=false", TlsSettings("verify-ca", ca="/ca.pem")),
        ("ssl_mode=REQUIRED", TlsSettings("required")),
        ("ssl_cert=/c.pem&ssl_key=/k.pem", TlsSettings("verify-identity", cert="/c.pem", key="/k.pem")),
        ("tls=skip-verify", TlsSettings("required")),
    ],
)
def test_tls_parameters_are_honoured(query: str, tls: TlsSettings) -> None:
    assert parse(f"mysql://db/submitqueue?{query}").tls == tls


def test_time_limits_are_seconds() -> None:
    target = parse("mysql://db/submitqueue?connect_timeout=5&read_timeout=0.0001&write_timeout=0")
    assert (target.connect_timeout_ms, target.read_timeout_ms, target.write_timeout_ms) == (5_000, 1, None)


@pytest.mark.parametrize(
    "parameter",
    [
        "init_command=SET+x",
        "charset=latin1",
        "ssl_mode=maybe",
        "ssl_mode=DISABLED&ssl_check_hostname=true",
        "ssl_ca=",
        "unix_socket=relative",
        "connect_timeout=5s",
        "timeout=5s",
    ],
)
def test_a_parameter_that_cannot_be_honoured_is_refused_by_name(parameter: str) -> None:
    name = parameter.rpartition("&")[2].partition("=")[0]
    with pytest.raises(InvalidInput, match=f"'{name}'"):
        parse(f"mysql://db/submitqueue?{parameter}")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///stovepipe.db", "stovepipe.db"),
        ("sqlite:////var/lib/stovepipe.db", "/var/lib/stovepipe.db"),
        ("sqlite:///a%20b%3F.db", "a b?.db"),
        ("sqlite:///with space#1.db", "with space#1.db"),
        ("sqlite+pysqlite:///x.db", "x.db"),
    ],
)
def test_sqlite_urls_name_a_file(url: str, path: str) -> None:
    assert parse(url) == DatabaseTarget("sqlite", path=path)


@given(path=PRINTABLE.filter(lambda text: not text.startswith("~") and text != ":memory:"))
def test_the_display_of_an_sqlite_target_reads_back_as_the_same_target(path: str) -> None:
    target = DatabaseTarget("sqlite", path=path)
    assert parse(target.display) == target


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_an_sqlite_database_in_memory_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="in memory"):
        parse(url)


def test_memory_is_the_in_memory_backend() -> None:
    assert parse("memory://") == DatabaseTarget("memory")


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://host/x.db",
        "sqlite:///x.db?mode=ro",
        "sqlite:///~/x.db",
        "memory://x",
        "mysql://db",
        "mysql://db/",
        "mysql://db:0/submitqueue",
        "mysql://db:70000/submitqueue",
        "mysql://db:abc/submitqueue",
        "mysql://[::1/submitqueue",
        "mysql://[db]/submitqueue",
        "mysql://[::1]x/submitqueue",
        "mysql://one,two/submitqueue",
        "mysql://us%zzer@db/submitqueue",
        "mysql://us%FFer@db/submitqueue",
        "mysql://db/sub%0Amit",
        "mysql://db/a/b",
        "mysql://tcp(db:3306)/submitqueue",
        "mysql://user@db/submitqueue?unix_socket=/x.sock",
        "mysql://db/submitqueue?ssl_cert=/c.pem",
        "mysql://db/submitqueue?ssl_mode=DISABLED&ssl_ca=/ca.pem",
        "mysql://db/submit\udcffqueue",
    ],
)
def test_a_malformed_url_is_refused_with_a_hint(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(url)
    assert caught.value.hint


def test_an_unknown_scheme_is_refused_with_the_spellings_there_are() -> None:
    with pytest.raises(InvalidInput, match="'postgresql'") as caught:
        parse("postgresql://db/submitqueue")
    assert "sqlite:///path" in str(caught.value.hint)
    assert "@tcp(host:3306)/" in str(caught.value.hint)


def test_a_scheme_before_a_dsn_is_refused_instead_of_guessed() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse("mysql://user:secret@tcp(db:3306)/submitqueue")
    assert "drop 'mysql://'" in str(caught.value.hint)
