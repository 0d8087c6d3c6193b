"""Names that a mistyped one may have been meant to be."""

import difflib
from collections.abc import Iterable

_ALIKE = str.maketrans("oil", "011")


def near_names(wanted: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """At most so many of the known names, the likeliest first; those alone that look the same where there are any.

    Neither case nor O for 0 nor l for 1 makes a difference. `cutoff` is the least share of characters that a name has
    to have in common with the wanted one.
    """
    looks: dict[str, list[str]] = {}
    for name in known:
        looks.setdefault(_look(name), []).append(name)
    look = _look(wanted)
    near = [look] if look in looks else difflib.get_close_matches(look, looks, n=most, cutoff=cutoff)
    return tuple(name for each in near for name in looks[each])[:most]


def did_you_mean(wanted: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str | None:
    """The question to ask; None where nothing is near."""
    names = near_names(wanted, known, most=most, cutoff=cutoff)
    quoted = [f"'{name}'" for name in names]
    return f"did you mean {' or '.join(quoted)}?" if quoted else None


def _look(name: str) -> str:
    return name.casefold().translate(_ALIKE)
