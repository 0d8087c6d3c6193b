"""Where the password comes from, and that it is fetched anew."""

import sys
from pathlib import Path

import pytest

from stovepipe_cli.config import Config, config_rows, resolve
from stovepipe_cli.errors import ConfigError

SENTINEL = "hunter2sentinel"
URL = "database_url: mysql://audit@db/submitqueue"


def configure(home: Path, profile: str, flags: dict[str, object] | None = None, **environ: str) -> Config:
    file = home / "config.yaml"
    file.write_text("default_profile: prod\nprofiles:\n  prod:\n" + "".join(f"    {x}\n" for x in profile.splitlines()))
    file.chmod(0o600)
    return resolve(flags or {}, {"STOVEPIPE_CONFIG": str(file), **environ}, home=home)


def reveal(config: Config) -> str | None:
    secret = config.require_database().credentials()
    return None if secret is None else secret.reveal()


def script(home: Path, body: str) -> str:
    file = home / "give.py"
    file.write_text(body)
    return f"{sys.executable} {file}"


def test_without_any_source_there_is_no_password(tmp_path: Path) -> None:
    assert reveal(configure(tmp_path, URL)) is None


def test_a_password_file_is_read_anew_every_time(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("old\n")
    config = configure(tmp_path, f"{URL}\npassword_file: secret")
    assert reveal(config) == "old"
    file.write_text("new\n")
    assert reveal(config) == "new"


@pytest.mark.parametrize(
    ("raw", "password"),
    [(b"p", "p"), (b"p\n", "p"), (b"p\r\n", "p"), (b" p \n", " p "), (b"p\n\n", "p\n"), ("pä\n".encode(), "pä")],
)
def test_one_line_break_at_the_end_of_a_file_is_no_part_of_the_password(
    tmp_path: Path, raw: bytes, password: str
) -> None:
    (tmp_path / "secret").write_bytes(raw)
    assert reveal(configure(tmp_path, f"{URL}\npassword_file: secret")) == password


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xff\xfe"])
def test_a_file_without_a_usable_password_is_an_error(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "secret").write_bytes(raw)
    with pytest.raises(ConfigError, match="password file"):
        reveal(configure(tmp_path, f"{URL}\npassword_file: secret"))


def test_a_missing_password_file_is_an_error_only_when_the_password_is_needed(tmp_path: Path) -> None:
    config = configure(tmp_path, f"{URL}\npassword_file: secret")
    with pytest.raises(ConfigError, match=r"secret.*No such file"):
        reveal(config)


def test_a_password_command_runs_without_a_shell_every_time(tmp_path: Path) -> None:
    command = script(tmp_path, f"import pathlib, sys; p = pathlib.Path({str(tmp_path)!r}) / 'count'\n"
                               "p.write_text((p.read_text() if p.exists() else '') + '|')\n"
                               "print(sys.argv[1] + p.read_text())\n")  # fmt: skip
    config = configure(tmp_path, f"{URL}\npassword_command: \"{command} '$HOME; x'\"")
    assert (reveal(config), reveal(config)) == ("$HOME; x|", "$HOME; x||")


@pytest.mark.parametrize(
    "body",
    [
        f"import sys; sys.stderr.write('{SENTINEL}'); sys.exit(3)",
        "pass",
        "import sys; sys.stdout.buffer.write(b'\\xff')",
    ],
)
def test_a_failing_password_command_is_named_by_its_program_alone(tmp_path: Path, body: str) -> None:
    config = configure(tmp_path, f"{URL}\npassword_command: {script(tmp_path, body)} {SENTINEL}")
    with pytest.raises(ConfigError, match="password command") as caught:
        reveal(config)
    assert sys.executable in str(caught.value)
    assert SENTINEL not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("command", ["/no/such/program", "no-such-program", "."])
def test_a_password_command_that_cannot_start_is_an_error(tmp_path: Path, command: str) -> None:
    config = configure(tmp_path, f"{URL}\npassword_command: {command} {SENTINEL}")
    with pytest.raises(ConfigError, match="cannot be started") as caught:
        reveal(config)
    assert SENTINEL not in str(caught.value)


def test_a_password_command_with_an_open_quote_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="open quote"):
        configure(tmp_path, f'{URL}\npassword_command: "pass \'show"')


def test_a_password_command_s_own_diagnostics_stay_out_of_sight(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = script(tmp_path, "import sys; sys.stderr.write('noise'); print('secret')")
    assert reveal(configure(tmp_path, f"{URL}\npassword_command: {command}")) == "secret"
    assert capfd.readouterr() == ("", "")


def test_password_env_names_a_variable(tmp_path: Path) -> None:
    assert reveal(configure(tmp_path, f"{URL}\npassword_env: PROD", PROD="secret")) == "secret"


def test_a_variable_that_password_env_names_must_be_set(tmp_path: Path) -> None:
    config = configure(tmp_path, f"{URL}\npassword_env: PROD")
    with pytest.raises(ConfigError, match="'PROD'"):
        reveal(config)


def test_the_environment_s_password_wins_over_the_profile_s(tmp_path: Path) -> None:
    profile = f"{URL}\npassword_env: PROD"
    assert reveal(configure(tmp_path, profile, PROD="profile", STOVEPIPE_PASSWORD="now")) == "now"


def test_a_url_s_own_password_wins_over_the_environment_s(tmp_path: Path) -> None:
    url = "mysql://u:own@db/submitqueue"
    config = configure(tmp_path, URL, STOVEPIPE_DATABASE_URL=url, STOVEPIPE_PASSWORD="other")
    assert reveal(config) == "own"


def test_a_profile_may_hold_the_password_in_its_url(tmp_path: Path) -> None:
    assert reveal(configure(tmp_path, "database_url: u:p@ss/word@tcp(db)/submitqueue")) == "p@ss/word"


def test_a_profile_with_two_passwords_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="another source"):
        configure(tmp_path, "database_url: mysql://u:own@db/submitqueue\npassword_env: PROD", PROD="x")


def test_a_profile_s_option_file_gives_account_and_password(tmp_path: Path) -> None:
    option_file = tmp_path / "my.cnf"
    option_file.write_text("[client]\nuser=filed\npassword='se#cret'\n")
    config = configure(tmp_path, "database_url: mysql://db/submitqueue\ndefaults_file: my.cnf")
    assert (config.require_database().target.user, reveal(config)) == ("filed", "se#cret")
    option_file.write_text("[client]\nuser=filed\npassword=rotated\n")
    assert reveal(config) == "rotated"


@pytest.mark.parametrize(("mode", "count"), [(0o600, 0), (0o640, 0), (0o644, 1)])
def test_a_password_file_that_everybody_can_read_is_warned_about(tmp_path: Path, mode: int, count: int) -> None:
    (tmp_path / "secret").write_text(SENTINEL)
    (tmp_path / "secret").chmod(mode)
    assert len(configure(tmp_path, f"{URL}\npassword_file: secret").warnings) == count


@pytest.mark.parametrize(
    ("mode", "url", "count"),
    [(0o644, "mysql://u:p@db/x", 1), (0o600, "mysql://u:p@db/x", 0), (0o644, "mysql://u@db/x", 0)],
)
def test_a_profile_file_with_a_password_that_everybody_can_read_is_warned_about(
    tmp_path: Path, mode: int, url: str, count: int
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"default_profile: a\nprofiles: {{a: {{database_url: '{url}'}}}}")
    file.chmod(mode)
    assert len(resolve({}, {"STOVEPIPE_CONFIG": str(file)}, home=tmp_path).warnings) == count


@pytest.mark.parametrize(
    ("profile", "environ", "shown"),
    [
        (
            "database_url: mysql://u:hunter2sentinel@db/x\nread_url: mysql://u:hunter2sentinel@r/x",
            {},
            "in the database URL",
        ),
        (f"{URL}\npassword_env: PROD", {"PROD": SENTINEL}, "environment variable PROD"),
        (URL, {"STOVEPIPE_PASSWORD": SENTINEL}, "environment variable STOVEPIPE_PASSWORD"),
        (f"{URL}\npassword_command: echo hunter2sentinel", {}, "command echo"),
        (f"{URL}\nledger_url: mysql://u:hunter2sentinel@l/x", {"STOVEPIPE_PASSWORD": "x"}, "environment variable "),
    ],
)
def test_no_row_shows_a_secret_only_where_it_comes_from(
    tmp_path: Path, profile: str, environ: dict[str, str], shown: str
) -> None:
    config = configure(tmp_path, profile, None, **environ)
    rows = list(config_rows(config))
    assert SENTINEL not in f"{rows} {config!r}"
    assert shown in {name: value for name, value, _ in rows}["database.password"]
