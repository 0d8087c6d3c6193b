"""What follows from something else is not shown beside it."""

from collections.abc import Mapping, Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.history.consistency import visible

# A code, and those that are not shown beside it where they rest on the same entry.
_HIDES_OF_ENTRY: Mapping[str, frozenset[str]] = {
    "H111": frozenset({"P304", "P307", "E207", "E212"}),
    "H115": frozenset({"P304", "P307", "E207", "E212"}),
    "E204": frozenset({"E203"}),
    "E205": frozenset({"E203"}),
    "E207": frozenset({"H110"}),
}


def shown(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of one request that stand beside each other, in their order."""
    if len(candidates) == 1:
        return list(candidates)
    hidden = {
        (code, entry)
        for candidate in candidates
        for code in _HIDES_OF_ENTRY.get(candidate.code, ())
        for entry in candidate.entries
    }
    stands = visible([(candidate.code, candidate.versions) for candidate in candidates])
    return [
        candidate
        for candidate, is_shown in zip(candidates, stands, strict=True)
        if is_shown and not any((candidate.code, entry) in hidden for entry in candidate.entries)
    ]
