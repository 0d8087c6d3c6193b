"""What a user may name a request by: its id, its number, a bookmark, or a commit."""

from collections.abc import Callable

from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.request_id import parse_request_id, spell_request_id
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import RequestURIRow

LATEST = "@latest"
LAST_GREEN = "@last-green"

_SHOWN_CANDIDATES = 10


def resolve_request(storage: Storage, reference: str) -> str:
    """The request id that `reference` names; an id that nothing is known of is returned as it is.

    `UsageError` where a commit prefix fits several commits, `NothingFound` for a bookmark or commit that is not there.
    """
    if reference.startswith("@"):
        return _bookmark(storage, reference)
    parsed = parse_request_id(storage.queue, reference)
    if parsed is not None and parsed.form == "decimal":
        return _numbered(storage, reference, parsed.number)
    if parsed is not None or "/" in reference or _has_rows(storage, reference):
        return reference
    return _commit(storage, reference)


def resolve_uri(storage: Storage, uri: str) -> str:
    """The request id that owns a commit URI; `NothingFound` where none does."""
    try:
        return storage.request_uris.get(uri).request_id
    except NotFound:
        raise NothingFound(
            f"no request of queue '{storage.queue}' owns uri '{uri}'", hint="give the whole URI, or a request id"
        ) from None


def _bookmark(storage: Storage, name: str) -> str:
    try:
        row = storage.queues.get()
    except NotFound:
        raise NothingFound(f"queue '{storage.queue}' has no coordination row, so '{name}' names nothing") from None
    fields = {LATEST: row.latest_request_id, LAST_GREEN: row.last_green_request_id}
    if name not in fields:
        raise UsageError(f"there is no bookmark '{name}'", hint=f"use {LATEST} or {LAST_GREEN}")
    if not fields[name]:
        raise NothingFound(f"queue '{storage.queue}' has no request at '{name}' yet")
    return fields[name]


def _numbered(storage: Storage, reference: str, number: int) -> str:
    older = spell_request_id(storage.queue, number, "path")
    if not _has_rows(storage, reference) and _has_rows(storage, older):
        return older
    return reference


def _has_rows(storage: Storage, request_id: str) -> bool:
    if len(request_id) > 255:  # noqa: PLR2004 - longer than any stored id
        return False
    return _exists(lambda: storage.requests.get(request_id)) or bool(
        storage.request_log.list_after(request_id, None, 1)
    )


def _exists(get: Callable[[], object]) -> bool:
    try:
        get()
    except NotFound:
        return False
    return True


def _commit(storage: Storage, commit: str) -> str:
    """URIs end in the commit, so what stands before it is taken from a URI that the queue already has."""
    candidates: list[RequestURIRow] = []
    try:
        with storage.audit.snapshot() as snapshot:
            first = snapshot.page(RequestURIRow, limit=1).rows
            bases = {row.uri[: row.uri.rfind("/") + 1] for row in first}
            for base in sorted(bases, key=key_bytes):
                start = base + commit
                page = snapshot.page(RequestURIRow, after=(start,), limit=_SHOWN_CANDIDATES)
                exact = snapshot.multi_get(RequestURIRow, [(start,)])
                candidates += [row for row in (*exact, *page.rows) if row.uri.startswith(start)]
    except SchemaMismatch:
        candidates = []
    if not candidates:
        raise NothingFound(
            f"queue '{storage.queue}' has no request '{commit}', and no commit that starts so",
            hint="give a request id, a bare number, @latest, @last-green, or a commit as its URI ends in it",
        )
    if len(candidates) > 1 and candidates[0].uri[candidates[0].uri.rfind("/") + 1 :] != commit:
        found = ", ".join(f"'{row.uri}'" for row in candidates)
        raise UsageError(f"'{commit}' fits several commits: {found}", hint="give more of the commit")
    return candidates[0].request_id
