"""Which database is chosen, and what of the profile belongs to it."""

from pathlib import Path

import pytest

from stovepipe_cli.config import Config, resolve
from stovepipe_cli.dsn import DatabaseTarget, TlsSettings
from stovepipe_cli.errors import ConfigError, InvalidInput, UsageError

FLAG = "mysql://flag@flag-host/submitqueue"
VARIABLE = "mysql://variable@variable-host/submitqueue"
SERVICE = "root:root@tcp(mysql-app:3306)/submitqueue?parseTime=true"
PROFILE = "database_url: mysql://profile@profile-host/submitqueue"


def configure(home: Path, profile: str | None = None, flags: dict[str, object] | None = None, **environ: str) -> Config:
    if profile is not None:
        lines = "".join(f"    {line}\n" for line in profile.splitlines())
        file = home / "config.yaml"
        file.write_text(f"default_profile: prod\nprofiles:\n  prod:\n{lines}")
        file.chmod(0o600)
        environ["STOVEPIPE_CONFIG"] = str(file)
    return resolve(flags or {}, environ, home=home)


def target(config: Config) -> DatabaseTarget:
    return config.require_database().target


def embed(home: Path) -> Path:
    file = home / ".local/share/stovepipe/stovepipe.db"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def test_the_flag_is_asked_first(tmp_path: Path) -> None:
    config = configure(
        tmp_path, PROFILE, {"database_url": FLAG}, STOVEPIPE_DATABASE_URL=VARIABLE, STORAGE_MYSQL_DSN=SERVICE
    )
    assert (target(config).host, config.database.origin) == ("flag-host", "flag --database-url")


def test_the_environment_is_asked_before_the_profile(tmp_path: Path) -> None:
    config = configure(tmp_path, PROFILE, STOVEPIPE_DATABASE_URL=VARIABLE, STORAGE_MYSQL_DSN=SERVICE)
    assert (target(config).host, config.database.origin) == ("variable-host", "environment STOVEPIPE_DATABASE_URL")


def test_the_profile_is_asked_before_the_service_s_variable(tmp_path: Path) -> None:
    config = configure(tmp_path, PROFILE, STORAGE_MYSQL_DSN=SERVICE)
    assert (target(config).host, config.service_dsn_only) == ("profile-host", False)
    assert config.database.origin == f"profile 'prod' ({tmp_path}/config.yaml)"


def test_the_service_s_variable_alone_is_marked(tmp_path: Path) -> None:
    config = configure(tmp_path, STORAGE_MYSQL_DSN=SERVICE)
    assert (target(config).host, config.service_dsn_only) == ("mysql-app", True)
    secret = config.require_database().credentials()
    assert secret is not None
    assert secret.reveal() == "root"


def test_the_service_s_variable_is_asked_before_the_embedded_database(tmp_path: Path) -> None:
    embed(tmp_path)
    assert target(configure(tmp_path, STORAGE_MYSQL_DSN=SERVICE)).host == "mysql-app"


def test_the_embedded_database_is_used_once_it_exists(tmp_path: Path) -> None:
    file = embed(tmp_path)
    config = configure(tmp_path)
    assert (target(config), config.database.is_default) == (DatabaseTarget("sqlite", path=str(file)), True)


def test_the_data_directory_can_be_moved(tmp_path: Path) -> None:
    config = resolve({}, {"XDG_DATA_HOME": str(tmp_path / "data")}, home=tmp_path, may_create_embedded=True)
    assert target(config).path == f"{tmp_path}/data/stovepipe/stovepipe.db"


def test_a_relative_data_directory_is_ignored(tmp_path: Path) -> None:
    config = resolve({}, {"XDG_DATA_HOME": "data"}, home=tmp_path, may_create_embedded=True)
    assert target(config).path == f"{tmp_path}/.local/share/stovepipe/stovepipe.db"


def test_with_nothing_configured_the_error_says_what_was_looked_at(tmp_path: Path) -> None:
    config = configure(tmp_path)
    assert config.database.value is None
    with pytest.raises(ConfigError) as caught:
        config.require_database()
    for place in ("--database-url", "STOVEPIPE_DATABASE_URL", "config.yaml", "STORAGE_MYSQL_DSN", "stovepipe.db"):
        assert place in str(caught.value)
    assert (caught.value.exit_code, caught.value.hint) == (2, "try: stovepipe demo, or stovepipe config init")


def test_a_profile_about_a_server_never_falls_back_to_the_embedded_database(tmp_path: Path) -> None:
    embed(tmp_path)
    config = configure(tmp_path, "protected: true")
    with pytest.raises(ConfigError, match="not what profile 'prod'"):
        config.require_database()


def test_a_profile_of_preferences_leaves_the_embedded_database_alone(tmp_path: Path) -> None:
    file = embed(tmp_path)
    assert target(configure(tmp_path, "time_zone: UTC")).path == str(file)


def test_a_relative_sqlite_path_of_a_profile_starts_at_the_profile_file(tmp_path: Path) -> None:
    assert target(configure(tmp_path, "database_url: sqlite:///data/x.db")).path == f"{tmp_path}/data/x.db"


def test_a_password_in_a_flag_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        configure(tmp_path, None, {"database_url": "mysql://user:secret@db/submitqueue"})


@pytest.mark.parametrize("name", ["read_url", "lag_url", "ledger_url"])
def test_a_password_in_any_other_url_flag_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        configure(tmp_path, None, {name: "mysql://user:secret@db/submitqueue"})


def test_a_url_that_cannot_be_read_is_refused_with_its_origin(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="environment STOVEPIPE_DATABASE_URL"):
        configure(tmp_path, STOVEPIPE_DATABASE_URL="mysql://db")
    with pytest.raises(ConfigError, match=r"profile 'prod'.*'database_url'"):
        configure(tmp_path, "database_url: oracle://db/x")


def test_tls_files_of_a_profile_turn_verification_on(tmp_path: Path) -> None:
    config = configure(tmp_path, f"{PROFILE}\ntls: {{ca: ca.pem}}")
    assert target(config).tls == TlsSettings("verify-identity", ca=f"{tmp_path}/ca.pem")


@pytest.mark.parametrize(("verify", "mode"), [("true", "verify-identity"), ("ca", "verify-ca"), ("false", "required")])
def test_verify_chooses_the_tls_mode(tmp_path: Path, verify: str, mode: str) -> None:
    assert target(configure(tmp_path, f"{PROFILE}\ntls: {{verify: {verify}}}")).tls.mode == mode


def test_url_and_profile_that_contradict_each_other_about_tls_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'required'.*'verify-identity'"):
        configure(tmp_path, f"{PROFILE}?tls=skip-verify\ntls: {{verify: true}}")


CONNECTION = f"""{PROFILE}
password_env: PROD_PASSWORD
read_url: mysql://replica/
database_id: prod
queues: [main]
history_since: 100
tls: {{verify: true}}"""


def test_a_profile_s_keys_do_not_follow_to_another_database(tmp_path: Path) -> None:
    config = configure(tmp_path, CONNECTION, {"database_url": FLAG}, PROD_PASSWORD="secret")
    assert config.require_database().credentials() is None
    assert target(config).tls.mode == "unset"
    assert (config.read_database.value, config.database_id.value, config.queue.value) == (None, None, None)
    assert config.history_since.value is None
    (warning,) = config.warnings
    assert "read_url, database_id, password_env, tls, queues, history_since" in warning


def test_a_profile_s_keys_follow_to_the_same_database_under_another_user(tmp_path: Path) -> None:
    flags: dict[str, object] = {"database_url": "root@tcp(profile-host:3306)/submitqueue"}
    config = configure(tmp_path, CONNECTION, flags, PROD_PASSWORD="secret")
    assert (target(config).user, target(config).tls.mode) == ("root", "verify-identity")
    assert config.require_database().credentials() is not None
    assert (config.database_id.value, config.queue.value, config.warnings) == ("prod", "main", ())


def test_a_profile_without_a_database_lends_its_keys_to_any(tmp_path: Path) -> None:
    config = configure(tmp_path, "password_env: PROD_PASSWORD", {"database_url": FLAG}, PROD_PASSWORD="secret")
    assert config.require_database().credentials() is not None
