"""A queue, or chosen requests of one, as the text of a scenario that loads to the same rows."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stovepipe_cli.clock import Clock
from stovepipe_cli.errors import Refused
from stovepipe_cli.fixtures_io.anonymous_rows import AnonymousRows
from stovepipe_cli.fixtures_io.chosen_rows import ChosenRows
from stovepipe_cli.fixtures_io.paged_rows import PagedRows
from stovepipe_cli.fixtures_io.pseudonyms import Pseudonyms
from stovepipe_cli.fixtures_io.row_text import quoted, row_text, why_not_loadable
from stovepipe_cli.fixtures_io.row_types import row_types
from stovepipe_cli.fixtures_io.scenario_reader import FORMAT
from stovepipe_cli.fixtures_io.yaml_document import MAX_BYTES
from stovepipe_cli.storage.contract import AuditSnapshot, Storage
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    QueueRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    Row,
)
from stovepipe_cli.storage.contract.tables import REQUEST, REQUEST_SUMMARY

Commits = Mapping[str, Collection[str]]

# No row is written in fewer characters.
_SHORTEST_ROW = 40


@dataclass(slots=True)
class DumpTally:
    """What has been written so far; `digest` is whole once the text is.

    `unloadable` counts rows that stand in the text as comments, since no load takes them.
    """

    rows: Counter[str] = field(default_factory=Counter)
    unloadable: int = 0
    size: int = 0
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    @property
    def digest(self) -> str:
        """`sha256:` and the digest of the text."""
        return f"sha256:{self._digest.hexdigest()}"

    def add(self, text: str) -> str:
        """Count a piece of the text; `Refused` where no load would take the whole."""
        content = text.encode("utf-8")
        self.size += len(content)
        if self.size > MAX_BYTES:
            raise Refused(
                f"the dump has more than {MAX_BYTES:,} bytes, which no load takes",
                hint="nothing was written: choose requests with --request",
            )
        self._digest.update(content)
        return text


@dataclass(frozen=True, slots=True)
class Dump:
    """What to dump: `requests` None is the whole queue; `names` None keeps everything as it is.

    `listener` hears how many rows were read.
    """

    storage: Storage
    clock: Clock
    requests: Collection[str] | None = None
    names: Pseudonyms | None = None
    listener: Callable[[int], None] = lambda _: None

    def text(self, tally: DumpTally) -> Iterator[str]:
        """The scenario, piece by piece, in the order of the tables; `tally` is kept up with it.

        A whole queue is read page by page: what is written to it meanwhile may be in the dump or not. Of chosen
        requests the coordination row is left out, and a load makes one that fits them.
        """
        paged = PagedRows(self.storage.audit, self.clock)
        yield tally.add(self._head())
        pages = self._whole_queue if self.requests is None else self._chosen(paged, self.requests)
        seen = 0
        for table, row_type in row_types().items():
            is_begun = False
            for rows in pages(paged, row_type):
                seen += len(rows)
                if self.requests is None:
                    self.listener(seen)
                for row in rows:
                    reason = why_not_loadable(row)
                    if reason is not None:
                        tally.unloadable += 1
                        yield tally.add(_comment(table, row, reason))
                        continue
                    if not is_begun:
                        yield tally.add(f"  {table}:\n")
                        is_begun = True
                    tally.rows[table] += 1
                    yield tally.add(f"    - {row_text(row)}\n")
            if row_type is QueueRow and self.requests is None and not is_begun:
                # Without the key a load would make a row that is not there.
                yield tally.add(f"  {table}: []\n")

    def _head(self) -> str:
        queue = self.storage.queue if self.names is None else self.names.queue
        what = "All rows of a queue" if self.requests is None else "The rows of chosen requests of a queue"
        how = "as they were stored" if self.names is None else "under pseudonyms, with times moved back"
        return f"format: {FORMAT}\nqueue: {quoted(queue)}\ndescription: {quoted(f'{what}, {how}.')}\nrows:\n"

    def _whole_queue(self, paged: PagedRows, row_type: type[Row]) -> Iterator[Sequence[Row]]:
        if not paged.has(TABLE_OF[row_type].name):
            return
        has = {table: paged.has(table) for table in (REQUEST.name, REQUEST_SUMMARY.name)}

        def visit(snapshot: AuditSnapshot, rows: Sequence[Row]) -> Sequence[Row]:
            return self._shown(rows, _commits(snapshot, rows, has) if self.names is not None else {})

        yield from paged.pages(row_type, visit)

    def _chosen(
        self, paged: PagedRows, requests: Collection[str]
    ) -> Callable[[PagedRows, type[Row]], Iterator[Sequence[Row]]]:
        chosen = ChosenRows(paged, requests, MAX_BYTES // _SHORTEST_ROW)
        chosen.gather(self.listener)
        commits = {request_id: chosen.commits_of(request_id) for request_id in requests}
        return lambda _, row_type: iter([self._shown(list(chosen.of(row_type)), commits)])

    def _shown(self, rows: Sequence[Row], commits: Commits) -> Sequence[Row]:
        if self.names is None:
            return rows
        anonymous = AnonymousRows(self.names)
        shown = [
            anonymous.row(row, commits.get(row.request_id, ()) if isinstance(row, RequestLogRow) else ())
            for row in rows
        ]
        # The order of the names would tell of what they were.
        return sorted(shown, key=repr)


def _commits(snapshot: AuditSnapshot, rows: Sequence[Row], has: Mapping[str, bool]) -> Commits:
    """The commits that the requests of these entries have by their row and by their summary."""
    ids = [(request_id,) for request_id in {row.request_id for row in rows if isinstance(row, RequestLogRow)}]
    commits: dict[str, set[str]] = {}
    if ids and has[REQUEST.name]:
        for request in snapshot.multi_get(RequestRow, ids):
            commits.setdefault(request.id, set()).add(request.uri)
    if ids and has[REQUEST_SUMMARY.name]:
        for summary in snapshot.multi_get(RequestSummaryRow, ids):
            commits.setdefault(summary.request_id, set()).add(summary.uri)
    return commits


def _comment(table: str, row: Row, reason: str) -> str:
    return f"    # not loadable into table '{table}': {quoted(reason)}\n    # - {row_text(row)}\n"
