"""What a user may name a request by: its id, its number, a bookmark, a commit, or the commit's whole URI."""

from collections.abc import Callable, Iterator

from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.request_id import parse_request_id, spell_request_id
from stovepipe_cli.storage.contract import AuditSnapshot, NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import RequestURIRow

LATEST = "@latest"
LAST_GREEN = "@last-green"

_SHOWN_CANDIDATES = 10
# A queue's commits come from one remote, or from a few where it has moved.
_MOST_REMOTES = 16
# An abbreviated commit can be all digits. Shorter ones are taken for mistyped numbers: another request would be shown.
_SHORTEST_COMMIT = 7
_LAST_CHARACTER = "\uffff"


def resolve_request(storage: Storage, reference: str) -> str:
    """The request id that `reference` names; an id that nothing is known of is returned as it is.

    A number that no request has may still be the beginning of a commit. `UsageError` where a commit prefix fits
    several commits, `NothingFound` for a bookmark or commit that is not there.
    """
    if reference.startswith("@"):
        return _bookmark(storage, reference)
    parsed = parse_request_id(storage.queue, reference)
    if parsed is not None and parsed.form == "decimal":
        return _numbered(storage, reference, parsed.number)
    if parsed is not None or _has_rows(storage, reference):
        return reference
    if "/" in reference:
        return _owner(storage, reference) or reference
    found = _commit(storage, reference)
    if found is None:
        raise NothingFound(
            f"queue '{storage.queue}' has no request '{reference}', and no commit that starts so",
            hint="give a request id, a bare number, @latest, @last-green, or the beginning of a commit",
        )
    return found


def resolve_uri(storage: Storage, uri: str) -> str:
    """The request id that owns a commit URI; `NothingFound` where none does."""
    owner = _owner(storage, uri)
    if owner is None:
        raise NothingFound(
            f"no request of queue '{storage.queue}' owns uri '{uri}'", hint="give the whole URI, or a request id"
        )
    return owner


def _owner(storage: Storage, uri: str) -> str | None:
    try:
        return storage.request_uris.get(uri).request_id
    except (NotFound, SchemaMismatch):
        return None


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
    if _has_rows(storage, reference):
        return reference
    if _has_rows(storage, older):
        return older
    return (_commit(storage, reference) if len(reference) >= _SHORTEST_COMMIT else None) or reference


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


def _commit(storage: Storage, commit: str) -> str | None:
    """URIs end in the commit, so what stands before it is taken from URIs that the queue already has."""
    exact: list[RequestURIRow] = []
    longer: list[RequestURIRow] = []
    try:
        with storage.audit.snapshot() as snapshot:
            for remote in _remotes(snapshot):
                start = remote + commit
                exact += snapshot.multi_get(RequestURIRow, [(start,)])
                page = snapshot.page(RequestURIRow, after=(start,), limit=_SHOWN_CANDIDATES + 1)
                longer += [row for row in page.rows if row.uri.startswith(start) and row.uri != start]
    except SchemaMismatch:
        return None
    candidates = exact or longer
    if len({row.request_id for row in candidates}) > 1:
        raise _ambiguous(commit, candidates)
    return candidates[0].request_id if candidates else None


def _remotes(snapshot: AuditSnapshot) -> Iterator[str]:
    """What URIs have before their commit: the first of each is looked for behind all those of the one before."""
    after: tuple[str] | None = None
    remote: str | None = None
    for _ in range(_MOST_REMOTES):
        rows = snapshot.page(RequestURIRow, after=after, limit=1).rows
        before, remote = remote, next((row.uri[: row.uri.rfind("/") + 1] for row in rows), "")
        # A collation may sort the last character before others: then there is no way past this one.
        if not rows or remote == before:
            return
        yield remote
        after = (remote + _LAST_CHARACTER,)


def _ambiguous(commit: str, candidates: list[RequestURIRow]) -> UsageError:
    shown = [f"'{row.uri}' (request '{row.request_id}')" for row in candidates[:_SHOWN_CANDIDATES]]
    more = " and more" if len(candidates) > _SHOWN_CANDIDATES else ""
    return UsageError(f"'{commit}' fits several commits: {', '.join(shown)}{more}", hint="give more of the commit")
