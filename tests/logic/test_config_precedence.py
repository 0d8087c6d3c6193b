"""Flag over environment over profile over default, and an origin for every value."""

from pathlib import Path

import pytest

from stovepipe_cli.config import Config, Setting, config_rows, resolve
from stovepipe_cli.errors import ConfigError, InvalidInput, UsageError

PROFILE = """
default_profile: prod
profiles:
  prod:
    queues: [main]
    protected: true
    history_since: 12
    expect_tables: [request_summary]
    min_age: 1h
    clock_skew_ms: 0
    max_builds: 10
    time_zone: Europe/Berlin
    throttle: {max_lag: 10s, max_load: "Threads_running=20,Threads_connected=400", rate: 500, pause_file: pause}
  other: {queues: [one, two]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(PROFILE)
    return path


def configure(file: Path, flags: dict[str, object] | None = None, **environ: str) -> Config:
    return resolve(flags or {}, {"STOVEPIPE_CONFIG": str(file), **environ}, home=file.parent)


def test_a_flag_wins_over_everything(file: Path) -> None:
    config = configure(file, {"queue": "flagged"}, STOVEPIPE_QUEUE="environment")
    assert config.queue == Setting("flagged", "flag --queue")


def test_a_flag_wins_over_an_empty_variable(file: Path) -> None:
    assert configure(file, {"queue": "flagged"}, STOVEPIPE_QUEUE="").queue.value == "flagged"


def test_the_environment_wins_over_the_profile(file: Path) -> None:
    assert configure(file, STOVEPIPE_QUEUE="variable").queue == Setting("variable", "environment STOVEPIPE_QUEUE")


def test_the_only_queue_of_a_profile_is_the_default_queue(file: Path) -> None:
    assert configure(file).queue == Setting("main", f"profile 'prod' ({file})")


def test_of_two_queues_none_is_the_default(file: Path) -> None:
    config = configure(file, {"profile": "other"})
    assert config.queue == Setting(None, "default")
    with pytest.raises(UsageError, match="'one', 'two'"):
        config.require_queue()


def test_a_queue_that_is_named_is_given_when_required(file: Path) -> None:
    assert configure(file).require_queue() == "main"


def test_every_profile_value_carries_the_profile_as_its_origin(file: Path) -> None:
    config = configure(file)
    origin = f"profile 'prod' ({file})"
    assert config.profile == Setting("prod", f"default_profile ({file})")
    assert config.protected == Setting(value=True, origin=origin)
    assert config.history_since == Setting("12", origin)
    assert config.expect_tables == Setting(("request_summary",), origin)
    assert config.min_age_ms == Setting(3_600_000, origin)
    assert config.clock_skew_ms == Setting(0, origin)
    assert config.max_builds == Setting(10, origin)
    assert config.tz == Setting("Europe/Berlin", origin)
    assert config.throttle.max_lag_ms == Setting(10_000, origin)
    assert config.throttle.max_load == Setting((("Threads_running", 20), ("Threads_connected", 400)), origin)
    assert config.throttle.rate == Setting(500, origin)
    assert config.throttle.pause_file == Setting(file.parent / "pause", origin)


def test_flags_win_over_the_profile_value_by_value(file: Path) -> None:
    flags: dict[str, object] = {
        "history_since": "none",
        "min_age": "0",
        "tz": "local",
        "max_lag": "1s",
        "max_load": "none",
        "rate": 7,
        "pause_file": "/tmp/other",  # noqa: S108  # never opened
    }
    config = configure(file, flags)
    assert config.history_since == Setting("none", "flag --history-since")
    assert config.min_age_ms == Setting(0, "flag --min-age")
    assert config.tz == Setting("local", "flag --tz")
    assert config.throttle.max_lag_ms == Setting(1_000, "flag --max-lag")
    assert config.throttle.max_load == Setting((), "flag --max-load")
    assert config.throttle.rate == Setting(7, "flag --rate")
    assert config.throttle.pause_file.origin == "flag --pause-file"


def test_the_defaults_are_the_documented_ones(tmp_path: Path) -> None:
    config = resolve({}, {}, home=tmp_path)
    assert config.limits.connect_ms == Setting(5_000, "default")
    assert config.limits.statement_ms == Setting(30_000, "default")
    assert config.limits.throttle_ms == Setting(600_000, "default")
    assert config.limits.run_time_ms == Setting(None, "default")
    assert config.min_age_ms == Setting(900_000, "default")
    assert config.settle_ms == Setting(5_000, "default")
    assert config.clock_skew_ms == Setting(5_000, "default")
    assert config.max_builds == Setting(64, "default")
    assert config.protected == Setting(value=False, origin="default")
    assert (config.output.value, config.tz.value, config.color.value) == ("auto", "UTC", "auto")
    assert (config.no_input.value, config.yes.value) == (False, False)
    assert config.throttle.max_load == Setting((("Threads_running", 50),), "default")


def test_time_limits_come_from_flags(tmp_path: Path) -> None:
    flags = {"connect_timeout": "1s", "statement_timeout": "2s", "throttle_timeout": "0", "run_time": "3h"}
    limits = resolve(flags, {}, home=tmp_path).limits
    assert (limits.connect_ms.value, limits.statement_ms.value, limits.throttle_ms.value) == (1_000, 2_000, 0)
    assert limits.run_time_ms == Setting(10_800_000, "flag --run-time")


def test_the_connect_timeout_of_a_database_url_counts_until_a_flag_says_otherwise(tmp_path: Path) -> None:
    environ = {"STORAGE_MYSQL_DSN": "user@tcp(db)/submitqueue?timeout=3s"}
    assert resolve({}, environ, home=tmp_path).limits.connect_ms == Setting(3_000, "environment STORAGE_MYSQL_DSN")
    flagged = resolve({"connect_timeout": "1s"}, environ, home=tmp_path)
    assert flagged.limits.connect_ms == Setting(1_000, "flag --connect-timeout")


@pytest.mark.parametrize(
    ("environ", "color"),
    [
        ({"NO_COLOR": "1"}, Setting("never", "environment NO_COLOR")),
        ({"NO_COLOR": ""}, Setting("auto", "default")),
        ({"TERM": "dumb"}, Setting("never", "environment TERM")),
        ({"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, Setting("auto", "default")),
    ],
)
def test_colour_follows_the_environment_s_conventions(
    tmp_path: Path, environ: dict[str, str], color: Setting[str]
) -> None:
    assert resolve({}, environ, home=tmp_path).color == color


def test_a_colour_flag_wins_over_no_color(tmp_path: Path) -> None:
    assert resolve({"color": "always"}, {"NO_COLOR": "1"}, home=tmp_path).color.value == "always"


@pytest.mark.parametrize(("text", "value"), [("1", True), ("YES", True), ("0", False), ("false", False)])
def test_no_input_can_be_a_variable(tmp_path: Path, text: str, value: bool) -> None:  # noqa: FBT001  # parametrised
    config = resolve({"no_input": False}, {"STOVEPIPE_NO_INPUT": text}, home=tmp_path)
    assert config.no_input == Setting(value=value, origin="environment STOVEPIPE_NO_INPUT")


@pytest.mark.parametrize(
    "flags",
    [
        {"output": "xml"},
        {"color": "red"},
        {"tz": "Mars/Olympus"},
        {"connect_timeout": "0"},
        {"connect_timeout": "5"},
        {"max_load": "much"},
        {"rate": 0},
    ],
)
def test_a_flag_that_cannot_be_read_is_refused_by_name(tmp_path: Path, flags: dict[str, object]) -> None:
    (name,) = flags
    with pytest.raises(InvalidInput, match=f"--{name.replace('_', '-')}") as caught:
        resolve(flags, {}, home=tmp_path)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["queue", "profile", "database_url", "output", "ledger_url"])
def test_an_empty_flag_is_refused_rather_than_replaced(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is empty"):
        resolve({name: ""}, {}, home=tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "STOVEPIPE_QUEUE",
        "STOVEPIPE_PROFILE",
        "STOVEPIPE_DATABASE_URL",
        "STOVEPIPE_LEDGER_URL",
        "STOVEPIPE_CONFIG",
        "STORAGE_MYSQL_DSN",
    ],
)
def test_an_empty_variable_is_refused_rather_than_replaced(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f"'{name}' is empty"):
        resolve({}, {name: ""}, home=tmp_path)


def test_flags_that_configure_nothing_are_passed_over(tmp_path: Path) -> None:
    config = resolve({"quiet": True, "columns": "a,b"}, {}, home=tmp_path)
    assert list(config_rows(config)) == list(config_rows(resolve({}, {}, home=tmp_path)))
