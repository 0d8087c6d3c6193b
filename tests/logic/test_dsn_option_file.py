"""MySQL option files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.dsn import OptionFile, Secret, TlsSettings, read_option_file
from stovepipe_cli.dsn.option_file import parse_option_file
from stovepipe_cli.errors import ConfigError

SENTINEL = "hunter2sentinel"
PATH = Path("my.cnf")


def parse(text: str) -> OptionFile:
    return parse_option_file(text, PATH, is_public=False)


def test_the_client_group_describes_a_connection() -> None:
    text = """
[client]
user = audit
password=secret
host=db.example.com
port=3307
database=submitqueue
connect_timeout=7
ssl-ca=/ca.pem
ssl_cert=/cert.pem
ssl-key=/key.pem

[mysqld]
user=mysql
"""
    assert parse(text) == OptionFile(
        PATH,
        user="audit",
        password=Secret("secret"),
        host="db.example.com",
        port=3307,
        database="submitqueue",
        tls=TlsSettings("verify-ca", ca="/ca.pem", cert="/cert.pem", key="/key.pem"),
        connect_timeout_ms=7_000,
    )


@pytest.mark.parametrize("order", [("client", "stovepipe"), ("stovepipe", "client")])
def test_the_tool_s_own_group_wins_over_the_client_group(order: tuple[str, str]) -> None:
    users = {"client": "everyone", "stovepipe": "audit"}
    text = "\n".join(f"[{group}]\nuser={users[group]}" for group in order)
    assert parse(text).user == "audit"


def test_a_later_line_wins_over_an_earlier_one() -> None:
    assert parse("[client]\nuser=a\nuser=b\n").user == "b"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("plain", "plain"),
        ("  spaced out  ", "spaced out"),
        ("'single'", "single"),
        ('"double"', "double"),
        ("'with # hash'", "with # hash"),
        ("cut # here", "cut"),
        ("semi;colon", "semi;colon"),
        ("a=b", "a=b"),
        (r"tab\tnewline\nspace\sback\\slash", "tab\tnewline\nspace back\\slash"),
        (r"'quo\'te'", "quo'te"),
        (r"other\x", r"other\x"),
        ("'", "'"),
    ],
)
def test_values_are_read_as_mysql_reads_them(written: str, meant: str) -> None:
    assert parse(f"[client]\npassword={written}\n").password == Secret(meant)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_any_password_survives_quoted(password: str) -> None:
    quoted = password.replace("\\", "\\\\").replace('"', '\\"')
    assert parse(f'[client]\npassword="{quoted}"\n').password == Secret(password)


def test_comments_and_empty_lines_are_passed_over() -> None:
    assert parse("# one\n; two\n\n[client] # three\n  # four\nuser=audit\n").user == "audit"


def test_a_password_without_a_value_is_no_password() -> None:
    assert parse("[client]\npassword\n").password is None


def test_other_programs_settings_are_named_as_ignored() -> None:
    assert parse("[client]\nprompt=x\nloose-local-infile\nuser=a\n").ignored == ("prompt", "local-infile")


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        ("ssl-mode=VERIFY_IDENTITY\nssl-ca=/x", "verify-identity"),
        ("ssl-mode=required", "required"),
        ("ssl-verify-server-cert", "verify-identity"),
        ("ssl-verify-server-cert=0", "required"),
        ("user=a", "unset"),
    ],
)
def test_tls_modes_are_mysql_s(lines: str, mode: str) -> None:
    assert parse(f"[client]\n{lines}\n").tls.mode == mode


@pytest.mark.parametrize(("protocol", "expected"), [("TCP", ("db", None)), ("socket", (None, "/x.sock"))])
def test_a_protocol_decides_between_host_and_socket(protocol: str, expected: tuple[str | None, str | None]) -> None:
    found = parse(f"[client]\nhost=db\nsocket=/x.sock\nprotocol={protocol}\n")
    assert (found.host, found.socket) == expected


@pytest.mark.parametrize(
    "line",
    [
        "ssl-cipher=x",
        "ssl",
        "skip-ssl",
        "tls-version=TLSv1.3",
        "ssl-capath=/x",
        "ssl-mode=maybe",
        "protocol=pipe",
        "port=70000",
        "port=x",
        "connect-timeout=x",
        "!include /etc/my.cnf",
        "[broken",
    ],
)
def test_what_cannot_be_honoured_is_refused(line: str) -> None:
    with pytest.raises(ConfigError, match=r"my\.cnf") as caught:
        parse(f"[client]\npassword={SENTINEL}\n{line}\n")
    assert caught.value.hint
    assert SENTINEL not in f"{caught.value} {caught.value.hint}"


def test_an_unknown_setting_in_the_tool_s_own_group_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"line 2.*'pasword'") as caught:
        parse("[stovepipe]\npasword=x\n")
    assert caught.value.hint == "did you mean 'password'?"


@pytest.mark.parametrize(("mode", "warnings"), [(0o644, 1), (0o600, 0), (0o640, 0)])
def test_a_password_that_everybody_can_read_is_warned_about(tmp_path: Path, mode: int, warnings: int) -> None:
    file = tmp_path / "my.cnf"
    file.write_text(f"[client]\npassword={SENTINEL}\n")
    file.chmod(mode)
    found = read_option_file(file)
    assert len(found.warnings) == warnings
    assert SENTINEL not in "".join(found.warnings)


def test_a_public_file_without_a_password_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text("[client]\nuser=a\n")
    file.chmod(0o644)
    assert read_option_file(file).warnings == ()


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.cnf"):
        read_option_file(tmp_path / "absent.cnf")


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_bytes(b"[client]\npassword=\xff\n")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_option_file(file)
