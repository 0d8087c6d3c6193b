"""Types into a shell on a terminal of its own."""

import os
import pty
import re
import select
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PATIENCE_SECONDS = 30.0
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>()][A-Z0-9]?|\r")


@dataclass(slots=True)
class Shell:
    """A shell that reads what is typed, as it would from a person."""

    pid: int
    terminal: int
    seen: str = ""

    @classmethod
    def start(cls, *command: str, environ: Mapping[str, str], directory: Path) -> "Shell":
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], list(command), dict(environ))  # noqa: S606 - the shell under test
        return cls(pid, terminal)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, pattern: str) -> str:
        """What was shown up to the pattern, without what moves the cursor."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < deadline, f"never shown: {pattern}\n{self.seen}"
            readable, _, _ = select.select([self.terminal], [], [], 1)
            if readable:
                self.seen += _CONTROLS.sub("", os.read(self.terminal, 65536).decode(errors="replace"))
        shown, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return shown

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
