"""Acceptance mappings in the record of an attempt, in short: a step writes thousands of them.

Each is a pair of acceptance time and request id. `mapped` were inserted, `learned` are summaries that were told their
time first, `intended` was about to be written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stovepipe_cli.entities import RequestAcceptance

Pair = tuple[int, str]

_MAPPED, _LEARNED, _INTENDED = "mapped", "learned", "intended_mappings"


@dataclass(frozen=True, slots=True)
class MappingRows:
    """What an attempt left on record."""

    mapped: tuple[Pair, ...] = ()
    learned: tuple[Pair, ...] = ()
    intended: tuple[Pair, ...] = ()

    def document(self) -> dict[str, object]:
        """As an attempt's document holds them; JSON values alone."""
        return {
            _MAPPED: [list(pair) for pair in self.mapped],
            _LEARNED: [list(pair) for pair in self.learned],
            _INTENDED: [list(pair) for pair in self.intended],
        }

    @classmethod
    def of(cls, document: Mapping[str, object]) -> "MappingRows":
        """Those in a document; none in one of another kind of work."""
        return cls(*(_listed(document.get(name)) for name in (_MAPPED, _LEARNED, _INTENDED)))


def pairs(acceptances: Iterable[RequestAcceptance]) -> tuple[Pair, ...]:
    """The short form."""
    return tuple((each.accepted_at_ms, each.request_id) for each in acceptances)


def _listed(value: object) -> tuple[Pair, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple((int(time), str(request_id)) for time, request_id in value)
