"""Each entry on its own: identity, context, vocabulary, metadata (H110, H111, H112, H115, H117)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.rules.sensitive import is_plainly_harmless, kinds_of_secret
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.request import LEGAL_EDGES
from stovepipe_cli.entities.request_log import OUTCOME_REASONS
from stovepipe_cli.history.context import context_problems, identity_problems, metadata_problems, unknown_words
from stovepipe_cli.history.identity import BUILD_EVENTS
from stovepipe_cli.storage.contract.mapping import log_from
from stovepipe_cli.storage.contract.rows import RequestLogRow

_EMPTY = ("{}", "", "null")

# (log_id, state, event, version, reason) of the state entries that need no closer look.
_REGULAR_STATES = frozenset(
    {("state/1", "accepted", "", 1, "")}
    | {
        (f"state/{version}", state, "", version, reason)
        for version, before in ((2, "accepted"), (3, "processing"))
        for source, state in LEGAL_EDGES
        if source == before
        for reason in OUTCOME_REASONS.get(state, frozenset({""}))
    }
)

# One key with a short value in plain characters: valid, small and without escapes.
_PLAIN = re.compile(r'\{"(base_uri|build_id|fact_degree)": ?"([A-Za-z0-9._:/+ =@\-]{0,300})"\}\Z')


def entries_are_regular(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """H110, H111, H112, H115 and H117 at once."""
    if dossier.request is None:
        return NOTHING
    found: list[Candidate] = []
    for row in dossier.rows:
        if not _is_plainly_regular(row):
            entry = log_from("", row)
            found += [
                _irregular(dossier, code, expected, row, problems)
                for code, expected, problems_of in _CHECKS
                if (problems := tuple(problems_of(entry)))
            ]
    return found or NOTHING


def _is_plainly_regular(row: RequestLogRow) -> bool:
    """Whether no check can find anything, without reading the metadata as JSON; most entries are of this kind."""
    _, log_id, timestamp_ms, state, event, version, reason, metadata = row
    if timestamp_ms <= 0:
        return False
    if state:
        is_known = (log_id, state, event, version, reason) in _REGULAR_STATES
        return is_known and (metadata in _EMPTY or bool(_PLAIN.match(metadata) and is_plainly_harmless(metadata)))
    plain = _PLAIN.match(metadata)
    if version or reason or plain is None or not is_plainly_harmless(metadata):
        return False
    key, value = plain.groups()
    if event in BUILD_EVENTS:
        return key == "build_id" and value != "" and log_id == f"event/{event}/{value}"
    return (
        event == "validation_fact_recorded"
        and key == "fact_degree"
        and value in ("0", "1")
        and log_id.startswith("event/validation_fact_recorded/")
    )


def identity_fits(entry: RequestLog) -> Iterable[str]:
    """H110; unreadable metadata hides what the identity follows from."""
    return () if entry.malformed_metadata else identity_problems(entry)


def metadata_is_bounded(entry: RequestLog) -> Iterable[str]:
    """H115."""
    if not entry.malformed_metadata:
        return metadata_problems(entry.metadata)
    try:
        value = json.loads(entry.malformed_metadata)
    except (ValueError, RecursionError):
        return ("metadata is no JSON",)
    if not isinstance(value, dict):
        return ("metadata is no object",)
    return ("metadata holds a value that is no text",)


def metadata_is_harmless(entry: RequestLog) -> Iterator[str]:
    """H117: names the key and the kind, never the value."""
    if entry.malformed_metadata:
        for kind in kinds_of_secret(entry.malformed_metadata):
            yield f"metadata holds {kind} (not shown)"
    for key, value in entry.metadata.items():
        for kind in kinds_of_secret(value):
            yield f"metadata '{key}' holds {kind} ({len(value)} characters, not shown)"


_CHECKS: tuple[tuple[str, str, Callable[[RequestLog], Iterable[str]]], ...] = (
    ("H110", "the identity of its content", identity_fits),
    ("H111", "the required context", context_problems),
    ("H112", "known words", unknown_words),
    ("H115", "an object of bounded strings", metadata_is_bounded),
    ("H117", "no secrets and no stack traces", metadata_is_harmless),
)


def _irregular(dossier: Dossier, code: str, expected: str, row: RequestLogRow, problems: tuple[str, ...]) -> Candidate:
    found = "; ".join(problems)
    return about(
        dossier,
        code,
        ("request_log", (dossier.request_id, row.log_id)),
        (expected, found),
        f"entry '{row.log_id}' of request '{dossier.request_id}': {found}",
        entries=(row.log_id,),
    )


_TABLES = ("request", "request_log")

ENTRY_RULES = (
    Rule(
        "H110",
        "entry-id-mismatch",
        "warning",
        "An entry's id is not the identity that follows from its content, so a retry would not recognise it and write "
        "it a second time. Obsolete forms and events whose identity cannot be computed are accepted. The writer was "
        "of another version, or the row was written by hand.",
        None,
        ("requests",),
        _TABLES,
        entries_are_regular,
        is_by_entry=True,
    ),
    Rule(
        "H111",
        "entry-invalid",
        "error",
        "An entry lacks what an entry of its kind must carry, or contradicts itself: no time, a state and an event at "
        "once, a reason that belongs to another state, a build event without its build, a degree beyond 0 to 1. Such "
        "a row did not pass the service's own validation.",
        None,
        ("requests",),
        _TABLES,
        entries_are_regular,
        is_by_entry=True,
    ),
    Rule(
        "H112",
        "vocabulary-unknown",
        "info",
        "A state, event or reason is a word that this version does not know. A newer service writes it; nothing is "
        "wrong with the row, but rules that depend on the word stay silent. Look for a newer release of this tool.",
        None,
        ("requests",),
        _TABLES,
        entries_are_regular,
        is_by_entry=True,
    ),
    Rule(
        "H115",
        "metadata-invalid",
        "error",
        "Metadata is something else than an object of strings, or is beyond its limits (64 keys, 4096 bytes a value). "
        "Readers of history may fail on it. The row was not written by the service's log writer.",
        None,
        ("requests",),
        _TABLES,
        entries_are_regular,
        is_by_entry=True,
    ),
    Rule(
        "H117",
        "metadata-sensitive",
        "warning",
        "Metadata holds what looks like a secret or a stack trace by a fixed pattern: a private key, a password in a "
        "URL, a known kind of token, a traceback. History is shown to many; find the writer that puts it there and "
        "revoke the secret. The value itself is never shown.",
        None,
        ("requests",),
        _TABLES,
        entries_are_regular,
        is_by_entry=True,
    ),
)
