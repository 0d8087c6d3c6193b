"""The real shells complete the words of the real program, and pass on what they completed."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stovepipe_cli.entities import Request
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process, Program
from tests.cli.shells import Shell

ODD_QUEUE = "odd one/it's $HOME:*"
# Completes like the program, and otherwise only shows what it was called with.
WRAPPER = """\
#!/bin/sh
if [ -n "$_STOVEPIPE_COMPLETE" ]; then exec {python} -m stovepipe_cli "$@"; fi
printf 'ARG[%s]\\n' "$@"
echo 'END[]'
"""
PREPARATIONS = {
    "bash": ("bash", "--norc", "--noprofile", "-i"),
    "zsh": ("zsh", "-f", "-i"),
}


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


interactive = pytest.mark.parametrize("shell", [pytest.param(name, marks=needs(name)) for name in PREPARATIONS])


@pytest.fixture
def environ(process: Process, database: Callable[[str], Path], program: Program) -> dict[str, str]:
    """An environment with a `stovepipe` on its path, and a database with two queues."""
    url = f"sqlite:///{database('demo')}"
    with open_storage(url) as factory:
        row = Request(queue=ODD_QUEUE, id="1", uri="u", state="accepted", version=1)
        factory.for_queue(ODD_QUEUE).requests.create(row)
    directory = process.home / "bin"
    directory.mkdir()
    wrapper = directory / "stovepipe"
    wrapper.write_text(WRAPPER.format(python=sys.executable))
    wrapper.chmod(0o755)
    for name in PREPARATIONS:
        (process.home / f"completion.{name}").write_text(program("completion", name).stdout)
    (process.home / "completion.fish").write_text(program("completion", "fish").stdout)
    (process.home / "plan one.json").write_text("{}")
    own = process.environ({"STOVEPIPE_DATABASE_URL": url, "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    return own | {"PATH": f"{directory}:{own['PATH']}"}


@pytest.fixture
def typed(environ: dict[str, str], process: Process) -> Iterator[Callable[[str, str], list[str]]]:
    """The arguments that the program gets when somebody types this."""
    started: list[Shell] = []

    def arguments(shell: str, keys: str) -> list[str]:
        running = Shell.start(*PREPARATIONS[shell], environ=environ, directory=process.home)
        started.append(running)
        if shell == "zsh":
            running.type("autoload -U compinit; compinit -u -D\n")
        running.type(f"source completion.{shell}; echo RE''ADY\n")
        running.read_until("READY")
        running.type(keys)
        shown = running.read_until(r"END\[\]")
        return [each.partition("]\n")[0] for each in shown.split("ARG[")[1:]]

    yield arguments
    for each in started:
        each.end()


@interactive
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("stovepipe veri\t\n", ["verify"]),
        ("stovepipe verify --fail\twarn\t\n", ["verify", "--fail-on", "warning"]),
        ("stovepipe verify --fail-on=warn\t\n", ["verify", "--fail-on=warning"]),
        ("stovepipe rules explain H102\t\n", ["rules", "explain", "H102"]),
        ("stovepipe verify --queue demo\t\n", ["verify", "--queue", "demo/main"]),
        ("stovepipe verify --queue=demo\t\n", ["verify", "--queue=demo/main"]),
        ("stovepipe verify -q odd\t\n", ["verify", "-q", ODD_QUEUE]),
        ("stovepipe verify --queue=odd\t\n", ["verify", f"--queue={ODD_QUEUE}"]),
        ("stovepipe repair apply pl\t\n", ["repair", "apply", "plan one.json"]),
        ("stovepipe repair plan --out=pl\t\n", ["repair", "plan", "--out=plan one.json"]),
        ("stovepipe vrify \t\n", ["vrify"]),
    ],
)
def test_a_tab_completes_what_is_typed(
    shell: str, keys: str, expected: list[str], typed: Callable[[str, str], list[str]]
) -> None:
    assert typed(shell, keys) == expected


@needs("bash")
def test_bash_completes_inside_quotes(typed: Callable[[str, str], list[str]]) -> None:
    assert typed("bash", "stovepipe verify -q 'demo\t\n") == ["verify", "-q", "demo/main"]


@needs("fish")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stovepipe veri", ["verify"]),
        ("stovepipe verify --fail-on ", ["error", "warning", "info"]),
        ("stovepipe rules explain H102", ["H102"]),
        ("stovepipe verify -q ", ["demo/main", ODD_QUEUE]),
        ("stovepipe verify --queue=dem", ["--queue=demo/main"]),
        ("stovepipe repair apply pl", ["plan one.json"]),
        ("stovepipe repair plan --out=pl", ["--out=plan one.json"]),
        ("stovepipe vrify ", []),
    ],
)
def test_fish_is_offered_what_there_is(
    line: str, expected: list[str], environ: dict[str, str], process: Process
) -> None:
    done = subprocess.run(
        [str(shutil.which("fish")), "--no-config", "-c", 'source completion.fish; complete -C "$argv[1]"', line],
        capture_output=True,
        env=environ,
        cwd=process.home,
        text=True,
        check=True,
    )
    assert [each.partition("\t")[0] for each in done.stdout.splitlines()] == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_that_its_shell_can_read(shell: str, program: Program) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = program("completion", shell).stdout
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_shell_that_is_not_known_is_refused(program: Program) -> None:
    result = program("completion", "tcsh")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == "stovepipe: there is no completion for 'tcsh'\n  use bash, zsh, fish\n"
