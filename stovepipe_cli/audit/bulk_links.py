"""The walks over the tables that hang on requests, each put into the balance with them."""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import MappingProxyType

from stovepipe_cli.audit.alike import Bare
from stovepipe_cli.audit.attempt import attempt
from stovepipe_cli.audit.balance import CELLS
from stovepipe_cli.audit.bulk_pass import BulkPass
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.linked_passes import judge_sole_builds, run_acceptances, run_builds, run_facts, run_uris
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.walk import walk_bare
from stovepipe_cli.storage.contract import AuditSnapshot, BarePage
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    Key,
    RequestAcceptanceRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

# The request of each row, and the pair that it makes with it.
Pairs = tuple[Sequence[str], Sequence[tuple[object, ...]]]


def weigh(case: Case, bulk: BulkPass, name: PassName) -> bool:
    """Walk over the table and put its rows into the balance; False where time ran out."""
    row_type, pairs_of = _TABLES[name]

    def visit(snapshot: AuditSnapshot, after: Key | None, page: BarePage) -> Sequence[Bare]:
        case.add_foreign(snapshot, row_type, after, page.foreign)
        return page.rows

    def done(rows: Sequence[Bare]) -> None:
        bulk.balance.add(*pairs_of(case, rows))
        case.checked(name, len(rows))

    return walk_bare(case.snapshots, row_type, visit, case.deadline, done)


def judge_uneven(case: Case, bulk: BulkPass, names: Collection[PassName]) -> None:
    """Judge what the balance does not hold even, and then what waited for it; `names` are the walks that have ended.

    The requests come first: what their rows in the other tables tell beside is known better from there.
    """
    # With a table that was not read to its end, nothing is even.
    cells: frozenset[int] | range = bulk.balance.uneven if bulk.names.issubset(names) else range(CELLS)
    if cells:
        attempt(case, "requests", partial(bulk.judge_again, cells))
    for name in names if cells else ():
        attempt(case, name, partial(CLOSELY[name], case, cells))
    if "builds" in names:
        attempt(case, "builds", partial(judge_sole_builds, case))


def _acceptances(_case: Case, rows: Sequence[Bare]) -> Pairs:
    return [row[1] for row in rows], rows


def _uris(_case: Case, rows: Sequence[Bare]) -> Pairs:
    return [row[1] for row in rows], [*map(itemgetter(0, 1), rows)]


def _builds(case: Case, rows: Sequence[Bare]) -> Pairs:
    if case.sole_builds:
        for build_id, request_id, *_ in rows:
            if case.sole_builds.get(request_id, build_id) != build_id:
                del case.sole_builds[request_id]
    if case.lowest_missing is not None:
        # Builds of requests from before history began have no entries.
        rows = [row for row in rows if not case.is_settled_legacy(row[1])]
    return [row[1] for row in rows], [*map(itemgetter(0, 1, 2), rows)]


def _facts(case: Case, rows: Sequence[Bare]) -> Pairs:
    own = [row for row in rows if not row[1]]
    case.has_project_facts = case.has_project_facts or len(own) < len(rows)
    return [row[3] for row in own], [*map(itemgetter(0, 1, 2, 3), own)]


_TABLES: Mapping[PassName, tuple[type[Row], Callable[[Case, Sequence[Bare]], Pairs]]] = MappingProxyType(
    {
        "builds": (BuildRow, _builds),
        "facts": (ValidationFactRow, _facts),
        "acceptances": (RequestAcceptanceRow, _acceptances),
        "uris": (RequestURIRow, _uris),
    }
)
CLOSELY: Mapping[PassName, Callable[[Case, Container[int]], bool]] = MappingProxyType(
    {"builds": run_builds, "facts": run_facts, "acceptances": run_acceptances, "uris": run_uris}
)
