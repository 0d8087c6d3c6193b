"""Project facts of a commit, worst first, each fetched and compared with its mapping."""

from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import ProjectFactByDegree
from stovepipe_cli.instants import format_instant
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import FactItem
from stovepipe_cli.storage.contract import NotFound, Storage

_FACTS = "facts"


def list_facts(storage: Storage, uri: str, *, limit: int, cursor: str | None) -> ListReport[FactItem]:
    """One page by degree descending, then project; a mapping without its fact, or of another degree, says so."""
    require_page_limit(limit)
    order = f"degree desc,project;uri={uri}"
    after: tuple[float, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_FACTS, order=order, shape=(str, str))
        after = (float(key[0]), str(key[1]))
    mappings = storage.facts_by_degree.list_after(uri, after, limit + 1)
    token = None
    if len(mappings) > limit:
        mappings = mappings[:limit]
        last = mappings[-1]
        # The shortest text of a float reads back as the same float.
        key_of_last = (repr(last.degree), last.project)
        token = encode_cursor(queue=storage.queue, listing=_FACTS, order=order, key=key_of_last)
    notes = () if mappings else (_no_mapping(storage, uri, is_start=after is None),)
    return ListReport(tuple(_item(storage, each) for each in mappings), token, FactItem, notes)


def _item(storage: Storage, mapping: ProjectFactByDegree) -> FactItem:
    try:
        fact = storage.facts.get(mapping.uri, mapping.project)
    except NotFound:
        return FactItem(mapping.project, mapping.degree, None, None, None, "D802 the mapping has no fact")
    problem = "" if fact.degree == mapping.degree else f"D803 the fact has degree {fact.degree!r}"
    return FactItem(
        project=mapping.project,
        degree=mapping.degree,
        request_id=fact.request_id,
        created_at_ms=fact.created_at_ms,
        created_at=format_instant(fact.created_at_ms),
        problem=problem,
    )


def _no_mapping(storage: Storage, uri: str, *, is_start: bool) -> str:
    if is_start and any(fact.project for fact in storage.facts.list_after(uri, None, 2)):
        return f"commit '{uri}' has project facts, but none is mapped by degree: they are older than the mapping"
    return f"no project fact of commit '{uri}' is on record" + ("" if is_start else " from here on")
