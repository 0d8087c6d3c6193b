"""Rules chosen by code or prefix."""

import difflib
from collections.abc import Sequence

from stovepipe_cli.audit.rules.registry import RULES
from stovepipe_cli.errors import UsageError


def select_codes(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> frozenset[str]:
    """The codes that remain: those that start with any of `select` (none given: all), less those of `ignore`.

    `UsageError` for a prefix that no rule has, and where nothing remains.
    """
    chosen = _matching(select) if select else frozenset(RULES)
    remaining = chosen - _matching(ignore)
    if not remaining:
        raise UsageError("no rule is left to check", hint="select more, or ignore less; see 'stovepipe rules list'")
    return remaining


def _matching(prefixes: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for prefix in prefixes:
        wanted = prefix.strip().upper()
        codes = {code for code in RULES if wanted and code.startswith(wanted)}
        if not codes:
            near = difflib.get_close_matches(wanted, RULES, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise UsageError(f"no rule has the code or prefix '{prefix}'", hint=f"{hint}see 'stovepipe rules list'")
        found |= codes
    return frozenset(found)
