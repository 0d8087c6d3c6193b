"""Project facts of a commit, worst first, each fetched and compared with its mapping."""

from collections.abc import Mapping, Sequence
from functools import partial

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import ProjectFactByDegree
from stovepipe_cli.errors import InvalidCursor
from stovepipe_cli.instants import format_instant
from stovepipe_cli.keys import require_name
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import FactItem
from stovepipe_cli.storage.contract import AuditSnapshot, Storage
from stovepipe_cli.storage.contract.rows import Key, ValidationFactRow

_FACTS = "facts"


def list_facts(storage: Storage, uri: str, clock: Clock, *, limit: int, cursor: str | None) -> ListReport[FactItem]:
    """One page by degree descending, then project; a mapping without its fact, or of another degree, says so."""
    require_page_limit(limit)
    require_name("validation fact", "uri", uri)
    order = f"degree desc,project;uri={uri}"
    after: tuple[float, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_FACTS, order=order, shape=(str, str))
        after = (_degree(str(key[0])), str(key[1]))
    mappings = storage.facts_by_degree.list_after(uri, after, limit + 1)
    token = None
    if len(mappings) > limit:
        mappings = mappings[:limit]
        last = mappings[-1]
        key_of_last = (last.degree.hex(), last.project)
        token = encode_cursor(queue=storage.queue, listing=_FACTS, order=order, key=key_of_last)
    keys = [(each.uri, each.project) for each in mappings]
    facts = Snapshots(storage.audit, clock).read(partial(_facts, keys)) if keys else {}
    notes = () if mappings else (_no_mapping(storage, uri, is_start=after is None),)
    return ListReport(tuple(_item(each, facts.get(each.project)) for each in mappings), token, FactItem, notes)


def _degree(text: str) -> float:
    """A degree as a cursor carries it: in hexadecimal, which is exact."""
    try:
        return float.fromhex(text)
    except (ValueError, OverflowError) as error:
        raise InvalidCursor(
            "the cursor is damaged", hint="list again without --cursor and page on from there"
        ) from error


def _facts(keys: Sequence[Key], snapshot: AuditSnapshot) -> Mapping[str, ValidationFactRow]:
    return {row.project: row for row in snapshot.multi_get(ValidationFactRow, keys)}


def _item(mapping: ProjectFactByDegree, fact: ValidationFactRow | None) -> FactItem:
    if fact is None:
        return FactItem(mapping.project, mapping.degree, None, None, None, "D802 the mapping has no fact")
    problem = "" if fact.degree == mapping.degree else f"D803 the fact has degree {fact.degree!r}"
    return FactItem(
        project=mapping.project,
        degree=mapping.degree,
        request_id=fact.request_id,
        created_at_ms=fact.created_at,
        created_at=format_instant(fact.created_at),
        problem=problem,
    )


def _no_mapping(storage: Storage, uri: str, *, is_start: bool) -> str:
    if is_start and any(fact.project for fact in storage.facts.list_after(uri, None, 2)):
        return f"commit '{uri}' has project facts, but none is mapped by degree: they are older than the mapping"
    return f"no project fact of commit '{uri}' is on record" + ("" if is_start else " from here on")
