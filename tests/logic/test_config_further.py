"""Replicas, lag servers, the ledger and option files."""

from pathlib import Path

import pytest

from stovepipe_cli.config import Config, DatabaseAccess, resolve
from stovepipe_cli.dsn import DatabaseTarget
from stovepipe_cli.errors import ConfigError

PRIMARY = "mysql://audit:secret@db:3306/submitqueue?tls=true"


def reveal(access: DatabaseAccess | None) -> str | None:
    assert access is not None
    secret = access.credentials()
    return None if secret is None else secret.reveal()


def configure(home: Path, flags: dict[str, object] | None = None, **environ: str) -> Config:
    return resolve(flags or {}, {"STOVEPIPE_DATABASE_URL": PRIMARY, **environ}, home=home)


def option_file(home: Path, text: str) -> str:
    file = home / "my.cnf"
    file.write_text(f"[client]\n{text}\n")
    file.chmod(0o600)
    return str(file)


def test_a_replica_has_the_primary_s_account_database_and_tls(tmp_path: Path) -> None:
    replica = configure(tmp_path, {"read_url": "mysql://replica/"}).read_database.value
    assert replica is not None
    assert replica.target.display == "mysql://audit@replica:3306/submitqueue"
    assert replica.target.tls.mode == "verify-identity"
    assert reveal(replica) == "secret"


def test_lag_servers_can_be_several(tmp_path: Path) -> None:
    config = configure(tmp_path, {"lag_url": ["mysql://one/", "mysql://other@two/db"]})
    assert [access.target.display for access in config.lag_databases.value] == [
        "mysql://audit@one:3306/submitqueue",
        "mysql://other@two:3306/db",
    ]
    assert config.lag_databases.origin == "flag --lag-url"


def test_without_a_flag_there_are_neither_replicas_nor_lag_servers(tmp_path: Path) -> None:
    config = configure(tmp_path, {"lag_url": []})
    assert (config.read_database.value, config.lag_databases.value) == (None, ())


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({}, "HOME/.local/state/stovepipe/ledger.db"),
        ({"XDG_STATE_HOME": "/state"}, "/state/stovepipe/ledger.db"),
        (
            {"XDG_STATE_HOME": "/state", "STATE_DIRECTORY": "/var/lib/stovepipe:/var/lib/x"},
            "/var/lib/stovepipe/ledger.db",
        ),
    ],
)
def test_the_ledger_is_a_file_of_the_user_s_by_default(tmp_path: Path, environ: dict[str, str], path: str) -> None:
    config = configure(tmp_path, None, **environ)
    assert config.ledger.value is not None
    assert config.ledger.value.target == DatabaseTarget("sqlite", path=path.replace("HOME", str(tmp_path)))
    assert config.ledger.is_default


@pytest.mark.parametrize(("flags", "environ"), [({"ledger_url": "none"}, {}), ({}, {"STOVEPIPE_LEDGER_URL": "none"})])
def test_the_ledger_can_be_turned_off(tmp_path: Path, flags: dict[str, object], environ: dict[str, str]) -> None:
    config = configure(tmp_path, flags, **environ)
    assert config.ledger.value is None
    assert not config.ledger.is_default


def test_a_ledger_on_the_same_server_and_account_shares_the_password(tmp_path: Path) -> None:
    assert reveal(configure(tmp_path, {"ledger_url": "mysql://audit@db/ledger"}).ledger.value) == "secret"


def test_a_ledger_elsewhere_does_not_get_the_password(tmp_path: Path) -> None:
    assert reveal(configure(tmp_path, {"ledger_url": "mysql://audit@other/ledger"}).ledger.value) is None
    assert reveal(configure(tmp_path, {"ledger_url": "mysql://ledger@db/ledger"}).ledger.value) is None


def test_a_ledger_url_may_hold_its_own_password(tmp_path: Path) -> None:
    config = configure(tmp_path, STOVEPIPE_LEDGER_URL="mysql://l:own@other/ledger")
    assert reveal(config.ledger.value) == "own"


def test_an_option_file_alone_names_the_database(tmp_path: Path) -> None:
    file = option_file(tmp_path, "user=dba\npassword=filed\nhost=file-host\ndatabase=submitqueue")
    config = configure(tmp_path, {"defaults_file": file})
    access = config.require_database()
    assert (access.target.display, reveal(access)) == ("mysql://dba@file-host:3306/submitqueue", "filed")
    assert config.database.origin == f"flag --defaults-file ({file})"


def test_an_option_file_without_a_database_gives_the_account_for_another_source(tmp_path: Path) -> None:
    file = option_file(tmp_path, "user=dba\npassword=filed")
    config = configure(tmp_path, {"defaults_file": file})
    access = config.require_database()
    assert (access.target.display, reveal(access)) == ("mysql://dba@db:3306/submitqueue", "filed")
    assert [warning for warning in config.warnings if "differ in user" in warning]


def test_another_user_s_password_is_left_behind(tmp_path: Path) -> None:
    config = configure(tmp_path, {"defaults_file": option_file(tmp_path, "user=dba")})
    assert reveal(config.database.value) is None


def test_a_url_flag_wins_over_an_option_file_and_says_so(tmp_path: Path) -> None:
    file = option_file(tmp_path, "user=dba\npassword=filed\nhost=file-host\ndatabase=other")
    config = configure(tmp_path, {"defaults_file": file, "database_url": "mysql://flag-host/submitqueue"})
    access = config.require_database()
    assert (access.target.display, reveal(access)) == ("mysql://dba@flag-host:3306/submitqueue", "filed")
    assert [warning for warning in config.warnings if "differ in database, address; used: the database URL" in warning]


def test_an_option_file_s_socket_serves_this_machine_alone(tmp_path: Path) -> None:
    file = option_file(tmp_path, "socket=/run/mysqld.sock\nhost=localhost\ndatabase=submitqueue")
    assert configure(tmp_path, {"defaults_file": file}).require_database().target.socket == "/run/mysqld.sock"
    file = option_file(tmp_path, "socket=/run/mysqld.sock\nhost=file-host\ndatabase=submitqueue")
    assert configure(tmp_path, {"defaults_file": file}).require_database().target.host == "file-host"


def test_an_option_file_beside_an_sqlite_database_is_reported_as_unused(tmp_path: Path) -> None:
    flags: dict[str, object] = {"defaults_file": option_file(tmp_path, "user=dba"), "database_url": "sqlite:///x.db"}
    assert [warning for warning in configure(tmp_path, flags).warnings if "is not used" in warning]


def test_an_option_file_that_contradicts_the_url_about_tls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="TLS mode"):
        configure(tmp_path, {"defaults_file": option_file(tmp_path, "ssl-mode=DISABLED")})
