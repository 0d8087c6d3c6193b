"""The go-sql-driver DSN."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.dsn import DatabaseTarget, Secret, TlsSettings, parse_database_url
from stovepipe_cli.errors import InvalidInput

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def parse(text: str) -> DatabaseTarget:
    return parse_database_url(text, from_argv=False)


def test_the_service_s_own_dsn_is_read_whole() -> None:
    assert parse("root:root@tcp(mysql-app:3306)/submitqueue?parseTime=true") == DatabaseTarget(
        "mysql",
        host="mysql-app",
        port=3306,
        database="submitqueue",
        user="root",
        password=Secret("root"),
        ignored=("parseTime",),
    )


@given(password=ANY_TEXT)
def test_any_password_survives_unescaped(password: str) -> None:
    target = parse(f"user:{password}@tcp(db.example.com:3307)/submitqueue?parseTime=true")
    assert (target.password, target.user, target.host, target.port, target.database) == (
        Secret(password),
        "user",
        "db.example.com",
        3307,
        "submitqueue",
    )


@pytest.mark.parametrize("password", ["p@ss", "a:b", "a/b?c=d", "100%", "x@tcp(evil:1)/y", "//a", "ü'\"\\ )("])
def test_a_password_may_hold_the_characters_that_structure_a_dsn(password: str) -> None:
    target = parse(f"user:{password}@unix(/run/mysqld/mysqld.sock)/submitqueue")
    assert (target.password, target.socket) == (Secret(password), "/run/mysqld/mysqld.sock")


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("tcp(db:3307)", "db", 3307),
        ("tcp(db)", "db", 3306),
        ("tcp(10.0.0.1:3306)", "10.0.0.1", 3306),
        ("tcp([::1]:3307)", "::1", 3307),
        ("tcp(::1)", "::1", 3306),
        ("tcp6([::1]:3306)", "::1", 3306),
        ("tcp4(127.0.0.1)", "127.0.0.1", 3306),
        ("tcp", "127.0.0.1", 3306),
        ("", "127.0.0.1", 3306),
    ],
)
def test_addresses_are_read_and_defaults_are_the_driver_s(address: str, host: str, port: int) -> None:
    target = parse(f"user@{address}/submitqueue")
    assert (target.host, target.port, target.socket) == (host, port, None)


def test_a_socket_without_a_path_is_the_driver_s_default() -> None:
    target = parse("user@unix/submitqueue")
    assert (target.host, target.port, target.socket) == (None, None, "/tmp/mysql.sock")  # noqa: S108  # the same


def test_the_database_name_is_percent_decoded() -> None:
    assert parse("user@tcp(db)/a%2Fb").database == "a/b"


def test_a_user_without_a_password_has_none() -> None:
    assert parse("user:@tcp(db)/submitqueue").password is None


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        ("true", "verify-identity"),
        ("1", "verify-identity"),
        ("skip-verify", "required"),
        ("preferred", "preferred"),
        ("false", "disabled"),
    ],
)
def test_tls_has_the_driver_s_meaning(value: str, mode: str) -> None:
    assert parse(f"user@tcp(db)/submitqueue?tls={value}").tls.mode == mode


def test_without_a_tls_parameter_nothing_is_said_about_tls() -> None:
    assert parse("user@tcp(db)/submitqueue").tls == TlsSettings()


def test_a_tls_configuration_of_the_go_program_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidInput, match="'tls'") as caught:
        parse("user@tcp(db)/submitqueue?tls=rds-combined")
    assert "tls: {ca, cert, key}" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("value", "ms"), [("5s", 5_000), ("1m30s", 90_000), ("1.5s", 1_500), ("250ms", 250), ("1us", 1), ("0", None)]
)
def test_time_limits_are_go_durations(value: str, ms: int | None) -> None:
    target = parse(f"user@tcp(db)/submitqueue?timeout={value}&readTimeout={value}&writeTimeout={value}")
    assert (target.connect_timeout_ms, target.read_timeout_ms, target.write_timeout_ms) == (ms, ms, ms)


def test_loc_is_kept_and_listed_as_without_effect() -> None:
    target = parse("user@tcp(db)/submitqueue?loc=Europe%2FBerlin")
    assert (target.time_zone, target.ignored) == ("Europe/Berlin", ("loc",))


def test_parameters_that_steer_the_go_driver_alone_are_listed_as_without_effect() -> None:
    names = ("interpolateParams", "multiStatements", "clientFoundRows", "allowNativePasswords", "rejectReadOnly")
    query = "&".join(f"{name}=true" for name in names)
    assert parse(f"user@tcp(db)/submitqueue?{query}&charset=utf8mb4,utf8&collation=utf8mb4_bin").ignored == names


@pytest.mark.parametrize(
    "parameter",
    [
        "sql_mode=ANSI",
        "time_zone=%27SYSTEM%27",
        "strict=true",
        "serverPubKey=mine",
        "allowNativePasswords=false",
        "allowOldPasswords=true",
        "allowFallbackToPlaintext=true",
        "charset=latin1",
        "collation=latin1_bin",
        "parseTime=yes",
        "parseTime",
        "timeout=5",
        "timeout=-5s",
        "maxAllowedPacket=big",
        "loc=nowhere%20at%20all",
        "tls=true&tls=true",
    ],
)
def test_a_parameter_that_cannot_be_honoured_is_refused_by_name(parameter: str) -> None:
    name = parameter.partition("=")[0]
    with pytest.raises(InvalidInput, match=f"'{name}'"):
        parse(f"user@tcp(db)/submitqueue?{parameter}")


@pytest.mark.parametrize(
    "text",
    [
        "user@tcp(db)",
        "user@tcp(db)/",
        "user@udp(db)/submitqueue",
        "user@tcp(db:0)/submitqueue",
        "user@tcp(db:65536)/submitqueue",
        "user@tcp(db:)/submitqueue",
        "user@tcp(db:3306/submitqueue",
        "user@tcp(one,two)/submitqueue",
        "user@tcp6(db)/submitqueue",
        "user@tcp4([::1])/submitqueue",
        "user@unix(relative.sock)/submitqueue",
        "user@tcp(db)/submitqueue?loc=US/Pacific",
        "user@tcp(db)/100%",
        "/submitqueue",
        "stovepipe.db",
        "/var/lib/stovepipe.db",
        "",
        " user@tcp(db)/submitqueue",
    ],
)
def test_what_is_no_dsn_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert caught.value.hint
