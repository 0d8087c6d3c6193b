"""Files that are there whole or not at all: written aside, synced, then renamed."""

import os
import tempfile
from pathlib import Path

from stovepipe_cli.errors import InvalidInput, Refused

PRIVATE = 0o600
SHARED = 0o644


def write_whole(path: Path, text: str, *, mode: int = SHARED, overwrite: bool = True) -> None:
    """Put `text` at `path` as UTF-8. `Refused` where it exists and may not be overwritten, `InvalidInput` where it
    cannot be written; either way the old content is as it was.
    """
    if not overwrite and path.exists():
        raise Refused(f"'{path}' exists and is left as it is", hint="choose another name, or move the file away")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    aside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(mode)
        if overwrite:
            aside.replace(path)
        else:
            # A link fails where the name has been taken since, which a rename would overwrite.
            path.hardlink_to(aside)
            aside.unlink()
    except FileExistsError as error:
        aside.unlink(missing_ok=True)
        raise Refused(f"'{path}' exists and is left as it is", hint="choose another name") from error
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"'{path}' cannot be written: {error.strerror or 'input/output error'}",
        hint="give a path in a directory that exists and that you may write",
    )
