"""Documents as a column holds them: readable, or compressed where they are long."""

import zlib

from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.errors import UnreadableRow

READABLE_BYTES = 16 * 1024
# From here on the time that it takes counts for more than the last tenth of its size.
LARGE_BYTES = 64 * 1024
# In a text that its middle shows to hold little twice, as digests do, repetitions are searched for in vain.
_SAMPLE_BYTES, _REPETITIVE = 4 * 1024, 0.4
# No readable document begins with it: JSON begins with a brace, and a reason is marked as well.
COMPRESSED = b"\x00"


def packed(text: str) -> bytes:
    """The bytes of a text, compressed if they are many, so that a long plan fits into one packet of a server."""
    raw = key_bytes(text)
    if len(raw) < READABLE_BYTES and not raw.startswith(COMPRESSED):
        return raw
    if len(raw) < LARGE_BYTES:
        return COMPRESSED + zlib.compress(raw)
    start = len(raw) // 2
    sample = raw[start : start + _SAMPLE_BYTES]
    repeats = len(zlib.compress(sample, zlib.Z_BEST_SPEED)) < _REPETITIVE * len(sample)
    strategy = zlib.Z_DEFAULT_STRATEGY if repeats else zlib.Z_HUFFMAN_ONLY
    packer = zlib.compressobj(zlib.Z_BEST_SPEED, strategy=strategy)
    return COMPRESSED + packer.compress(raw) + packer.flush()


def unpacked(raw: bytes) -> str:
    """The text of these bytes; `UnreadableRow` where they are none."""
    if not raw.startswith(COMPRESSED):
        return key_text(raw)
    try:
        return key_text(zlib.decompress(raw[len(COMPRESSED) :]))
    except zlib.error:
        raise UnreadableRow(
            "a document of the ledger is damaged: it is marked as compressed and cannot be unpacked",
            hint="restore the row from a backup of the ledger",
        ) from None
