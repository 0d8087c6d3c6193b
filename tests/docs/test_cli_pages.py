"""The pages about commands, exit codes and JSON are what the program says."""

import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_origin

import pytest
import typer

from stovepipe_cli.render.projection import LINES
from stovepipe_cli.reports.answers import ANSWERS
from stovepipe_cli.reports.exit_codes import EXIT_CODES
from tests.cli.described import complaints
from tests.cli.every_command import COMMANDS
from tests.docs.test_commands import parse

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"
CLI, EXITS, JSON = (DOCS / name for name in ("cli.md", "exit-codes.md", "json-output.md"))


def test_the_generated_pages_are_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, str(CHECKOUT / "tools" / "cli_page.py"), "--check"],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env={"PYTHONPATH": str(CHECKOUT)},
        check=False,
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), "run 'make docs'"


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_has_its_place_with_every_option_and_exit_code(words: str) -> None:
    level = "##" if " " not in words else "###"
    (text,) = re.findall(rf"^{level} {words}\n(.*?)(?=^##|\Z)", CLI.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    options = {option for each in COMMANDS[words].params for option in each.opts if option.startswith("--")}
    assert [option for option in sorted(options - {"--help"}) if f"{option} " not in text.replace("`", " ")] == []
    told = re.findall(r"^  (\d+)", COMMANDS[words].epilog, re.MULTILINE)
    assert re.findall(r"^\| (\d+)", text, re.MULTILINE) == told


@pytest.mark.parametrize("words", COMMANDS)
def test_the_example_of_a_command_can_be_typed(words: str) -> None:
    (example,) = re.findall(r"Example:\n  (.*)", COMMANDS[words].epilog)
    # What a shell does with the answer is the shell's.
    with contextlib.suppress(typer.Exit):
        parse(re.split(r" [>|] ", example)[0])


def test_the_page_of_exit_codes_has_the_table() -> None:
    shown = re.findall(r"^\| (\d+) \| ([a-z-]+) \| ([^|]+) \|$", EXITS.read_text("utf-8"), re.MULTILINE)
    assert shown == [(str(each.code), each.name, each.meaning) for each in EXIT_CODES]


def test_lines_that_the_page_of_json_shows_are_as_described() -> None:
    (block,) = re.findall(r'```\n(\{"kind":.*?)```', JSON.read_text("utf-8"), re.DOTALL)
    lines = [json.loads(line) for line in block.splitlines()]
    assert [each for line in lines for each in complaints(line, "issues list", is_line=True)] == []


def test_the_page_of_json_names_the_kinds_of_lines() -> None:
    text = JSON.read_text("utf-8")
    rows = re.findall(r"^\| `.*? \| (.*) \|$", text, re.MULTILINE)
    told = {kind for row in rows for kind in re.findall("`([a-z-]+)`", row)}
    assert told >= {kind for kinds in LINES.values() for kind in kinds.values()}


def test_a_command_that_prints_lines_of_several_kinds_is_in_the_table() -> None:
    text = JSON.read_text("utf-8")
    for words, answers in ANSWERS.items():
        names = {getattr(get_origin(each) or each, "__name__", "") for each in answers}
        kinds = [kind for name in names for kind in LINES.get(name, {}).values()]
        if set(kinds) - {"item"}:
            assert f"| `{words}` |" in text, words


def test_the_envelope_that_the_page_of_json_shows_is_one() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", JSON.read_text("utf-8"), re.DOTALL)
    document = json.loads(block)
    # The answer itself is shortened.
    assert {each.partition(":")[0] for each in complaints(document, "verify")} <= {"", "data"}
