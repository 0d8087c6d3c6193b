"""Whether a row that was read is the one that was written."""

import json
from collections.abc import Collection
from typing import TypeVar

from stovepipe_cli.storage.contract.rows import TABLE_OF, Row

R = TypeVar("R", bound=Row)


def same_row(found: R, written: R, fields: Collection[str]) -> bool:
    """Equality in the named fields; JSON by its value, since a database may spell it differently."""
    table = TABLE_OF[type(found)]
    return all(
        _same_json(mine, theirs) if table.column(name).kind == "json" else mine == theirs
        for name, mine, theirs in zip(found._fields, found, written, strict=True)
        if name in fields
    )


def _same_json(one: object, other: object) -> bool:
    if one == other:
        return True
    try:
        return bool(json.loads(str(one)) == json.loads(str(other)))
    except (ValueError, RecursionError):
        return False
