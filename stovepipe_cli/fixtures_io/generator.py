"""Synthetic queues of any size: healthy lifecycles with damage planted in some, the same rows for the same seed."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.nodes import suggestion
from stovepipe_cli.fixtures_io.scenario import ExpectedFinding
from stovepipe_cli.fixtures_io.synthetic_beside import OF_QUEUE
from stovepipe_cli.fixtures_io.synthetic_damage import MIXED_FORMS, NAMED, PLANTERS
from stovepipe_cli.fixtures_io.synthetic_request import SyntheticRequest, synthetic_rows
from stovepipe_cli.request_id import IdForm, spell_request_id
from stovepipe_cli.storage.contract.rows import QueueRow, Row

BATCH_REQUESTS = 2000
DEFAULT_START_MS = 1_762_156_800_000
DEFAULT_EVERY_MS = 97_000
# 2025-11-03 for the first request, unless there are so many that the last one would lie in the future: what the service
# did only just now may be about to be healed, and damage of it would be no finding.
LATEST_MS = DEFAULT_START_MS + 300_000 * DEFAULT_EVERY_MS

# Of 256: about 85 % of the builds succeed.
_SUCCEEDED_SHARE = 217


@dataclass(frozen=True, slots=True)
class SyntheticQueue:
    """What to generate: `damage` is how often to damage it, by code.

    `start_ms` is the first acceptance; None puts the last one, of up to eighteen million, into the past as well.

    Every request has six entries: accepted, processing, build triggered and finished, its outcome, and the fact.
    `InvalidInput` for a code that cannot be planted and for more damage than there are requests for. The first and
    the last request are never damaged.
    """

    queue: str
    requests: int
    seed: int
    damage: Mapping[str, int] = field(default_factory=dict)
    start_ms: int | None = None
    every_ms: int = DEFAULT_EVERY_MS
    ids: IdForm = "decimal"

    def __post_init__(self) -> None:
        """Refuse what cannot be generated."""
        for code, count in self.damage.items():
            if code not in PLANTERS and code not in OF_QUEUE:
                raise InvalidInput(f"damage '{code}' cannot be planted", hint=suggestion(code, plantable()))
            if count < 0:
                raise InvalidInput(f"damage '{code}' is asked for {count} times", hint="ask for 0 or more")
            if count > 1 and code in (*OF_QUEUE, MIXED_FORMS):
                raise InvalidInput(f"damage '{code}' is asked for {count} times", hint="a queue has it once")
        if self.damage.get("Q601") and any(self.damage.get(code) for code in ("Q602", "Q603", "Q604")):
            raise InvalidInput("damage 'Q601' leaves no row for what else is planted in it", hint="leave one out")
        room = max(self.requests - 2, 0)
        wanted = sum(count for code, count in self.damage.items() if code in PLANTERS)
        if wanted > room:
            raise InvalidInput(
                f"{wanted} damaged requests do not fit into {self.requests}",
                hint=f"at most {room} can be damaged: the first and the last stay whole",
            )

    @property
    def first_ms(self) -> int:
        """When the queue began."""
        if self.start_ms is not None:
            return self.start_ms
        return max(1, min(DEFAULT_START_MS, LATEST_MS - self.requests * self.every_ms))

    def planted(self) -> tuple[ExpectedFinding, ...]:
        """What a verify finds: one finding a damaged request, in their order, then what is wrong with the queue."""
        requests = [
            ExpectedFinding(code, NAMED[code](self._id(number, code)) if code in NAMED else self._id(number, code))
            for number, code in sorted(self._damaged().items())
        ]
        return (*requests, *(ExpectedFinding(code, None) for code in sorted(OF_QUEUE) if self.damage.get(code)))

    def batches(self, size: int = BATCH_REQUESTS) -> Iterator[list[Row]]:
        """The rows of `size` requests at a time, in the order of their numbers; the queue's own row comes last."""
        damaged = self._damaged()
        green: SyntheticRequest | None = None
        greens = 0
        for first in range(1, self.requests + 1, size):
            batch: list[Row] = []
            for number in range(first, min(first + size, self.requests + 1)):
                request = self._request(number, damaged.get(number, ""), green)
                rows = synthetic_rows(request)
                if number in damaged:
                    batch += PLANTERS[damaged[number]](rows)
                    continue
                batch += rows
                if request.is_green:
                    green, greens = request, greens + 1
            if first + size > self.requests:
                batch += self._queue_rows(green, greens)
            yield batch

    def _damaged(self) -> dict[int, str]:
        """Numbers of the damaged requests, spread evenly from a seeded start, and the code of each."""
        planted = sorted(code for code in self.damage if code in PLANTERS)
        codes = [(code, index) for code in planted for index in range(self.damage[code])]
        codes.sort(key=lambda each: self._digest(f"{each[0]} {each[1]}"))
        room = self.requests - 2
        start = int.from_bytes(self._digest("start")[:8], "big")
        return {2 + (start + place * room // len(codes)) % room: code for place, (code, _) in enumerate(codes)}

    def _digest(self, of: str) -> bytes:
        return hashlib.sha256(f"{self.seed}\0{of}".encode()).digest()

    def _id(self, number: int, code: str) -> str:
        other: IdForm = "path" if self.ids == "decimal" else "decimal"
        return spell_request_id(self.queue, number, other if code == MIXED_FORMS else self.ids)

    def _request(self, number: int, code: str, green: SyntheticRequest | None) -> SyntheticRequest:
        request_id = self._id(number, code)
        digest = self._digest(f"{self.queue}\0{number}")
        return SyntheticRequest(
            id=request_id,
            number=number,
            uri=f"git://origin/{self.queue}/{digest[:20].hex()}",
            base_uri="" if green is None else green.uri,
            accepted_at_ms=self.first_ms + number * self.every_ms,
            is_green=digest[-1] < _SUCCEEDED_SHARE,
        )

    def _queue_rows(self, green: SyntheticRequest | None, greens: int) -> list[Row]:
        row, is_there, beside = self._queue_row(green, greens), True, list[Row]()
        for code in sorted(OF_QUEUE):
            if self.damage.get(code):
                made = OF_QUEUE[code](row)
                kept = [each for each in made if isinstance(each, QueueRow)]
                row, is_there = (kept[0], is_there) if kept else (row, False)
                beside += [each for each in made if not isinstance(each, QueueRow)]
        return [*([row] if is_there else []), *beside]

    def _queue_row(self, green: SyntheticRequest | None, greens: int) -> QueueRow:
        return QueueRow(
            last_green_uri="" if green is None else green.uri,
            in_flight_count=self.damage.get("H106", 0),
            latest_request_id=spell_request_id(self.queue, self.requests, self.ids),
            version=1 + self.requests + greens,
            last_green_request_id="" if green is None else green.id,
            build_admission_not_before_ms=0,
            enablement_state="",
            enablement_sequence=0,
        )


def plantable() -> tuple[str, ...]:
    """The codes of the damage that can be planted."""
    return tuple(sorted((*PLANTERS, *OF_QUEUE)))
