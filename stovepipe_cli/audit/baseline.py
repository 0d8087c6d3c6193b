"""Findings that somebody knows of and lives with for a time: they are counted, and do not decide the verdict."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stovepipe_cli.reports import Finding, JsonValue, Severity, canonical_json


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """One finding that is expected, by its stable id and by what was found; `expires_at_ms` None: never."""

    queue: str
    id: str
    code: str
    request_id: str | None
    found: JsonValue
    expires_at_ms: int | None
    reason: str


class Baseline:
    """What is known of one queue, and what one verify met of it.

    `reasons` gives the reason of every finding that is known, by id; `counts` and `severities` count them.
    """

    def __init__(self, queue: str, entries: Iterable[KnownFinding], now_ms: int) -> None:
        self._entries = {entry.id: entry for entry in entries if entry.queue == queue}
        self._now_ms = now_ms
        self._met: set[str] = set()
        self._expired = 0
        self._changed = 0
        self.reasons: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.severities: Counter[Severity] = Counter()

    def meet(self, finding: Finding) -> None:
        """Count a finding that is known; one whose entry expired, or expects something else, is not."""
        entry = self._entries.get(finding.id)
        if entry is None:
            return
        self._met.add(entry.id)
        if entry.expires_at_ms is not None and entry.expires_at_ms <= self._now_ms:
            self._expired += 1
        elif canonical_json(entry.found) != canonical_json(finding.found):
            self._changed += 1
        else:
            self.reasons[entry.id] = entry.reason
            self.counts[entry.code] += 1
            self.severities[finding.severity] += 1

    def notes(self, *, is_whole: bool) -> tuple[str, ...]:
        """Sentences on entries that no longer count; those not met are told only of a whole verify."""
        gone = len(self._entries) - len(self._met) if is_whole else 0
        sentences = (
            (self._expired, "expired, so what they expect counts again"),
            (self._changed, "void: what was found is no longer what they expect"),
            (gone, "no longer needed: nothing was found for them"),
        )
        return tuple(
            f"{count:,} {'entry of the baseline is' if count == 1 else 'entries of the baseline are'} {word}"
            for count, word in sentences
            if count
        )
