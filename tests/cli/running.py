"""Runs the real program: inside the test, with streams, clock and environment of its own, or as a process."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stovepipe_cli.cli import run
from stovepipe_cli.commands.surroundings import Surroundings
from tests.cli.described import complaints, is_described

CHECKOUT = Path(__file__).resolve().parents[2]
NOW_MS = 1_767_268_800_000  # 2026-01-01T12:00:00Z
ENVELOPE = ("schema", "command", "queue", "target", "verdict", "exit_code", "data", "errors")


@dataclass(slots=True)
class FixedClock:
    """Time passes only while somebody sleeps."""

    at_ms: int = NOW_MS
    slept: float = 0.0

    def now_ms(self) -> int:
        return self.at_ms

    def monotonic(self) -> float:
        return self.at_ms / 1000

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.at_ms += round(seconds * 1000)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document that stdout is."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        assert tuple(found) == ENVELOPE, "the envelope has other fields, or an other order"
        assert found["schema"] == "stovepipe/v1"
        assert found["exit_code"] == self.code
        if is_described(found["command"]):
            assert complaints(found, found["command"]) == []
        return found

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The objects of ndjson output, each on a line of its own."""
        assert self.stdout.endswith("\n")
        found = [json.loads(line) for line in self.stdout.splitlines()]
        words = found[-1].get("command", "")
        if is_described(words):
            assert [each for line in found for each in complaints(line, words, is_line=True)] == []
        return found

    @property
    def rows(self) -> list[list[str]]:
        """The rows of tsv output, the header first."""
        return [line.split("\t") for line in self.stdout.splitlines()]


@dataclass(slots=True)
class Program:
    """The program in this process. `answers` are what somebody types when asked; without them the streams are pipes."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)
    clock: FixedClock = field(default_factory=FixedClock)
    asked: list[str] = field(default_factory=list)

    def __call__(
        self,
        *argv: str | Path,
        stdin: str = "",
        answers: Sequence[str] | None = None,
        terminal: bool = False,
        width: int = 80,
        environ: Mapping[str, str] | None = None,
    ) -> Result:
        is_terminal = terminal or answers is not None
        stream = Terminal if is_terminal else io.StringIO
        stdout, stderr = stream(), stream()
        typed = iter(answers or ())
        self.asked.clear()

        def ask(question: str) -> str:
            self.asked.append(question)
            return next(typed) + "\n"

        surroundings = Surroundings(
            environ=self.environ | dict(environ or {}),
            home=self.home,
            stdin=stream(stdin),
            stdout=stdout,
            stderr=stderr,
            clock=self.clock,
            width=lambda: width,
            ask=ask,
        )
        code = run([str(each) for each in argv], surroundings)
        return Result(code, stdout.getvalue(), stderr.getvalue())

    def configure(self, text: str) -> Path:
        """Write the profile file."""
        file = self.home / ".config" / "stovepipe" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)
        return file


@dataclass(frozen=True, slots=True)
class Process:
    """The program as a process of its own, in an environment that holds nothing of this one but the way to Python."""

    home: Path

    def command(self, *argv: str | Path) -> list[str]:
        return [sys.executable, "-m", "stovepipe_cli", *(str(each) for each in argv)]

    def environ(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV") if name in os.environ}
        own = {"HOME": str(self.home), "PYTHONPATH": str(CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"}
        return kept | own | dict(more or {})

    def __call__(
        self,
        *argv: str | Path,
        environ: Mapping[str, str] | None = None,
        script: str | None = None,
    ) -> Result:
        """Run it to its end. A `script` is for bash, with the program's command line as "$@"."""
        command = self.command(*argv)
        if script is not None:
            command = ["/bin/bash", "-c", script, "bash", *command]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self.environ(environ),
            cwd=self.home,
            timeout=60,
            check=False,
        )
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return Result(code, done.stdout.decode(), done.stderr.decode())

    def start(self, *argv: str | Path, environ: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        """Start it, with pipes for its streams."""
        return subprocess.Popen(
            self.command(*argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ(environ),
            cwd=self.home,
            text=True,
            # Python leaves SIGINT ignored where whoever started it did.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
        )


def leaf_commands(commands: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command of a tree of the parser's commands, by the words that name it."""
    for name, command in commands.items():
        words = f"{before} {name}".strip()
        children = getattr(command, "commands", None)
        if children is None:
            yield words, command
        else:
            yield from leaf_commands(children, words)
