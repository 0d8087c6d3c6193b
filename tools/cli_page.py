"""Writes docs/cli.md and docs/exit-codes.md from the program; with --check it only tells whether they differ."""

import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer.main

import stovepipe_cli
from stovepipe_cli.cli import build_app
from stovepipe_cli.commands import GROUPS
from stovepipe_cli.commands.sections import SECTIONS
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.reports.exit_codes import EXIT_CODES

DOCS = Path(__file__).resolve().parents[1] / "docs"
# One code or several, and what they mean; and what the parser writes behind the name of an argument.
_CODES = re.compile(r"(\d+(?:(?:,| and| or) \d+)*) (.*)")
_TYPE = re.compile(r" <[^>]*>$")

MADE = "This page is made from the program by `make docs`."

CLI_HEAD = f"""\
# The command line

{MADE} Every command prints the same with `--help`.

The shared options are taken before and after the words of a command, and a group may be named in the singular or the
plural. [exit-codes.md](exit-codes.md) says how a command can end, [json-output.md](json-output.md) what `-o json`
prints.
"""

EXITS_HEAD = f"""\
# Exit codes

{MADE} `stovepipe help exit-codes` prints the first table.
It is the same for every command, and each command's `--help` says which of them it can end with, and why.
"""

EXITS_TAIL = """\
Where several are due, a signal outranks an error, an error outranks findings, and findings outrank incomplete; the
answer shows both all the same. A list or a `show` ends with 0 whenever it could answer: what is missing in a history is
an answer, and so is an empty list.

A cron job may take 0 for good, 3 for work, and 4 for "look again": what could not be looked at is never clean. 6 and 8
pass by themselves. Everything else wants a person.

## Failures

With `-o json` a failure is a document with `"verdict": "error"`, `"data": null` and one of these codes in `errors`.
`retryable` says that the same command may work later without any change.

| code | ends with | retryable | what happened |
|---|---|---|---|
"""


def cli_page() -> str:
    """The page of commands."""
    return "\n".join(_cli_lines())


def exit_codes_page() -> str:
    """The page of exit codes."""
    rows = "".join(f"| {each.code} | {each.name} | {each.meaning} |\n" for each in EXIT_CODES)
    failures = "".join(f"{row}\n" for row in _failures())
    return f"{EXITS_HEAD}\n| code | name | when |\n|---|---|---|\n{rows}\n{EXITS_TAIL}{failures}"


def _cli_lines() -> Iterator[str]:
    root: Any = typer.main.get_command(build_app())
    yield CLI_HEAD
    for title, names in SECTIONS:
        links = [f"[{name}](#{name})" for name in names if name in root.commands]
        yield f"- {title}: {', '.join(links)}"
    yield "\n## Shared options\n"
    yield from _table(_records(root, "stovepipe"), ("option", "meaning"))
    for _, names in SECTIONS:
        for name in names:
            if name in root.commands:
                yield from _chapter(name, root.commands[name])


def _chapter(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - typer keeps the type of a command private
    children: Mapping[str, Any] = getattr(command, "commands", {})
    yield f"## {name}\n"
    if not children:
        yield from _command(name, command)
        return
    yield f"{GROUPS[name]}\n"
    for child, each in children.items():
        yield f"### {name} {child}\n"
        yield from _command(f"{name} {child}", each)


def _command(words: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    context = _context(command, words)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: stovepipe ")
    yield f"`{usage}`\n"
    yield from _prose(command.help)
    records = [each for each in _records(command, words) if "--help" not in each[0]]
    if records:
        yield from _table(records, ("argument or option", "meaning"))
    example, exits = re.findall(r"\x08\n(?:Example|Exit codes):\n(.*?)(?=\n\n|\Z)", command.epilog, re.DOTALL)
    yield f"```\n{example.strip()}\n```\n"
    told = [(each.strip(), _CODES.fullmatch(each.strip())) for each in exits.splitlines()]
    yield from _table([match.groups() for _, match in told if match], ("exit code", "when"))
    yield from (f"{text[:1].upper()}{text[1:]}.\n" for text, match in told if not match)


def _prose(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        is_kept = paragraph.startswith("\b")
        yield f"```\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```\n" if is_kept else f"{paragraph.strip()}\n"


def _records(command: Any, words: str) -> list[tuple[str, str]]:  # noqa: ANN401 - as above
    context = _context(command, words)
    found = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    return [(f"`{_TYPE.sub('', record[0])}`", record[1]) for record in found if record]


def _context(command: Any, words: str) -> Any:  # noqa: ANN401 - as above
    return command.make_context(words if words == "stovepipe" else f"stovepipe {words}", [], resilient_parsing=True)


def _table(rows: list[Any], heads: tuple[str, str]) -> Iterator[str]:
    yield f"| {heads[0]} | {heads[1]} |\n|---|---|"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def _failures() -> Iterator[str]:
    """A row for every code that an error of the program has."""
    for module in pkgutil.walk_packages(stovepipe_cli.__path__, "stovepipe_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    kinds: dict[str, type[StovepipeError]] = {}
    for each in _below(StovepipeError):
        if "code" in vars(each):
            kinds.setdefault(each.code, each)
    for code, kind in sorted(kinds.items(), key=lambda item: (item[1].exit_code, item[0])):
        (what, *_) = " ".join((kind.__doc__ or "").split()).split(". ")
        yield f"| {code} | {kind.exit_code} | {'yes' if kind.retryable else 'no'} | {what.rstrip('.')} |"


def _below(kind: type[StovepipeError]) -> Iterator[type[StovepipeError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; the exit code."""
    pages = {DOCS / "cli.md": cli_page(), DOCS / "exit-codes.md": exit_codes_page()}
    if arguments == ["--check"]:
        stale = [file.name for file, text in pages.items() if not file.exists() or file.read_text("utf-8") != text]
        for name in stale:
            print(f"{name} is not what the program says: run 'make docs'")
        return 1 if stale else 0
    for file, text in pages.items():
        file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
