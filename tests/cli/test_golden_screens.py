"""The screens that people look at most, kept as files and compared to the last character.

After a change that is meant, look at the new screens and write them: `STOVEPIPE_GOLDEN=write pytest
tests/cli/test_golden_screens.py`, then read the diff.
"""

import contextlib
import getpass
import itertools
import os
import re
import secrets
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import log_row
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (40, 80, 200)
QUEUE = "demo/main"
RUNNING = "212"

PLANNED, APPLY = "repair plan --settle 0 --out plan.json -o json", "repair apply plan.json --yes"

# The commands that are looked at, and the database on which; of several the last one.
SCREENS = {
    "history-healthy": ("healthy", "history show @last-green"),
    "history-damaged": ("demo", "history show 204"),
    "history-reversed": ("demo", "history show 204 --reverse"),
    "history-detailed": ("demo", "history show 204 --detail"),
    "history-contradictions": ("contradictions", f"history show {RUNNING}"),
    "history-folded": ("folded", f"history show {RUNNING}"),
    "history-tail": ("folded", f"history show {RUNNING} --tail 3"),
    "history-scripts": ("scripts", f"history show {RUNNING}"),
    "history-orphans": ("demo", "history show 211"),
    "verify": ("demo", "verify --settle 0"),
    "repair-plan": ("demo", "repair plan --settle 0"),
    "queue-show": ("demo", "queue show"),
    "requests-list": ("demo", "requests list"),
    "requests-show": ("demo", "requests show 204"),
    "queues-list": ("demo", "queues list"),
    "issues-list": ("i701", "issues list"),
    "issues-show": ("i703", "issues show //search:tests"),
    "facts-list": ("d803", "facts list --uri git://origin/demo/main/moved"),
    "rules-list": ("demo", "rules list"),
    "rules-explain": ("demo", "rules explain H102"),
    "db-check": ("demo", "db check"),
    "backfill": ("demo", "backfill acceptances"),
    "requests-of-a-state": ("demo", "requests list --state processing --order number"),
    "verify-clean": ("healthy", "verify --settle 0"),
    "verify-narrowed": ("demo", "verify --settle 0 --select E --last 3"),
    "repair-plan-of-nothing": ("healthy", "repair plan --settle 0"),
    "repair-apply": ("demo", f"{PLANNED} && {APPLY}"),
    "repair-apply-again": ("demo", f"{PLANNED} && {APPLY} && {APPLY}"),
    "backfill-applied": ("demo", "backfill acceptances --apply --yes"),
    "issues-list-empty": ("demo", "issues list"),
    "runs-list-empty": ("demo", "runs list"),
    "ledger-check": ("demo", "verify --settle 0 && ledger check"),
    "config-show": ("demo", "config show"),
    "db-ping": ("demo", "db ping"),
    "db-grants": ("demo", "db grants"),
    "fixtures-dump": ("demo", "fixtures dump --request 204 --out part.yaml"),
    "issues-observations": ("i701", "issues observations b-1"),
    "not-found": ("demo", "requests show 999"),
    "mistyped": ("demo", "isues list"),
    "refused": ("demo", APPLY),
    "exit-codes": ("demo", "help exit-codes"),
    "help": ("demo", "--help"),
    "help-of-a-command": ("demo", "verify --help"),
}
FAILURES = {"not-found": {5}, "mistyped": {2}, "refused": {2}}
# What is another one at each run or in each place: times, a path, identities and versions.
CHANCE = {
    r"(?m)^receipt .*\n(?: .*\n)*": "receipt  plan.json.receipt\n",
    r"(?<=its time  ).{23}": "2026-01-01T12:00:00.000",
    r"(?<=server    )[\d.]+": "3.40.1",
    r"(?<=answered  in )\d\.\d": "0.1",
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}": "0" * 8 + "-0000-4000-8000-" + "0" * 12,
}
# Sentences without any colour.
PLAIN = {
    *("issues-list-empty", "runs-list-empty", "db-grants", "issues-observations", "not-found", "mistyped", "refused"),
}
# What may stand in an escape: no colour of the background, and none that a light or a dark one would swallow.
TONES = frozenset({"0", "1", "2", "31", "32", "33"})


def event(name: str, occurrence: str, after_ms: int, metadata: dict[str, str]) -> RequestLog:
    """An event so long after the running request was accepted."""
    return RequestLog(
        QUEUE, RUNNING, f"event/{name}/{occurrence}", 1_764_150_060_000 + after_ms, event=name, metadata=metadata
    )


def folded() -> Iterator[RequestLog]:
    """Builds that were started over and over, and analyses that go on for ever."""
    for number in range(400):
        for after_ms, name in enumerate(("build_triggered", "build_finished")):
            build_id = f"retry-{number}"
            yield event(name, build_id, 60_000 + 9_000 * number + 4_500 * after_ms, {"build_id": build_id})
    for number in range(9_412):
        yield event("fix_submission_skipped", f"{number:04}", 4_000_000 + 250 * number, {})


def scripts() -> Iterator[RequestLog]:
    """Words that are wide, that combine, that run from right to left, and that act on a careless terminal."""
    words = ("構建已觸發", "e\u0301te\u0301", "בדיקה", "\u202eabc\u202c", "\U0001f600\U0001f525", "tab\there")
    for number, word in enumerate(words, start=1):
        yield event(word, word, 60_000 * number, {"note": word})


def contradictions() -> Iterator[RequestLog]:
    """Entries of another request's build, of no build, out of order, twice, repaired, and of a newer service."""
    yield event("build_triggered", "b-204", 30_000, {"build_id": "b-204"})
    yield event("build_finished", "b-212", 31_000, {"build_id": "b-212"})
    yield event("build_triggered", "nowhere", 32_000, {"build_id": "nowhere"})
    yield event("sung", "x", 33_000, {"verse": "1", "voice": "low"})
    yield event("build_analysis_completed", "b-212", 34_000, {"build_id": "b-212", "repair_run_id": "0192f0c1"})
    yield RequestLog(QUEUE, RUNNING, "log/" + "0" * 64, 1_764_150_070_000, state="processing", request_version=2)
    yield RequestLog(QUEUE, RUNNING, "state/3", 1_764_150_050_000, state="accepted", request_version=3)


ADDED: dict[str, Callable[[], Iterator[RequestLog]]] = {
    "folded": folded,
    "scripts": scripts,
    "contradictions": contradictions,
}


@pytest.fixture(scope="session")
def widened(scenario_files: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The database file of a screen: a scenario's, or the damaged one with more entries of the running request."""
    directory = tmp_path_factory.mktemp("golden")

    def file_of(name: str) -> Path:
        if name not in ADDED:
            return scenario_files(name)
        path = directory / f"{name}.db"
        if not path.exists():
            path.write_bytes(scenario_files("demo").read_bytes())
            with open_storage(f"sqlite:///{path}") as factory:
                storage: Storage = factory.for_queue(QUEUE)
                storage.bulk.insert([log_row(entry) for entry in ADDED[name]()])
        return path

    return file_of


@pytest.fixture
def screen(program: Program, widened: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a terminal of that width shows of a screen: the answer, and below it what goes to stderr.

    Nothing on it is due to chance or to the place of the database.
    """
    numbers = itertools.count()
    monkeypatch.setattr(secrets, "randbits", lambda _bits: next(numbers))
    monkeypatch.setattr(socket, "gethostname", lambda: "host")
    monkeypatch.setattr(getpass, "getuser", lambda: "operator")
    monkeypatch.chdir(program.home)

    def draw(name: str, width: int, colour: str = "never") -> str:
        database, words = SCREENS[name]
        file = program.home / "stovepipe.db"
        file.write_bytes(widened(database).read_bytes())
        with contextlib.closing(sqlite3.connect(file)) as connection:
            # Its identity, which is drawn by lot when a file is made.
            connection.execute("PRAGMA application_id = 1")
        (program.home / "config.yaml").write_text("{}\n")
        program.environ |= {
            "STOVEPIPE_DATABASE_URL": f"sqlite:///{file.name}",
            "STOVEPIPE_LEDGER_URL": "sqlite:///ledger.db",
            "STOVEPIPE_CONFIG": "config.yaml",
            "STOVEPIPE_QUEUE": QUEUE,
        }
        *before, shown = words.split(" && ")
        for each in before:
            program(*each.split(), width=width)
        argv = [*shown.split(), "--no-progress", "--color", colour]
        result = program(*argv, terminal=True, width=width, environ={"STOVEPIPE_PAGER": ""})
        assert result.code in FAILURES.get(name, {0, 3}), result.stderr
        text = f"$ stovepipe {shown}\n{result.stdout}{result.stderr}"
        for pattern, instead in CHANCE.items():
            text = re.sub(pattern, instead, text)
        return text

    return draw


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_looks_as_it_did_when_somebody_looked_at_it(name: str, width: int, screen: Callable[..., str]) -> None:
    drawn = screen(name, width)
    path = GOLDEN / f"{name}.{width}.txt"
    if os.environ.get("STOVEPIPE_GOLDEN") == "write":
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [name for name in SCREENS if name.startswith("history")])
def test_a_history_is_never_wider_than_its_terminal(name: str, width: int) -> None:
    text = (GOLDEN / f"{name}.{width}.txt").read_text(encoding="utf-8")
    answer = [line for line in text.splitlines()[1:] if not line.startswith(("next: ", "note: "))]
    assert max(map(cell_len, answer)) <= width


@pytest.mark.parametrize("name", [name for name in SCREENS if not name.startswith("help") and name not in PLAIN])
def test_colours_are_seen_on_light_and_on_dark(name: str, screen: Callable[..., str]) -> None:
    escapes = screen(name, 80, "always").split("\x1b[")[1:]
    assert escapes
    assert {each.partition("m")[0] for each in escapes} <= TONES


def test_every_golden_file_is_a_screen() -> None:
    files = {path.name for path in GOLDEN.glob("*.txt")}
    assert files == {f"{name}.{width}.txt" for name in SCREENS for width in WIDTHS}
