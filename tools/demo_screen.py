"""Records what `stovepipe demo` shows on a terminal into docs/demo.txt, and the beginning of it into the README.

With --check it only tells whether both show what the program shows today, whatever its clock says and ids it makes.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SCREEN = CHECKOUT / "docs" / "demo.txt"
README = CHECKOUT / "README.md"

# As wide as a page shows without a scroll bar.
COLUMNS, ROWS = 100, 50
CUT = "[...]"

_SHOWN = re.compile(r"(?<=<!-- recorded by make docs -->\n```\n).*?(?=```\n)", re.DOTALL)
_STEP = re.compile(r"^\d+\. ")
_TOLD_WHOLE = 2

# What differs from run to run: ids with a time in them, digests over them, the directory, and how long ago all was.
_VOLATILE = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "RUN"),
    (re.compile(r"sha256:[0-9a-f]{64}"), "DIGEST"),
    (re.compile(r"sqlite:[0-9a-f]+"), "IDENTITY"),
    (re.compile(r"/\S*stovepipe-demo-\w+"), "DIRECTORY"),
    (re.compile(r"(?<=expires )\S+"), "TIME"),
    (re.compile(r"\d+(?:\.\d+)?[smhdwy]\w* ago"), "AGO"),
)


def record() -> str:
    """The screen of a run on a terminal of its own, with nothing configured and no colour."""
    with tempfile.TemporaryDirectory() as home:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environ = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"}
        command = [sys.executable, "-m", "stovepipe_cli", "demo"]
        with subprocess.Popen(  # noqa: S603 - the program that the checkout is
            command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, cwd=CHECKOUT, env=environ
        ) as process:
            os.close(theirs)
            text = b"".join(_read(ours)).decode()
        os.close(ours)
    if process.returncode:
        sys.exit(f"the demonstration ended with {process.returncode}")
    return text.replace("\r\n", "\n")


def normalised(screen: str) -> str:
    """The screen without what differs from run to run."""
    for pattern, word in _VOLATILE:
        screen = pattern.sub(word, screen)
    return screen


def beginning(screen: str) -> str:
    """The first steps whole, and of the others what was typed and how it ended."""
    steps: list[list[str]] = [[]]
    for line in screen.splitlines():
        if _STEP.match(line) or line.startswith("What is left"):
            steps.append([])
        steps[-1].append(line)
    shown = [line for step in steps[: _TOLD_WHOLE + 1] for line in step]
    for step in steps[_TOLD_WHOLE + 1 :]:
        head = step[:2] if _STEP.match(step[0]) else []
        shown += [*head, CUT, next(line for line in reversed(step) if line), ""]
    return "\n".join(shown).strip() + "\n"


def _read(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:
            # How Linux ends a terminal whose last program has gone.
            return
        if not piece:
            return
        yield piece


def main(arguments: list[str]) -> int:
    """Record what has changed, or tell of it; the exit code."""
    screen = record()
    recorded = SCREEN.read_text() if SCREEN.exists() else ""
    if normalised(recorded) == normalised(screen):
        screen = recorded
    readme = README.read_text()
    wanted = _SHOWN.sub(lambda _: beginning(screen), readme, count=1)
    if arguments != ["--check"]:
        SCREEN.write_text(screen)
        README.write_text(wanted)
        return 0
    stale = [path.name for path, is_stale in ((SCREEN, screen != recorded), (README, wanted != readme)) if is_stale]
    if stale or not _SHOWN.search(readme):
        print(f"{' and '.join(stale) or README.name} does not show what the demonstration shows: run 'make docs'")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
