"""Rules chosen by code or prefix."""

from collections.abc import Sequence

from stovepipe_cli.audit.rules.registry import RULES
from stovepipe_cli.errors import UsageError
from stovepipe_cli.near_names import did_you_mean


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
            near = did_you_mean(wanted, RULES, most=1, cutoff=0.5)
            hint = " ".join(filter(None, (near, "see 'stovepipe rules list'")))
            raise UsageError(f"no rule has the code or prefix '{prefix}'", hint=hint)
        found |= codes
    return frozenset(found)
