"""What a step of a shared verify leaves, so that another process goes on as if it had read everything itself.

The output of a step is small and read by many; its document is large and read by whoever needs it. Both can be taken
in any order, and together give what one walk over all of it would have left.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from stovepipe_cli.audit.attempt import note
from stovepipe_cli.audit.balance import Balance
from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import MOST_OVERSIZED, Case
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.spill import Spill
from stovepipe_cli.reports import Coverage

_BLOCK = 1 << 16
_SMALL = 4 * 1024
# In a document, and in an output or a document.
BALANCE, LEFT = "balance", "left"


def output_of(case: Case, suspected: Mapping[str, str]) -> dict[str, object]:
    """What later steps need; `suspected` are the builds that contradicted a request when the step began."""
    suspects = case.sole_builds
    return {
        "boundary": case.boundary.as_json(),
        "lowest_missing": case.lowest_missing,
        "oversized": sorted(case.oversized),
        "sole_builds": {each: build for each, build in suspects.items() if each not in suspected},
        "not_sole": sorted(each for each in suspected if each not in suspects),
        "has_project_facts": case.has_project_facts,
        "checked": {name: part.checked for name, part in case.coverage.items()},
        "skipped": sorted(name for name, part in case.coverage.items() if part.skipped),
        "notes": list(case.notes),
    }


def left_of(case: Case) -> dict[str, object]:
    """What only the end needs."""
    return {"candidates": _packed_candidates(case.spill), "tally": case.tally.as_json()}


def is_small(left: Mapping[str, object]) -> bool:
    """Whether it goes with the output, so that the end of a healthy queue's verify reads no document."""
    return len(json.dumps(left)) <= _SMALL


def balance_text(balance: Balance) -> str:
    """What one side holds, for who compares both."""
    return base64.b64encode(balance.digests).decode("ascii")


class Gathered:
    """What any number of steps left."""

    def __init__(self) -> None:
        self._boundaries: list[Mapping[str, Any]] = []
        self._lowest_missing: int | None = None
        self._oversized: set[str] = set()
        self._sole_builds: dict[str, str] = {}
        self._not_sole: set[str] = set()
        self._has_project_facts = False
        self._checked: Counter[PassName] = Counter()
        self._notes: list[str] = []
        self.skipped: set[PassName] = set()

    def take(self, output: Mapping[str, Any]) -> None:
        """Take account of one step."""
        self._boundaries.append(output["boundary"])
        lowest = output["lowest_missing"]
        if lowest is not None and (self._lowest_missing is None or lowest < self._lowest_missing):
            self._lowest_missing = lowest
        self._oversized.update(output["oversized"])
        self._sole_builds.update(output["sole_builds"])
        self._not_sole.update(output["not_sole"])
        self._has_project_facts = self._has_project_facts or output["has_project_facts"]
        self._checked.update(output["checked"])
        self.skipped.update(output["skipped"])
        self._notes += [each for each in output["notes"] if each not in self._notes]

    def tell(self, case: Case) -> None:
        """Let the case know what its walks need to know."""
        for seen in self._boundaries:
            case.boundary.merge(seen)
        case.lowest_missing = self._lowest_missing
        case.oversized.update(sorted(self._oversized)[:MOST_OVERSIZED])
        sole = {each: build for each, build in self._sole_builds.items() if each not in self._not_sole}
        case.sole_builds.update({each: sole[each] for each in sorted(sole)[:MOST_OVERSIZED]})

    def tell_all(self, case: Case) -> None:
        """The same, with what is told of the walks in the end."""
        self.tell(case)
        case.has_project_facts = self._has_project_facts
        for name, rows in self._checked.items():
            case.coverage[name] = Coverage(rows, int(name in self.skipped), absent=False)
        for each in self._notes:
            note(case, each)


def take_left(case: Case, left: Mapping[str, Any]) -> None:
    """Give a case what one step left for the end."""
    case.tally.merge(left["tally"])
    for candidate in _candidates(left["candidates"]):
        case.spill.add(candidate)


def _packed_candidates(spill: Spill[Candidate]) -> str:
    packer = zlib.compressobj()
    lines = (json.dumps(each, separators=(",", ":")).encode("ascii") + b"\n" for each in spill.ordered())
    parts = [*map(packer.compress, lines)]
    parts.append(packer.flush())
    return base64.b64encode(b"".join(parts)).decode("ascii")


def _candidates(text: str) -> Iterator[Candidate]:
    unpacker, rest = zlib.decompressobj(), b""
    compressed = base64.b64decode(text)
    for start in range(0, len(compressed), _BLOCK):
        *lines, rest = (rest + unpacker.decompress(compressed[start : start + _BLOCK])).split(b"\n")
        for line in lines:
            yield Candidate.revived(json.loads(line))
