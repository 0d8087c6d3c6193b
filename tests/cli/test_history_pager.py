"""A long history goes through a pager: on a terminal alone, only where it is longer than the screen, and as asked."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.running import Process
from tests.support.pseudo_terminal import PseudoTerminal

QUEUE = "demo/main"
# Goes on until Ctrl-C.
PATIENT_PAGER = """#!/bin/sh
trap 'echo GOT IT; kill $!; exit 0' INT
cat
tail -f /dev/null &
echo WAITING
wait
"""
ON_A_TERMINAL: Mapping[str, str] = {"TERM": "xterm"}


@pytest.fixture
def environ(database: Callable[[str], Path], process: Process) -> dict[str, str]:
    """An environment that leads to the damaged queue and to a pager that says that it was there."""
    pager = process.home / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    return {
        "STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}",
        "STOVEPIPE_QUEUE": QUEUE,
        "PAGER": str(pager),
        **ON_A_TERMINAL,
    }


@pytest.fixture
def shown(process: Process, environ: dict[str, str]) -> Callable[..., str]:
    """What a terminal of so many lines shows in the end; the program exits with 0 unless told otherwise."""

    def run(*argv: str, lines: int = 10, code: int = 0, more: Mapping[str, str] | None = None) -> str:
        command = process.command("history", "show", *argv)
        with PseudoTerminal(
            command, process.environ(environ | dict(more or {})), process.home, lines=lines
        ) as terminal:
            assert terminal.end() == code, terminal.shown
            return terminal.shown

    return run


def test_a_history_longer_than_the_screen_goes_through_the_pager(shown: Callable[..., str]) -> None:
    text = shown("204")
    assert text.startswith("PAGED\n")
    assert "3 entries, 3 missing" in text


def test_what_to_do_next_is_told_when_the_pager_has_been_left(shown: Callable[..., str]) -> None:
    assert shown("204").splitlines()[-1].startswith("next: stovepipe repair plan")


def test_a_history_that_fits_is_shown_at_once(shown: Callable[..., str]) -> None:
    assert "PAGED" not in shown("204", lines=60)


def test_a_history_and_a_prompt_that_just_fit_are_shown_at_once(shown: Callable[..., str]) -> None:
    rows = shown("204", "--no-pager").splitlines()
    size = sum(not row.startswith("next: ") for row in rows)
    assert "PAGED" in shown("204", lines=size)
    assert "PAGED" not in shown("204", lines=size + 1)


@pytest.mark.parametrize("more", [{"PAGER": ""}, {"PAGER": "cat"}, {"STOVEPIPE_PAGER": "cat"}], ids=str)
def test_no_pager_is_used_where_none_is_wanted(more: dict[str, str], shown: Callable[..., str]) -> None:
    assert "PAGED" not in shown("204", more=more)


def test_an_option_leaves_the_pager_out(shown: Callable[..., str]) -> None:
    assert "PAGED" not in shown("204", "--no-pager")


@pytest.mark.parametrize("output", ["json", "tsv", "ndjson"])
def test_rows_and_documents_are_not_paged(output: str, shown: Callable[..., str]) -> None:
    assert "PAGED" not in shown("204", "-o", output, lines=5)


def test_a_failure_is_not_paged(shown: Callable[..., str]) -> None:
    assert shown("999999", lines=2, code=5).startswith("stovepipe: ")


def test_a_pager_that_is_left_early_is_no_failure(shown: Callable[..., str]) -> None:
    assert "next: " in shown("204", more={"PAGER": "head -n 1"})


def test_a_pager_that_cannot_be_run_is_done_without(shown: Callable[..., str]) -> None:
    text = shown("204", more={"PAGER": "/no/such/pager"})
    assert text.index("not found") < text.index("3 entries, 3 missing")


def test_ctrl_c_belongs_to_the_pager(process: Process, environ: dict[str, str]) -> None:
    pager = process.home / "patient"
    pager.write_text(PATIENT_PAGER)
    pager.chmod(0o755)
    command = process.command("history", "show", "204")
    with PseudoTerminal(command, process.environ(environ | {"PAGER": str(pager)}), process.home, lines=10) as terminal:
        terminal.see("WAITING")
        terminal.type("\x03")
        assert terminal.end() == 0
        assert "GOT IT" in terminal.shown


def test_a_pipe_is_never_paged(process: Process, environ: dict[str, str]) -> None:
    result = process("history", "show", "204", "-o", "table", environ=environ | {"LINES": "5"})
    assert (result.code, "PAGED" in result.stdout) == (0, False)
