"""The key of this process's hashes: other processes can be given it only where it was there from the start."""

import os
import sys
from collections.abc import Mapping

from stovepipe_cli.commands.surroundings import Surroundings

# What Python takes the key from, at its start alone.
SEED_VARIABLE = "PYTHONHASHSEED"
# Holds the same where the program itself chose it, anew for each run.
_OWN_VARIABLE = "_STOVEPIPE_HASH_SEED"


def is_keyed(environ: Mapping[str, str], seed: str) -> bool:
    """Whether this process hashes by that key."""
    return environ.get(SEED_VARIABLE) == seed and not sys.flags.ignore_environment


def own_seed(environ: Mapping[str, str]) -> str | None:
    """The key that the program began with; None where it is one that no other process can be given."""
    seed = environ.get(_OWN_VARIABLE)
    return seed if seed and is_keyed(environ, seed) else None


def begin_anew_keyed(surroundings: Surroundings) -> None:
    """Replace this process by one of the same words whose hashes have a new key; return where it has one, or cannot.

    Nothing may be open yet. The number of the process stays, and so do its streams.
    """
    from stovepipe_cli.audit.shared_options import mint_hash_seed

    environ, given = surroundings.environ, sys.argv[1:]
    # Where the words came from elsewhere, or the program was read from stdin, nobody could start it again.
    is_repeatable = sys.argv[0] != "-" and sys.orig_argv[len(sys.orig_argv) - len(given) :] == given
    if surroundings.program is None or own_seed(environ) or sys.flags.ignore_environment or not is_repeatable:
        return
    seed = str(mint_hash_seed())
    surroundings.stderr.flush()
    os.execve(  # noqa: S606  # this very program, with the words that it was given itself
        sys.executable, [sys.executable, *sys.orig_argv[1:]], {**environ, SEED_VARIABLE: seed, _OWN_VARIABLE: seed}
    )
