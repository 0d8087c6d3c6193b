"""From rows to a scenario file, under pseudonyms where asked."""

import secrets
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from stovepipe_cli.errors import InvalidInput, Refused, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import FixturesDumpReport

# As long as the digests that it makes.
KEY_BYTES = 32
SHORTEST_KEY_BYTES = 16
_LONGEST_KEY_BYTES = 4096


def dump_to_file(
    session: "Session", out: Path, *, requests: list[str], anonymize: bool, key_file: Path | None, force: bool
) -> "FixturesDumpReport":
    """Write the session's queue, or the requests that are named, to `out`; the file is whole or not there.

    `NothingFound` for a queue without rows and for a request that nothing is known of, `Refused` where the file exists
    or would be larger than any load takes.
    """
    from stovepipe_cli.audit.rules.sensitive import kinds_of_secret
    from stovepipe_cli.files import PRIVATE, require_writable_place, write_pieces
    from stovepipe_cli.fixtures_io.dump import Dump, DumpTally
    from stovepipe_cli.fixtures_io.pseudonyms import Pseudonyms
    from stovepipe_cli.history.reference import resolve_request
    from stovepipe_cli.reports import FixturesDumpReport

    key = _key(key_file) if anonymize else None
    require_writable_place(str(out))
    if out.exists() and not force:
        raise Refused(f"'{out}' exists and is left as it is", hint="choose another name, or add --force")
    storage = session.storage()
    session.require_rows(storage)
    chosen = tuple(dict.fromkeys(resolve_request(storage, each) for each in requests))
    names = None if key is None else Pseudonyms(key, storage.queue, kinds_of_secret)
    tally = DumpTally()
    dump = Dump(
        storage,
        session.clock,
        chosen or None,
        names,
        listener=lambda seen: session.progress(f"{seen:,} rows read"),
    )
    write_pieces(out, dump.text(tally), mode=PRIVATE, overwrite=force)
    session.say(f"scenario written to '{out}'; load it with: stovepipe fixtures load {quote(str(out))}")
    return FixturesDumpReport(
        file=str(out),
        digest=tally.digest,
        queue=storage.queue if names is None else names.queue,
        rows=dict(tally.rows),
        requests=chosen or None,
        anonymized=names is not None,
        unloadable=tally.unloadable,
    )


def _key(file: Path | None) -> bytes:
    """The secret in the file without the line break at its end, or one that is forgotten afterwards."""
    if file is None:
        return secrets.token_bytes(KEY_BYTES)
    try:
        with file.open("rb") as stream:
            key = stream.read(_LONGEST_KEY_BYTES + 1).removesuffix(b"\n").removesuffix(b"\r")
    except OSError as error:
        raise InvalidInput(f"the key file '{file}' cannot be read: {error.strerror}", hint="check the path") from None
    if not SHORTEST_KEY_BYTES <= len(key) <= _LONGEST_KEY_BYTES:
        raise UsageError(
            f"the key file '{file}' holds {len(key)} bytes, a key has {SHORTEST_KEY_BYTES} to {_LONGEST_KEY_BYTES}",
            hint=f"make one: python3 -c 'import secrets; print(secrets.token_hex())' > {file}",
        )
    return key
