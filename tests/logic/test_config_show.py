"""The rows that show a configuration."""

from pathlib import Path

from stovepipe_cli.config import config_rows, resolve


def test_every_value_is_shown_with_its_origin(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("profiles: {prod: {queues: [main], protected: true, read_url: mysql://replica/, ledger_url: none}}")
    file.chmod(0o600)
    flags: dict[str, object] = {"profile": "prod", "output": "json", "yes": True, "lag_url": ["mysql://lag/"]}
    environ = {
        "STOVEPIPE_CONFIG": str(file),
        "STORAGE_MYSQL_DSN": "root:root@tcp(mysql-app:3306)/submitqueue?parseTime=true&tls=skip-verify",
    }
    service, profile = "environment STORAGE_MYSQL_DSN", "profile 'prod'"
    assert list(config_rows(resolve(flags, environ, home=tmp_path))) == [
        ("config_file", str(file), "environment STOVEPIPE_CONFIG"),
        ("profile", "prod", "flag --profile"),
        ("queue", "main", profile),
        ("queues", "main", profile),
        ("database", "mysql://root@mysql-app:3306/submitqueue", service),
        ("database.password", "in the database URL", service),
        ("database.tls", "required", service),
        ("database.without_effect", "parseTime", service),
        ("service_dsn_only", "true", service),
        ("read_database", "mysql://root@replica:3306/submitqueue", profile),
        ("read_database.password", "in the database URL", service),
        ("read_database.tls", "required", profile),
        ("lag_database", "mysql://root@lag:3306/submitqueue", "flag --lag-url"),
        ("lag_database.password", "in the database URL", service),
        ("lag_database.tls", "required", "flag --lag-url"),
        ("database_id", "-", "default"),
        ("ledger", "none", profile),
        ("protected", "true", profile),
        ("history_since", "-", "default"),
        ("expect_tables", "-", "default"),
        ("min_age", "15m", "default"),
        ("settle", "5s", "default"),
        ("clock_skew_ms", "5000", "default"),
        ("max_builds", "64", "default"),
        ("connect_timeout", "5s", "default"),
        ("statement_timeout", "30s", "default"),
        ("throttle_timeout", "10m", "default"),
        ("run_time", "-", "default"),
        ("throttle.max_lag", "-", "default"),
        ("throttle.max_load", "Threads_running=50", "default"),
        ("throttle.rate", "-", "default"),
        ("throttle.pause_file", "-", "default"),
        ("output", "json", "flag --output"),
        ("tz", "UTC", "default"),
        ("color", "auto", "default"),
        ("no_input", "false", "default"),
        ("yes", "true", "flag --yes"),
    ]


def test_nothing_configured_can_be_shown(tmp_path: Path) -> None:
    rows = {name: value for name, value, _ in config_rows(resolve({}, {}, home=tmp_path))}
    assert (rows["database"], rows["profile"], rows["queue"]) == ("-", "-", "-")
