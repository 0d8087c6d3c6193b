"""What a rule is: a name for a kind of difference, its explanation, and the function that finds it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.reports import JsonValue, Severity
from stovepipe_cli.storage.contract.rows import Key

PassName = Literal["requests", "builds", "facts", "acceptances", "uris", "queue", "issues", "degrees"]
Judge = Callable[[Dossier, Terms], Sequence[Candidate]]

NOTHING: tuple[Candidate, ...] = ()


def judged_elsewhere(_dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """For rules about no request: the pass over their table judges them."""
    return NOTHING


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of difference.

    `repaired_by` names the commands that can mend it, or is None. `tables` are those the rule reads, `passes` the
    walks over tables that meet its subjects. `also_reads` are tables that tell whether it can be mended; the rule is
    checked without them where they are absent.

    Rules of one `judge` are found together; whoever runs it keeps the codes that were asked for. `is_by_entry`: it
    looks at one entry after the other, so a very long history can be judged piece by piece.
    """

    code: str
    name: str
    severity: Severity
    explanation: str
    repaired_by: str | None
    passes: tuple[PassName, ...]
    tables: tuple[str, ...]
    judge: Judge = judged_elsewhere
    is_by_entry: bool = False
    also_reads: tuple[str, ...] = ()


class Details(TypedDict, total=False):
    """What a candidate may carry beside its difference, as `Candidate` has it."""

    versions: tuple[int, ...]
    entries: tuple[str, ...]
    evidence: tuple[tuple[str, Key], ...]
    is_latest: bool
    is_repairable: bool | None
    is_absence: bool
    newest_ms: int


def about(
    dossier: Dossier,
    code: str,
    subject: tuple[str, Key],
    difference: tuple[JsonValue, JsonValue],
    message: str,
    **details: Unpack[Details],
) -> Candidate:
    """A candidate about a request; `difference` is what was expected and what was found."""
    table, key = subject
    expected, found = difference
    details["newest_ms"] = max(details.get("newest_ms", 0), dossier.last_retained_ms)
    return Candidate(code, dossier.request_id, table, key, expected, found, message, at_ms=dossier.at_ms, **details)
