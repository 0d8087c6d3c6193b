"""Rows of a queue whose name our queue's column takes for ours: H114."""

from collections.abc import Sequence
from typing import cast

from stovepipe_cli.audit.candidate import NOBODY, Candidate
from stovepipe_cli.audit.pace import LARGEST
from stovepipe_cli.audit.rules.rule import Rule
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, RequestRow


def foreign_row(table: str, key: Key, after: Key | None, at_ms: int) -> Candidate:
    """H114: a row of another queue whose name the column's collation takes for ours; `after` began its page."""
    named = ", ".join(f"'{part}'" for part in key)
    return Candidate(
        "H114",
        NOBODY,
        table,
        key,
        "the queue's name, byte for byte",
        "a name that is equal by collation only",
        f"row ({named}) of table '{table}' belongs to a queue whose name differs only in case, accents or trailing "
        "spaces",
        evidence=((table, after or ()),),
        at_ms=at_ms,
    )


def foreign_again(snapshot: AuditSnapshot, candidate: Candidate) -> Sequence[Candidate]:
    """The same foreign row, if the page that showed it shows it again."""
    row_type = next(each for each, table in TABLE_OF.items() if table.name == candidate.table)
    ((_, after),) = candidate.evidence
    # Which row type it is does not matter: only keys are looked at.
    page = snapshot.page(cast("type[RequestRow]", row_type), after=after or None, upto=candidate.key, limit=LARGEST)
    return [candidate._replace(at_ms=snapshot.now_ms())] if candidate.key in page.foreign else ()


FOREIGN_RULES = (
    Rule(
        "H114",
        "key-not-byte-equal",
        "error",
        "A row's queue name equals this queue's by the column's collation, and differs in its bytes: case, accents or "
        "trailing spaces. The service, which asks by collation, mixes the two queues. Only tables with the server's "
        "default collation allow it; rename one of the queues or give the column a byte-exact collation.",
        None,
        ("requests", "builds", "facts", "acceptances", "uris"),
        (),
    ),
)
