"""The balance of a shared verify: compared by one process, from what each step left of it."""

import base64
import zlib
from collections.abc import Container, Iterable

from stovepipe_cli.audit.balance import CELLS

Cells = Container[int]

# Every step leaves a digest a cell in the ledger. Fewer cells hold more requests each, which are all looked at by key
# where one of them differs, and that costs more only in a long queue.
_FEW = 1 << 16
_MANY_REQUESTS = 4_000_000

_DIGEST = 8


def folded_to(requests: int) -> int:
    """How many cells the balance of so many requests is left in."""
    return CELLS if requests > _MANY_REQUESTS else _FEW


def uneven_text(balances: Iterable[bytes], cells: int) -> str:
    """Which of so many cells the two sides do not hold even, as text; empty where there is none."""
    both = 0
    for balance in balances:
        both ^= int.from_bytes(balance, "little")
    digests, bits = both.to_bytes(_DIGEST * cells, "little"), bytearray(cells // 8)
    nothing = bytes(_DIGEST)
    for cell in range(cells if both else 0):
        if digests[_DIGEST * cell : _DIGEST * (cell + 1)] != nothing:
            bits[cell >> 3] |= 1 << (cell & 7)
    return _text(bytes(bits)) if both else ""


def every_cell(cells: int) -> str:
    """All of them, which have to be looked at where not everything was read."""
    return _text(b"\xff" * (cells // 8))


def cells_of(text: str) -> Cells:
    """The cells of a balance that such a text names."""
    bits = zlib.decompress(base64.b64decode(text)) if text else b""
    if bits.count(0xFF) == len(bits):
        return range(CELLS if bits else 0)
    named = [8 * at + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1]
    return frozenset(cell + start for start in range(0, CELLS, 8 * len(bits)) for cell in named)


def _text(bits: bytes) -> str:
    return base64.b64encode(zlib.compress(bits)).decode("ascii")
