"""The profile file: where it is, and how strictly it is read."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stovepipe_cli.config import find_profile_file, profile_template, resolve
from stovepipe_cli.config.profile_file import ProfileFile, read_profile_file
from stovepipe_cli.config.profile_keys import PROFILE_KEYS
from stovepipe_cli.errors import ConfigError

SENTINEL = "hunter2sentinel"


def read(home: Path, text: str) -> ProfileFile:
    file = home / "config.yaml"
    file.write_text(text)
    return read_profile_file(file, home, must_exist=True)


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"STOVEPIPE_CONFIG": "/etc/stovepipe.yaml", "XDG_CONFIG_HOME": "/xdg"}, "/etc/stovepipe.yaml"),
        ({"XDG_CONFIG_HOME": "/xdg"}, "/xdg/stovepipe/config.yaml"),
        ({"XDG_CONFIG_HOME": "relative"}, "/home/user/.config/stovepipe/config.yaml"),
        ({"XDG_CONFIG_HOME": ""}, "/home/user/.config/stovepipe/config.yaml"),
        ({}, "/home/user/.config/stovepipe/config.yaml"),
    ],
)
def test_the_file_is_found_by_the_conventions(environ: dict[str, str], path: str) -> None:
    assert find_profile_file(environ, Path("/home/user")).value == Path(path)


def test_a_missing_file_at_the_usual_place_holds_no_profiles(tmp_path: Path) -> None:
    assert read_profile_file(tmp_path / "absent.yaml", tmp_path, must_exist=False).profiles == {}


def test_a_missing_file_that_was_named_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml"):
        resolve({}, {"STOVEPIPE_CONFIG": str(tmp_path / "absent.yaml")}, home=tmp_path)


def test_a_directory_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_profile_file(tmp_path, tmp_path, must_exist=False)


def test_bytes_that_are_not_utf8_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes(b"profiles: {\xff: {}}\n")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_profile_file(file, tmp_path, must_exist=True)


@pytest.mark.parametrize("text", ["", "# only a comment\n", "profiles:\n", "profiles: {}\n"])
def test_an_empty_file_holds_no_profiles(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).profiles == {}


def test_file_names_start_at_the_file_s_directory_or_at_home(tmp_path: Path) -> None:
    text = "profiles: {prod: {password_file: secret, tls: {ca: ~/ca.pem}, throttle: {pause_file: /run/pause}}}"
    profile = read(tmp_path, text).profiles["prod"]
    assert profile.password_file == tmp_path / "secret"
    assert profile.tls is not None
    assert profile.tls.ca == tmp_path / "ca.pem"
    assert profile.throttle.pause_file == Path("/run/pause")


def test_a_profile_never_shows_the_password_in_its_urls(tmp_path: Path) -> None:
    url = f"mysql://user:{SENTINEL}@db/x"
    keys = f"database_url: '{url}', read_url: '{url}', ledger_url: '{url}', lag_urls: ['{url}']"
    assert SENTINEL not in repr(read(tmp_path, f"profiles: {{prod: {{{keys}}}}}"))


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ("profils: {}", 1, "profils", "did you mean 'profiles'?"),
        ("profiles:\n  prod:\n    databse_url: x", 3, "databse_url", "did you mean 'database_url'?"),
        ("profiles:\n  prod:\n    tls:\n      verfy: true", 4, "verfy", "did you mean 'verify'?"),
        ("profiles:\n  prod:\n    throttle: {max_lg: 1s}", 3, "max_lg", "did you mean 'max_lag'?"),
        ("profiles:\n  prod: {zzz: 1}", 2, "zzz", f"known keys are {', '.join(PROFILE_KEYS)}"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_known_one(
    tmp_path: Path, text: str, line: int, key: str, hint: str
) -> None:
    with pytest.raises(ConfigError, match=rf"config\.yaml', line {line}: unknown key '{key}'") as caught:
        read(tmp_path, text)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("profiles: {}\nprofiles: {}", 2, "profiles"),
        ("profiles:\n  prod: {}\n  prod: {}", 3, "prod"),
        ("profiles:\n  prod:\n    queues: [a]\n    queues: [b]", 4, "queues"),
    ],
)
def test_a_duplicate_key_is_refused_with_its_line(tmp_path: Path, text: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError, match=rf"line {line}: '{key}' already stands on line {line - 1}"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "value",
    [
        "database_url: 5",
        "database_url:",
        "database_url: ''",
        "lag_urls: mysql://db/x",
        "queues: main",
        "queues: [1]",
        "queues: [a, a]",
        "queues: ['']",
        "protected: 'true'",
        "protected: 1",
        "history_since: 1.5",
        "history_since: true",
        "expect_tables: {request: true}",
        "min_age: 15",
        "min_age: 1w",
        "clock_skew_ms: 5s",
        "clock_skew_ms: -1",
        "max_builds: 0",
        "max_builds: true",
        "time_zone: Mars/Olympus",
        "tls: true",
        "tls: {verify: maybe}",
        "throttle: {rate: 0}",
        "throttle: {max_load: much}",
        "password_file: [a]",
        "password_file: a\n    password_env: B",
        "password_command: !!python/object:os.system ls",
        "min_age: !!int x",
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.yaml', line [34]: ") as caught:
        read(tmp_path, f"profiles:\n  prod:\n    {value}\n")
    assert caught.value.hint


@pytest.mark.parametrize("text", ["[]", "text", "profiles: []", "profiles: {prod: 5}", "profiles: {1: {}}"])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="line 1"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        f"profiles: {{prod: {{database_url: 'mysql://u:{SENTINEL}@db/x'",
        f"profiles:\n  prod:\n    database_url: *{SENTINEL}",
        f"a: {SENTINEL}: b",
        f"--- {SENTINEL}\n--- {SENTINEL}",
        f"profiles:\n\tprod: {SENTINEL}",
        f"\x00{SENTINEL}",
        "[" * 3_000,
    ],
)
def test_what_is_no_yaml_is_refused_without_being_quoted(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert SENTINEL not in f"{caught.value} {caught.value.hint}"


def test_aliases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="aliases"):
        read(tmp_path, "profiles: {a: &x {queues: [q]}, b: *x}")


def test_a_default_profile_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"line 1.*'prud'"):
        read(tmp_path, "default_profile: prud\nprofiles: {prod: {}}")


@pytest.mark.parametrize(
    ("named", "hint"), [("prud", "did you mean 'prod'?"), ("zzz", "its profiles are prod, staging")]
)
def test_a_profile_that_does_not_exist_is_refused_with_the_nearest_one(tmp_path: Path, named: str, hint: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("profiles: {prod: {}, staging: {}}")
    for flags, environ in (({"profile": named}, {}), ({}, {"STOVEPIPE_PROFILE": named})):
        with pytest.raises(ConfigError, match=f"no profile '{named}'") as caught:
            resolve(flags, {"STOVEPIPE_CONFIG": str(file), **environ}, home=tmp_path)
        assert (caught.value.exit_code, caught.value.hint) == (2, hint)


def test_one_profile_is_not_chosen_just_because_it_is_the_only_one(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("profiles: {prod: {queues: [main]}}")
    assert resolve({}, {"STOVEPIPE_CONFIG": str(file)}, home=tmp_path).profile.value is None


def uncommented(template: str) -> str:
    return re.sub(r"^( *)#(?=\S)", r"\1", template, flags=re.MULTILINE)


def test_the_template_is_valid_as_it_stands(tmp_path: Path) -> None:
    assert read(tmp_path, profile_template()) == ProfileFile(tmp_path / "config.yaml", is_public=True)


def test_the_template_is_valid_with_every_setting_turned_on(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(uncommented(profile_template()))
    config = resolve({}, {"STOVEPIPE_CONFIG": str(file)}, home=tmp_path)
    assert config.require_database().target.display == "mysql://stovepipe_audit@db.example.com:3306/submitqueue"
    assert (config.profile.value, config.require_queue(), config.protected.value) == ("prod", "main", True)


def test_the_template_names_every_key() -> None:
    named = set(re.findall(r"^ *#(?:  )?(\w+):|^ *#   (\w+):", profile_template(), flags=re.MULTILINE))
    assert set(PROFILE_KEYS) <= {key for pair in named for key in pair}


def test_yaml_and_drivers_are_not_imported_where_there_is_no_profile_file(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from stovepipe_cli.config import resolve; "
        f"resolve({{}}, {{}}, home=Path({str(tmp_path)!r})); "
        "print(sorted({'yaml', 'sqlalchemy', 'pymysql', 'typer', 'rich'} & set(sys.modules)))"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout == "[]\n"
