"""Commands that are advised to somebody who named a database by options: they name the same one."""

import re
from collections.abc import Mapping
from shlex import quote

_PLACES = ("profile", "database_url", "defaults_file", "ledger_url")
# Groups that ask a database or the configuration; the others answer alike wherever they are asked.
_COMMAND = re.compile(
    r"(?<![\w/.-])stovepipe (?=(?:history|queues?|requests?|issues?|facts?|verify|repair|backfill|runs?|ledger|db"
    r"|fixtures load|config show)\b)"
)


def place_words(flags: Mapping[str, object]) -> str:
    """The options among `flags` that say which database and ledger are meant, as a shell takes them; often empty."""
    given = {name: flags.get(name) for name in _PLACES}
    return " ".join(
        f"--{name.replace('_', '-')} {quote(str(value))}" for name, value in given.items() if value is not None
    )


def in_same_place(text: str, place: str) -> str:
    """The text with `place` in each command that it advises."""
    return _COMMAND.sub(lambda _match: f"stovepipe {place} ", text) if place else text
