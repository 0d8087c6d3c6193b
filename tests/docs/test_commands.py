"""Every command line that a page shows is one that the program takes."""

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.commands import options
from stovepipe_cli.repair.failed_reason import FAILED_REASONS
from tests.cli.every_command import COMMANDS, ROOT

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = (CHECKOUT / "README.md", CHECKOUT / "fixtures" / "README.md", *sorted((CHECKOUT / "docs").glob("*.md")))
RUNBOOK = CHECKOUT / "docs" / "operations.md"

_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(stovepipe [^`]+)`")
_CALL = re.compile(r"(?:^|[\s=/])(stovepipe (?!=)[^#|>&\n]*)")
# Lines that speak of commands without being one.
_PLACEHOLDERS = ("COMMAND", "[OPTIONS]")


OPTIONS = options.OptionNames(
    valued={each: str(option.name) for option in ROOT.params if not option.is_flag for each in option.opts},
    switches={each: str(option.name) for option in ROOT.params if option.is_flag for each in option.opts},
)


def calls(page: Path) -> Iterator[str]:
    text = page.read_text()
    for block in _BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if not line.lstrip().startswith(("#", "│")):
                yield from _CALL.findall(line)
    yield from _INLINE.findall(_BLOCK.sub("", text))


EVERY = [
    pytest.param(call, id=f"{page.relative_to(CHECKOUT)}: {call}")
    for page in PAGES
    for call in dict.fromkeys(each.strip() for each in calls(page))
    if not any(each in call for each in _PLACEHOLDERS)
]


def parse(call: str) -> None:
    """Raise what the parser raises for a command, an option, a value or an argument that cannot be."""
    # N and S stand for numbers.
    call = re.sub(r"\b[NS]\b", "7", call)
    arranged = options.arrange(shlex.split(call)[1:], OPTIONS)
    assert arranged.unfinished is None, f"'{arranged.unfinished}' lacks its value"
    name = options.full_name(arranged.words)
    if not name:
        ROOT.make_context("stovepipe", list(arranged.args))
        return
    assert name in COMMANDS, f"there is no command '{name}'"
    words, argv = name.split(), list(arranged.args)
    place = next(at for at in range(len(argv)) if argv[at : at + len(words)] == words)
    ROOT.make_context("stovepipe", argv[: place + len(words)])
    COMMANDS[name].make_context(name, argv[place + len(words) :])


@pytest.mark.parametrize("call", EVERY)
def test_a_command_line_of_a_page_can_be_typed(call: str) -> None:
    with contextlib.suppress(typer.Exit):
        parse(call)


@pytest.mark.parametrize(
    "call",
    [
        "stovepipe repair aply plan.json",
        "stovepipe repair apply plan.json --undo",
        "stovepipe repair apply plan.json --max-entries many",
        "stovepipe history show 204 --queue",
        "stovepipe rules explain",
    ],
)
def test_a_command_line_that_the_program_does_not_take_is_noticed(call: str) -> None:
    with pytest.raises((AssertionError, typer.TyperException)):
        parse(call)


def test_pages_show_commands() -> None:
    shown = {page.name for page in PAGES if any(True for _ in calls(page))}
    assert shown >= {"README.md", "operations.md"}


def test_the_runbook_goes_all_the_way() -> None:
    text = RUNBOOK.read_text()
    places = [text.index(f"\nstovepipe {words}") for words in ("verify", "repair plan", "repair apply")]
    assert places == sorted(places)
    assert "stovepipe verify" in text[places[-1] :]


def test_the_runbook_names_every_option_of_repair() -> None:
    text = RUNBOOK.read_text()
    for name in ("repair plan", "repair apply"):
        spellings = {option for parameter in COMMANDS[name].params for option in parameter.opts if "--" in option}
        told_elsewhere = {"--help", "--force", "--settle", "--min-age", "--history-since", "--allow-empty", "--batch"}
        assert [option for option in sorted(spellings - told_elsewhere) if option not in text] == []


def test_the_runbook_says_what_becomes_of_every_rule_that_nothing_repairs() -> None:
    (table,) = re.findall(r"^## What is never repaired.*?\n(.*?)^## ", RUNBOOK.read_text(), re.DOTALL | re.MULTILINE)
    told = set(re.findall(r"\b[HEPAUQID]\d{3}\b", table))
    for letter, first, last in re.findall(r"\b([HEPAUQID])(\d{3}) to \1(\d{3})\b", table):
        told |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    unrepaired = {code for code, rule in RULES.items() if rule.repaired_by is None and rule.severity == "error"}
    # About the rows of issues and degrees, which the page of rules explains.
    assert {code for code in unrepaired - told if code[0] not in "ID"} == set()


def test_reasons_that_the_runbook_shows_are_reasons() -> None:
    assert set(re.findall(r"--failed-reason \d+=(\w+)", RUNBOOK.read_text())) <= FAILED_REASONS
