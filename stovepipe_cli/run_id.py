"""Ids of runs and plans: UUIDs of version 7, so that they sort by the time they were minted."""

import secrets
from uuid import UUID

from stovepipe_cli.clock import Clock

_MAX_48_BITS = 2**48 - 1


def mint_run_id(clock: Clock) -> str:
    """A fresh id: 48 bits of Unix milliseconds, then 74 random bits around the version and the variant."""
    milliseconds = min(max(clock.now_ms(), 0), _MAX_48_BITS)
    value = milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return str(UUID(int=value))
