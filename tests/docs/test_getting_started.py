"""The page for newcomers, typed as it stands, ends as it says."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.storage import open_storage
from tests.support.mariadb import MariaDBServer

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "getting-started.md"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_ENDS = re.compile(r"# ends with (\d+)")
_ASKS = re.compile(r"# asks")


def section(title: str) -> list[tuple[str, str]]:
    """Kind and content of every block under the heading."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return _BLOCK.findall(text)


# Nobody else writes to these databases, so there is nothing to look at twice.
PROGRAM = f"""#!/bin/sh
case "$1 $2" in "verify "*|"repair plan") set -- "$@" --settle 0;; esac
PYTHONPATH="{CHECKOUT}" exec "{sys.executable}" -m stovepipe_cli "$@"
"""


@dataclass(frozen=True, slots=True)
class Ended:
    line: str
    code: int
    output: str

    @property
    def is_as_told(self) -> bool:
        told = _ENDS.search(self.line)
        return self.code == (int(told[1]) if told else 0)


class Shell:
    """Types lines into one bash session, in a home of its own where the program is on the path."""

    def __init__(self, home: Path) -> None:
        program = home / "bin" / "stovepipe"
        program.parent.mkdir()
        program.write_text(PROGRAM)
        program.chmod(0o755)
        self._home = home
        self._typed: list[str] = []

    def type(self, block: str) -> None:
        self._typed += block.replace("\\\n", " ").splitlines()

    def run(self) -> list[Ended]:
        """What became of every line that was typed since the last run."""
        script, lines = [], [line for line in self._typed if line.strip()]
        self._typed.clear()
        for number, line in enumerate(lines):
            # Nobody is there to be asked.
            typed = re.sub(r"\s+#.*", "", line) + (" --yes" if _ASKS.search(line) else "")
            script += [typed, f'echo "= {number} $?"']
        done = subprocess.run(
            ["/bin/bash", "-c", "\n".join(script)],
            capture_output=True,
            text=True,
            cwd=self._home,
            env={"PATH": f"{self._home / 'bin'}:/usr/bin:/bin", "HOME": str(self._home), "LANG": "C.UTF-8"},
            check=False,
        )
        told = re.findall(r"(.*?)^= (\d+) (\d+)\n", done.stdout, re.DOTALL | re.MULTILINE)
        assert [int(number) for _, number, _ in told] == list(range(len(lines))), done.stderr
        return [Ended(line, int(code), output) for line, (output, _, code) in zip(lines, told, strict=True)]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_the_practice_queue_is_mended_as_the_page_says(shell: Shell, tmp_path: Path) -> None:
    for kind, block in section("A damaged queue to practise on"):
        assert kind == "bash"
        shell.type(block)
    ended = shell.run()
    assert [each for each in ended if not each.is_as_told] == []
    found = [re.findall(r"\b[A-Z]\d{3}(?=\t)", each.output) for each in ended if "stovepipe verify" in each.line]
    assert [len(codes) for codes in found] == [10, 3, 2]
    assert found[-1] == ["H103", "H109"]
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["bin"]


@pytest.fixture
def own_server(mariadb: MariaDBServer, mariadb_service_database: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database with the service's tables and the queue of a scenario, by itself one without damage."""
    scenario = bundled(getattr(request, "param", "healthy"))
    with open_storage(mariadb_service_database) as factory:
        load_scenario(factory.for_queue(scenario.queue), scenario, into_existing=False)
    yield mariadb_service_database.rpartition("/")[2]
    for account in ("stovepipe_audit", "stovepipe_repair"):
        mariadb.execute(f"DROP USER IF EXISTS '{account}'@'127.0.0.1'")


def on_this_server(text: str, mariadb: MariaDBServer, database: str) -> str:
    """What the page shows, about the test's own database."""
    return (
        text.replace("db.example.com:3306", f"127.0.0.1:{mariadb.port}")
        .replace("10.0.0.%", "127.0.0.1")
        .replace("submitqueue", database)
        .replace("monorepo/main", "demo/main")
    )


def test_a_server_is_verified_with_a_profile_as_the_page_says(
    shell: Shell, tmp_path: Path, mariadb: MariaDBServer, own_server: str
) -> None:
    blocks = section("Your own MySQL or MariaDB server")
    assert [kind for kind, _ in blocks] == ["sql", "bash", "yaml", "bash", "bash", "bash"]
    for statement in blocks[0][1].split(";"):
        if statement.strip():
            mariadb.execute(on_this_server(statement, mariadb, own_server))
    shell.type(blocks[1][1])
    (tmp_path / "profile.yaml").write_text(on_this_server(blocks[2][1], mariadb, own_server))
    shell.type('cat "$HOME/profile.yaml" > "$HOME/.config/stovepipe/config.yaml"')
    for _, block in blocks[3:]:
        shell.type(block)
    ended = shell.run()
    assert [each for each in ended if not each.is_as_told] == []
    assert [each.line for each in ended if "a long password" in each.output] == []


@pytest.mark.parametrize("own_server", ["e206"], indirect=True)
def test_an_account_that_may_repair_applies_what_the_reading_one_planned(
    shell: Shell, tmp_path: Path, mariadb: MariaDBServer, own_server: str
) -> None:
    here = partial(on_this_server, mariadb=mariadb, database=own_server)
    looking, repairing = section("Your own MySQL or MariaDB server"), section("An account that may repair")
    assert [kind for kind, _ in repairing] == ["bash", "yaml", "bash"]
    for statement in filter(str.strip, looking[0][1].split(";")):
        mariadb.execute(here(statement))
    (tmp_path / "profile.yaml").write_text(here(looking[2][1] + repairing[1][1]))
    shell.type(looking[1][1])
    shell.type('cat "$HOME/profile.yaml" > "$HOME/.config/stovepipe/config.yaml"')
    shell.type(looking[3][1])
    shell.type(here(repairing[0][1]))
    assert [each for each in shell.run() if not each.is_as_told] == []
    mariadb.execute("CREATE USER 'stovepipe_repair'@'127.0.0.1' IDENTIFIED BY 'another long password'")
    for statement in (tmp_path / "grants.sql").read_text().splitlines():
        mariadb.execute(statement.removesuffix(";"))
    shell.type(here(repairing[2][1]))
    assert [each for each in shell.run() if not each.is_as_told] == []


def test_the_page_says_what_each_verify_ends_with() -> None:
    text = "".join(block for _, block in section("A damaged queue to practise on"))
    assert _ENDS.findall(text) == ["3", "3", "3"]
