"""The options that every command shares, and the rewriting of argv that lets them stand anywhere."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from stovepipe_cli.commands import GROUPS, SINGLES
from stovepipe_cli.errors import UsageError

Queue = Annotated[
    str | None, typer.Option("--queue", "-q", metavar="QUEUE", help="Queue to work on [env: STOVEPIPE_QUEUE].")
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Profile to use [env: STOVEPIPE_PROFILE].")
]
DatabaseURL = Annotated[
    str | None,
    typer.Option("--database-url", metavar="URL", help="Database, without a password [env: STOVEPIPE_DATABASE_URL]."),
]
ReadURL = Annotated[
    str | None,
    typer.Option("--read-url", metavar="URL", help="Replica that verify, history and lists read, without a password."),
]
DefaultsFile = Annotated[
    str | None, typer.Option("--defaults-file", metavar="FILE", help="MySQL option file with the login.")
]
LedgerURL = Annotated[
    str | None,
    typer.Option("--ledger-url", metavar="URL", help="Ledger database, or none [env: STOVEPIPE_LEDGER_URL]."),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FORMAT", help="table, tsv, json, ndjson or csv; table on a terminal, else tsv."
    ),
]
OutputFile = Annotated[
    str | None, typer.Option("--output-file", metavar="FILE", help="Write the answer to this file, at once whole.")
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="NAMES", help="Only these columns, comma-separated (tsv, csv, table)."),
]
NoHeaders = Annotated[bool, typer.Option("--no-headers", help="Leave the header row out.")]
TimeZone = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Zone to show times in: a name, UTC or local.")
]
Colour = Annotated[str | None, typer.Option("--color", metavar="WHEN", help="auto, always or never.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no progress.")]
ProgressKind = Annotated[
    str | None,
    typer.Option("--progress", metavar="KIND", help="auto (a terminal alone sees it), or plain: one line a minute."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Nothing on stderr, and no table where the code is 0.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Tell on stderr what the database is asked, and where a bug is.")
]
LogFormat = Annotated[
    str | None, typer.Option("--log-format", metavar="FORMAT", help="text, or json: every line of stderr an object.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Answer yes to questions.")]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never ask [env: STOVEPIPE_NO_INPUT].")]
ServiceDSN = Annotated[
    bool, typer.Option("--use-service-dsn", help="Let a command write with the login of STORAGE_MYSQL_DSN.")
]
ConnectTimeout = Annotated[
    str | None, typer.Option("--connect-timeout", metavar="TIME", help="How long to wait for a connection (5s).")
]
StatementTimeout = Annotated[
    str | None, typer.Option("--statement-timeout", metavar="TIME", help="Longest statement (30s).")
]
ThrottleTimeout = Annotated[
    str | None, typer.Option("--throttle-timeout", metavar="TIME", help="Longest wait for a throttle (10m).")
]
RunTime = Annotated[
    str | None, typer.Option("--run-time", metavar="TIME", help="Time for the whole job (off a terminal 6h).")
]


# user:password before a host, in a database URL and in the form of Go's driver.
_LOGIN = re.compile(
    r"^(?:-[^=]*=)?(?:(?:mysql|mariadb)[^:/]*://[^:@]*:[^@]+@|(?:mysql|mariadb)[^:/]*://.*[?&]passw|[^:/@]+:.+@(?:tcp6?|unix)\()",
    re.IGNORECASE,
)


def holds_login(token: str) -> bool:
    """Whether a word of argv shows a password to every user of the machine, and so must not be repeated anywhere."""
    return _LOGIN.search(token) is not None


def login_in_argv() -> UsageError:
    """The refusal of such a word."""
    return UsageError(
        "a password on the command line can be read by every user of this machine",
        hint="leave it out and use password_file, password_command or password_env in a profile, --defaults-file, "
        "the environment variable STOVEPIPE_PASSWORD, or the whole URL in STOVEPIPE_DATABASE_URL",
    )


@dataclass(frozen=True, slots=True)
class Arguments:
    """argv made ready for the parser, the words that name the command as they were typed, and the shared options.

    `shared` maps names of parameters to what was given, known also where the parser refuses the rest. `unfinished` is
    a shared option at the end that lacks its value.
    """

    args: tuple[str, ...]
    words: str
    shared: Mapping[str, str | bool]
    unfinished: str | None


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Spellings of the shared options with the names of their parameters, by whether a value follows."""

    valued: Mapping[str, str]
    switches: Mapping[str, str]


def arrange(argv: Sequence[str], names: OptionNames) -> Arguments:
    """Move shared options to the front and give groups their full name, so that both orders and both numbers work.

    Nothing behind `--` moves.
    """
    front: list[str] = []
    rest: list[str] = []
    shared: dict[str, str | bool] = {}
    unfinished: str | None = None
    position = 0
    while position < len(argv):
        token = argv[position]
        position += 1
        if token == "--":  # noqa: S105 - the end of options, no password
            rest.extend((token, *argv[position:]))
            break
        name, attached = _split(token, names)
        if name in names.switches and attached is None:
            front.append(token)
            shared[names.switches[name]] = True
        elif name in names.valued and (attached is not None or position < len(argv)):
            if attached is None:
                attached = argv[position]
                position += 1
            front.extend((name, attached))
            shared[names.valued[name]] = attached
        elif name in names.valued:
            unfinished = name
        else:
            rest.append(token)
    return Arguments((*front, *_full_names(rest)), _words(rest), shared, unfinished)


def full_name(words: str) -> str:
    """The words with the group's own name."""
    return " ".join(_full_names(words.split(" ")))


def _split(token: str, names: OptionNames) -> tuple[str, str | None]:
    if token.startswith("--"):
        name, equals, value = token.partition("=")
        return name, value if equals else None
    if len(token) > 2 and token[0] == "-" and token[:2] in names.valued:  # noqa: PLR2004 - a dash and a letter
        return token[:2], token[2:].removeprefix("=")
    return token, None


def spellings_of(words: str) -> tuple[str, str]:
    """The words of a command, and the same with the other number of their first."""
    first, space, rest = words.partition(" ")
    return words, f"{_other_number(first)}{space}{rest}"


def _group(word: str) -> str:
    if word in GROUPS or word in SINGLES:
        return word
    return next((known for known in (*GROUPS, *SINGLES) if _other_number(known) == word), word)


def _other_number(word: str) -> str:
    return word.removesuffix("s") if word.endswith("s") else f"{word}s"


def _full_names(rest: Sequence[str]) -> list[str]:
    return [_group(word) if position == 0 else word for position, word in enumerate(rest)]


def _words(rest: Sequence[str]) -> str:
    """The command as typed: a group with the word after it, or a word alone, known or not."""
    if not rest or rest[0].startswith("-"):
        return ""
    is_group = _group(rest[0]) in GROUPS
    has_more = len(rest) > 1 and not rest[1].startswith("-")
    return f"{rest[0]} {rest[1]}" if is_group and has_more else rest[0]
