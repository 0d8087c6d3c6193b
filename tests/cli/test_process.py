"""What only a process can show: signals, pipes, closed streams, locales, and what is imported."""

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage.contract.rows import OpenIssueRow
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process

QUEUE = "demo/main"


@pytest.fixture
def damaged(database: Callable[[str], Path]) -> dict[str, str]:
    """An environment that leads to the damaged queue."""
    return {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}", "STOVEPIPE_QUEUE": QUEUE}


@pytest.fixture
def full_of_issues(database: Callable[[str], Path]) -> dict[str, str]:
    """An environment that leads to a queue whose list is longer than a pipe holds."""
    url = f"sqlite:///{database('healthy')}"
    with open_storage(url) as factory:
        rows = [OpenIssueRow(f"//task:{number:05}", "u" * 100, "b") for number in range(5000)]
        factory.for_queue(QUEUE).bulk.insert(rows)
    return {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE}


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The URL of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"mysql://u@127.0.0.1:{listener.getsockname()[1]}/x"


@pytest.mark.parametrize("output", ["tsv", "csv", "json", "ndjson", "table"])
def test_a_reader_that_goes_away_ends_it_silently(
    output: str, process: Process, full_of_issues: dict[str, str]
) -> None:
    script = f'"$@" issues list --all -o {output} | head -c 10 >/dev/null; exit "${{PIPESTATUS[0]}}"'
    result = process(environ=full_of_issues, script=script)
    assert (result.code, result.stderr) == (141, "")


def test_a_reader_that_goes_away_after_one_line_got_that_line(process: Process, full_of_issues: dict[str, str]) -> None:
    result = process(environ=full_of_issues, script='"$@" issues list --all | head -1; exit "${PIPESTATUS[0]}"')
    assert (result.code, result.stdout, result.stderr) == (141, "task_id\tunit_id\tfirst_seen_build_id\n", "")


@pytest.mark.parametrize("words", ["--help", "", "issues list", "help exit-codes -o json", "verify --no-such -o json"])
def test_a_stdout_that_was_closed_from_the_start_ends_it_silently(
    words: str, process: Process, damaged: dict[str, str]
) -> None:
    result = process(environ=damaged, script=f'"$@" {words} >&-')
    assert (result.code, result.stderr) == (141, "")


def test_a_closed_stdout_does_not_matter_to_an_answer_for_a_file(process: Process, damaged: dict[str, str]) -> None:
    result = process(environ=damaged, script='"$@" issues list --output-file out.json >&- 2>&- <&-')
    assert (result.code, json.loads((process.home / "out.json").read_text())["verdict"]) == (0, "clean")


def test_closed_streams_do_not_let_a_message_into_the_database(process: Process, damaged: dict[str, str]) -> None:
    process(environ=damaged, script='"$@" verify --settle 0 >&- 2>&- <&-')
    assert process("db", "check", environ=damaged).code == 0
    assert process("verify", "--settle", "0", environ=damaged).code == 3


def test_a_closed_stderr_changes_neither_answer_nor_code(process: Process, damaged: dict[str, str]) -> None:
    result = process(environ=damaged, script='"$@" verify --settle 0 -o json 2>&-')
    assert (result.code, result.document["verdict"]) == (3, "findings")
    assert process(environ=damaged, script='"$@" verify --no-such 2>&-').code == 2


def test_a_full_disk_is_told_in_a_sentence(process: Process, damaged: dict[str, str]) -> None:
    result = process(environ=damaged, script='"$@" issues list > /dev/full')
    assert (result.code, result.stdout) == (1, "")
    assert result.stderr.startswith("stovepipe: the answer cannot be written: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
@pytest.mark.parametrize("output", ["json", "table"])
def test_a_signal_ends_it_with_its_code_and_one_document(
    number: signal.Signals, code: int, word: str, output: str, process: Process, silent_server: str
) -> None:
    argv = ("db", "ping", "-o", output, "--connect-timeout", "50s", "--database-url", silent_server)
    with process.start(*argv, "--wait", "1h") as program:
        try:
            wait_until_it_sleeps(program)
            program.send_signal(number)
            stdout, stderr = program.communicate(timeout=20)
        finally:
            program.kill()
    assert program.returncode == code
    assert stderr == f"stovepipe: {word}\n"
    if output == "json":
        document = json.loads(stdout)
        assert (document["exit_code"], document["errors"][0]["code"]) == (code, word)
    else:
        assert stdout == ""


def test_a_server_that_accepts_and_says_nothing_is_given_up_like_one_that_is_not_there(
    process: Process, silent_server: str
) -> None:
    # The process is given a minute: far less than a statement has here.
    limits = ("--connect-timeout", "1s", "--statement-timeout", "1h")
    result = process("db", "ping", *limits, "--database-url", silent_server)
    assert (result.code, result.stdout) == (6, "")
    assert len(result.stderr.splitlines()) == 2


def wait_until_it_sleeps(program: "subprocess.Popen[str]") -> None:
    """Until the process waits for the server, which it says by having a socket."""
    for _ in range(2000):
        try:
            names = [str(each.readlink()) for each in Path(f"/proc/{program.pid}/fd").iterdir()]
        except FileNotFoundError:
            # A descriptor that was closed between the two looks.
            names = []
        if any(name.startswith("socket:") for name in names):
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never connected")


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_an_ascii_terminal_gets_all_of_it_in_ascii(
    locale: dict[str, str], process: Process, database: Callable[[str], Path]
) -> None:
    url = f"sqlite:///{database('healthy')}"
    with open_storage(url) as factory:
        factory.for_queue(QUEUE).open_issues.create(OpenIssue(QUEUE, "//größe:テスト", "", "b"))
    environ = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE, **locale}
    result = process("issues", "list", "-o", "json", environ=environ)
    assert (result.code, result.stdout.isascii()) == (0, True)
    assert result.document["data"]["items"][0]["task_id"] == "//größe:テスト"
    table = process("issues", "list", "-o", "table", environ=environ)
    assert (table.code, table.stdout.isascii(), table.stderr) == (0, True, "")


@pytest.mark.parametrize("argv", [["--help"], ["-V"], [], ["verify", "--help"], ["history", "show", "--help"]])
def test_help_loads_neither_databases_nor_yaml_nor_tables(argv: list[str], process: Process) -> None:
    script = '"$1" -X importtime "${@:2}"'
    command = ["/bin/bash", "-c", script, "bash", *process.command(*argv)]
    done = subprocess.run(command, capture_output=True, env=process.environ(), check=True, text=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "stovepipe_cli" in loaded
    assert loaded & {"sqlalchemy", "pymysql", "MySQLdb", "yaml", "rich", "sqlite3", "asyncio"} == set()


def test_the_process_list_shows_no_secret(process: Process, silent_server: str) -> None:
    secret = process.home / "secret"
    secret.write_text("S3ntinel")
    secret.chmod(0o600)
    (process.home / "config.yaml").write_text(
        "default_profile: p\nprofiles:\n  p:\n"
        f"    database_url: {silent_server}\n    password_file: {secret}\n    queues: [main]\n"
    )
    program = process.start("verify", environ={"STOVEPIPE_CONFIG": str(process.home / "config.yaml")})
    wait_until_it_sleeps(program)
    shown = Path(f"/proc/{program.pid}/cmdline").read_bytes() + Path(f"/proc/{program.pid}/environ").read_bytes()
    program.kill()
    program.communicate()
    assert b"S3ntinel" not in shown


def test_warnings_and_logs_of_libraries_stay_out_of_the_document(process: Process, damaged: dict[str, str]) -> None:
    environ = {**damaged, "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"}
    result = process("verify", "--settle", "0", "-o", "json", environ=environ)
    assert (result.code, result.document["verdict"]) == (3, "findings")
