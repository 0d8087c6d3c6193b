"""A difference as one read shows it, light enough to spill: it becomes a finding only when it stands."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stovepipe_cli.reports import JsonValue, Subject
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract.rows import Key
from stovepipe_cli.storage.contract.tables import TABLES

NOBODY = ""


class Candidate(NamedTuple):
    """`table` and `key` name the subject, `evidence` further rows (table, key) that a second read must look at.

    `request_id` is empty where no request is concerned. `versions` are the request versions and `entries` the log
    ids it rests on. `is_latest` tells that the service may still be about to write what is missing, `newest_ms` when
    something of the request was last retained (0: unknown), `at_ms` the database's time of the read. `is_absence` tells
    that a row is held against entries of which there are none, which a request from before history cannot help.
    `is_repairable` tells whether a repair can mend it where that depends on the rows, None where its rule tells.
    """

    code: str
    request_id: str
    table: str
    key: Key
    expected: JsonValue
    found: JsonValue
    message: str
    versions: tuple[int, ...] = ()
    entries: tuple[str, ...] = ()
    evidence: tuple[tuple[str, Key], ...] = ()
    is_latest: bool = False
    is_repairable: bool | None = None
    newest_ms: int = 0
    at_ms: int = 0
    is_absence: bool = False

    @property
    def identity(self) -> tuple[str, str, Key]:
        """What makes two candidates the same finding."""
        return (self.code, self.table, self.key)

    @property
    def subject(self) -> Subject:
        """The row this is about; a key prefix where several rows are meant."""
        return Subject(self.table, key_mapping(self.table, self.key))

    @classmethod
    def revived(cls, fields: Sequence[object]) -> "Candidate":
        """A candidate from the JSON list of its fields."""
        candidate = cls(*fields)  # type: ignore[arg-type]  # the list was written from a candidate
        return candidate._replace(
            key=tuple(candidate.key),
            versions=tuple(candidate.versions),
            entries=tuple(candidate.entries),
            evidence=tuple((table, tuple(key)) for table, key in candidate.evidence),
        )


def key_mapping(table: str, key: Key) -> Mapping[str, str | int | float]:
    """The names and values of a key or key prefix, without the queue."""
    return dict(zip(TABLES[table].key[1:], key, strict=False))


def report_order(queue: str, candidate: Candidate) -> tuple[object, ...]:
    """By request number, then code, then subject: the order in which findings are written down."""
    return (request_order(queue, candidate.request_id), candidate.code, candidate.table, candidate.key)
