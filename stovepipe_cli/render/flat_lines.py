"""Lines of JSON for many items whose fields are all text, without a JSON value in between."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain
from operator import attrgetter
from typing import cast

from stovepipe_cli.render.json_output import item_lines
from stovepipe_cli.reports import json_form
from stovepipe_cli.reports.stored_items import StoredItems

_FEWEST_FIELDS = 2
_AT_ONCE = 500


def is_flat(item_type: type[object]) -> bool:
    """Whether its items are objects of a few fields, none of which an object of a line has already."""
    if not is_dataclass(item_type):
        return False
    own = fields(item_type)
    return len(own) >= _FEWEST_FIELDS and all(each.name != "kind" and each.metadata.get("json", True) for each in own)


def flat_lines(kind: str, item_type: type[object], items: Sequence[object], *, ascii_only: bool) -> Iterator[str]:
    """What `item_lines` makes of them, many lines a piece; `item_type` is flat."""
    names = [each.name for each in fields(item_type)] if is_dataclass(item_type) else []
    pattern = f'{{"kind":"{kind}",' + ",".join(f'"{name}":"%s"' for name in names) + "}"
    rows = items.rows if isinstance(items, StoredItems) else [*map(attrgetter(*names), items)]
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        if _is_plain(part, ascii_only=ascii_only):
            yield "\n".join(map(pattern.__mod__, part)) + "\n"
        else:
            yield from item_lines(
                ((kind, json_form(item)) for item in items[start : start + _AT_ONCE]), ascii_only=ascii_only
            )


def _is_plain(rows: Sequence[tuple[object, ...]], *, ascii_only: bool) -> bool:
    """Whether all fields are text that means the same between quotes."""
    values = [*chain.from_iterable(rows)]
    if not {str}.issuperset(map(type, values)):
        return False
    joined = " ".join(cast("list[str]", values))
    return joined.isprintable() and '"' not in joined and "\\" not in joined and (joined.isascii() or not ascii_only)
