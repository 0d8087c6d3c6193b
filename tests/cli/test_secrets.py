"""A password given in any way there is appears in nothing that the program prints."""

import pytest

from tests.cli.every_command import CASES, argv_of
from tests.cli.running import FixedClock, Program
from tests.support.mariadb import MariaDBServer

SENTINEL = "S3ntinel-pa55"
DEAD = "127.0.0.1:1"
URL = f"mysql://audit:{SENTINEL}@{DEAD}/submitqueue"
GO_DSN = f"audit:{SENTINEL}@tcp({DEAD})/submitqueue?parseTime=true"
WAYS = (
    "environment URL",
    "environment DSN",
    "environment password",
    "service DSN",
    "profile URL",
    "profile file",
    "profile command",
    "profile variable",
    "profile option file",
    "option file",
)
# What is wrong with these makes the program talk about them.
BROKEN = (
    f"mysql://audit:{SENTINEL}@{DEAD}:9:9/x",
    f"mysql://audit:{SENTINEL}@{DEAD}/x?tls=perhaps",
    f"mysql://audit:{SENTINEL}@{DEAD}/x?password={SENTINEL}",
    f"mysql://audit:{SENTINEL}%zz@{DEAD}/x",
    f"oracle://audit:{SENTINEL}@{DEAD}/x",
    f"audit:{SENTINEL}@tcp({DEAD}/x",
    f"audit:{SENTINEL}@udp({DEAD})/x",
    f"mysql://audit:{SENTINEL}@tcp({DEAD})/x",
    f" mysql://audit:{SENTINEL}@{DEAD}/x",
    SENTINEL,
)


def give(program: Program, way: str) -> list[str]:
    """Configure the password; the options that this takes."""
    home = program.home
    secret = home / "secret"
    secret.write_text(SENTINEL + "\n")
    secret.chmod(0o600)
    options = home / "my.cnf"
    options.write_text(f"[client]\nhost=127.0.0.1\nport=1\nuser=audit\ndatabase=submitqueue\npassword={SENTINEL}\n")
    options.chmod(0o600)
    plain = f"mysql://audit@{DEAD}/submitqueue"
    environment = {
        "environment URL": {"STOVEPIPE_DATABASE_URL": URL},
        "environment DSN": {"STOVEPIPE_DATABASE_URL": GO_DSN},
        "environment password": {"STOVEPIPE_DATABASE_URL": plain, "STOVEPIPE_PASSWORD": SENTINEL},
        "service DSN": {"STORAGE_MYSQL_DSN": GO_DSN},
        "profile variable": {"OF_PROFILE": SENTINEL},
    }
    profile = {
        "profile URL": f'database_url: "{URL}"',
        "profile file": f"database_url: {plain}\n    password_file: {secret}",
        "profile command": f"database_url: {plain}\n    password_command: cat {secret}",
        "profile variable": f"database_url: {plain}\n    password_env: OF_PROFILE",
        "profile option file": f"defaults_file: {options}",
    }
    program.environ |= environment.get(way, {})
    if way in profile:
        program.configure(f"default_profile: prod\nprofiles:\n  prod:\n    {profile[way]}\n")
    return ["--defaults-file", str(options)] if way == "option file" else []


@pytest.mark.parametrize("way", WAYS)
def test_a_password_is_in_no_output_of_any_command(way: str, program: Program) -> None:
    flags = give(program, way)
    seen = []
    for words, case in CASES.items():
        if "{" in case.argv:
            continue
        output = "table" if words == "verify" else "json"
        result = program(*argv_of(words, program), *flags, "-q", "main", "-v", "-o", output, "--use-service-dsn")
        seen.append(result.code)
        assert SENTINEL not in result.stdout + result.stderr, words
    assert {0, 6} <= set(seen), "no command tried to log in"


@pytest.mark.parametrize("way", WAYS)
def test_config_show_names_where_the_password_comes_from(way: str, program: Program) -> None:
    flags = give(program, way)
    items = program("config", "show", *flags, "-o", "json").document["data"]["items"]
    (password,) = [item for item in items if item["name"] == "database.password"]
    assert password["value"] not in {"", "-", "none"}
    assert SENTINEL not in str(items)


@pytest.mark.parametrize("variable", ["STOVEPIPE_DATABASE_URL", "STORAGE_MYSQL_DSN", "STOVEPIPE_LEDGER_URL"])
@pytest.mark.parametrize("value", BROKEN)
def test_a_url_that_cannot_be_read_is_not_repeated(variable: str, value: str, program: Program) -> None:
    for words in ("config show", "verify -q main"):
        result = program(*words.split(" "), "-v", environ={variable: value})
        assert SENTINEL not in result.stdout + result.stderr


@pytest.mark.parametrize("value", BROKEN)
def test_a_url_in_a_profile_that_cannot_be_read_is_not_repeated(value: str, program: Program) -> None:
    program.configure(f"default_profile: prod\nprofiles:\n  prod:\n    database_url: '{value}'\n    pasword_file: x\n")
    assert SENTINEL not in program("config", "show", "-v").stderr
    program.configure(f"default_profile: prod\nprofiles:\n  prod:\n    database_url: '{value}'\n")
    for words in ("config show", "verify -q main"):
        result = program(*words.split(" "), "-v")
        assert SENTINEL not in result.stdout + result.stderr


@pytest.mark.parametrize("output", ["json", "table"])
def test_a_server_that_refuses_the_password_does_not_make_it_public(
    output: str, program: Program, mariadb: MariaDBServer
) -> None:
    address = f"127.0.0.1:{mariadb.port}"
    program.environ["STOVEPIPE_DATABASE_URL"] = f"mysql://nobody:{SENTINEL}@{address}/mysql"
    result = program("verify", "-q", "main", "-v", "-o", output)
    assert result.code == 6
    assert SENTINEL not in result.stdout + result.stderr
    assert address in result.stdout + result.stderr


def test_a_password_that_works_is_in_no_file_that_is_written(
    program: Program, mariadb: MariaDBServer, mariadb_service_database: str
) -> None:
    name = mariadb_service_database.rpartition("/")[2]
    mariadb.execute(f"CREATE USER 'keeper'@'127.0.0.1' IDENTIFIED BY '{SENTINEL}'")
    mariadb.execute(f"GRANT ALL ON `{name}`.* TO 'keeper'@'127.0.0.1'")
    program.environ |= {
        "STOVEPIPE_DATABASE_URL": mariadb.url(name, user="keeper", password=SENTINEL),
        "STOVEPIPE_QUEUE": "demo/main",
    }
    home = program.home
    files = {each: str(home / f"verify.{each}") for each in ("junit", "html", "metrics", "findings")}
    lines = (
        ["fixtures", "load", "demo"],
        ["verify", "--settle", "0", *(part for each, file in files.items() for part in (f"--{each}-file", file))],
        ["verify", "--settle", "0", "--write-baseline", str(home / "known.ndjson")],
        ["repair", "plan", "--settle", "0", "--out", str(home / "plan.json"), "--sql", str(home / "plan.sql")],
        ["repair", "apply", str(home / "plan.json"), "--yes", "--undo-sql", str(home / "undo.sql")],
        ["backfill", "acceptances", "--apply", "--yes"],
        ["config", "show"],
        ["db", "ping"],
    )
    try:
        for number, argv in enumerate(lines):
            answer = home / f"answer-{number}.json"
            result = program(*argv, "-v", "--output-file", answer)
            assert result.code in {0, 3}, result.stderr
            assert SENTINEL not in result.stdout + result.stderr
    finally:
        mariadb.execute("DROP USER 'keeper'@'127.0.0.1'")
    written = [file for file in home.rglob("*") if file.is_file()]
    assert len(written) > 14
    assert [file for file in written if SENTINEL.encode() in file.read_bytes()] == []


def test_a_bug_shows_frames_and_no_values(program: Program) -> None:
    """Whatever raises, its text stays inside: here a clock that breaks in a way nobody foresaw."""

    class BrokenClock(FixedClock):
        def now_ms(self) -> int:
            raise RuntimeError(SENTINEL)

    program.clock = BrokenClock()
    quiet, verbose = program("help", "exit-codes"), program("help", "exit-codes", "-v", "-o", "json")
    assert quiet.stderr == ("stovepipe: unexpected RuntimeError\n  run it again with --verbose for the traceback\n")
    assert (verbose.code, verbose.document["errors"][0]["code"]) == (1, "unexpected")
    assert "now_ms" in verbose.stderr
    assert SENTINEL not in verbose.stdout + verbose.stderr
