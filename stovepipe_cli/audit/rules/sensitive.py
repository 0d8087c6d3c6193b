"""Values that must not stand in history, found by fixed patterns; nothing is guessed from entropy."""

import re

# Beyond this a value is not searched: a secret stands near the front of whatever quotes it.
SEARCHED_CHARACTERS = 16_384

# Every pattern needs one of these, so that a text without any is harmless at once.
_SUSPECT = re.compile(
    r"-----BEGIN|://|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|sk_live_|npm_|eyJ|\n|Traceback|\\[nu]"
)

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a private key", re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")),
    ("a password in a URL", re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s/?#:@]{0,200}:[^\s/?#@]{1,200}@")),
    (
        "an access token",
        re.compile(
            r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}|glpat-[A-Za-z0-9_\-]{20}"
            r"|xox[abprs]-[A-Za-z0-9\-]{10}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[A-Za-z0-9_\-]{35}"
            r"|sk_live_[A-Za-z0-9]{16}|npm_[A-Za-z0-9]{36})"
        ),
    ),
    ("a signed web token", re.compile(r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}")),
    (
        "a stack trace",
        re.compile(
            r"Traceback \(most recent call last\):|^goroutine \d+ \[|^\s+at [\w$.<>]+\([\w$]+\.\w+:\d+\)"
            r"|^\s+File \"[^\"\n]+\", line \d+|^\s+\S+\.go:\d+ \+0x[0-9a-f]+",
            re.MULTILINE,
        ),
    ),
)


def kinds_of_secret(value: str) -> tuple[str, ...]:
    """What the value seems to hold, as phrases; empty for ordinary text, hashes and ids."""
    return tuple(kind for kind, pattern in _PATTERNS if pattern.search(value[:SEARCHED_CHARACTERS]))


def is_plainly_harmless(text: str) -> bool:
    """Whether JSON text holds nothing that any pattern could match; False means: look closer."""
    found = _SUSPECT.search(text)
    if found is None:
        return True
    # The one frequent suspect is an address; without an @ no password is in it.
    return found.group() == "://" and "@" not in text and _SUSPECT.search(text, found.end()) is None


def are_plainly_harmless(joined: str) -> bool:
    """The same for many values with something between them; a password in a URL needs an @."""
    return "@" not in joined and _SUSPECT.search(joined.replace("://", " ")) is None
