"""Which spelling of a database URL a text is, and the rule that no password comes in through the command line."""

import re

from stovepipe_cli.dsn.go_form import ends_like_go_form, parse_go_form
from stovepipe_cli.dsn.target import DatabaseTarget, complete_target
from stovepipe_cli.dsn.url_form import ACCEPTED, parse_url_form
from stovepipe_cli.errors import InvalidInput, UsageError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://(.*)", re.DOTALL)
_OURS = re.compile(r"(?:mysql|mariadb|sqlite|memory)(?:\+.*)?", re.IGNORECASE)


def parse_database_url(text: str, *, from_argv: bool) -> DatabaseTarget:
    """The whole target that `text` names, in SQLAlchemy's or the go-sql-driver's spelling.

    Raises InvalidInput for a text that is neither or says too little, UsageError for a password `from_argv`. No
    message repeats a part of `text` that could hold a password.
    """
    return complete_target(parse_partial_url(text, from_argv=from_argv))


def parse_partial_url(text: str, *, from_argv: bool) -> DatabaseTarget:
    """Like `parse_database_url`, but what is left out stays None, for an option file to fill in."""
    if not text or text != text.strip():
        raise InvalidInput(
            "the database URL is empty" if not text.strip() else "the database URL has white space around it",
            hint=f"write {ACCEPTED}",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("the database URL is not UTF-8", hint="percent-encode the bytes in question") from None
    target = _parse(text)
    if from_argv and target.password is not None:
        raise UsageError(
            "a password on the command line can be read by every user of this machine",
            hint="leave it out of the URL and use password_file, password_command or password_env in a profile, "
            "--defaults-file, the environment variable STOVEPIPE_PASSWORD, or the whole URL in STOVEPIPE_DATABASE_URL",
        )
    return target


def _parse(text: str) -> DatabaseTarget:
    match = _SCHEME.fullmatch(text)
    if match is None:
        return parse_go_form(text)
    scheme, rest = match.groups()
    if not ends_like_go_form(rest):
        return parse_url_form(scheme, rest)
    if _OURS.fullmatch(scheme):
        raise InvalidInput(
            f"the database URL starts like a URL ('{scheme}://') and ends like a Go DSN ('tcp(...)')",
            hint=f"drop '{scheme}://', or write {scheme}://user@host:3306/database",
        )
    return parse_go_form(text)
