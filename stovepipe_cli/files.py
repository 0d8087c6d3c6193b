"""Files that are there whole or not at all: written aside, synced, then renamed."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stovepipe_cli.errors import InvalidInput, Refused

PRIVATE = 0o600

# What the umask of the account leaves of it.
_SHARED = 0o666


def write_answer(name: str, text: str) -> None:
    """Put an answer where `name` leads: a file is replaced whole and keeps its mode, a device or pipe is written to.

    `InvalidInput` where it cannot be written; a file is then as it was.
    """
    path = Path(name)
    try:
        # The name of a pipe, as /dev/stdout can be one, leads nowhere once it is resolved.
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path = path.resolve()
    except FileNotFoundError:
        _write_aside(path.resolve(), (text,), mode=_SHARED, overwrite=True)
        return
    except (OSError, RuntimeError, ValueError) as error:
        raise _unwritable(path, error) from error
    if stat.S_ISREG(mode):
        _write_aside(path, (text,), mode=_SHARED, overwrite=True, exact_mode=stat.S_IMODE(mode))
        return
    try:
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from error


def require_writable_place(name: str) -> None:
    """Refuse with `InvalidInput` a file name whose directory takes no file, before any work is done for it."""
    path = Path(name)
    try:
        if path.is_dir():
            raise InvalidInput(f"'{path}' is a directory", hint="give the name of a file")
        is_place = path.is_file() or path.parent.is_dir()
        is_open = os.access(path.resolve().parent, os.W_OK) or (path.exists() and not path.is_file())
    except (OSError, RuntimeError, ValueError) as error:
        raise _unwritable(path, error) from error
    if not path.exists() and not is_place:
        raise InvalidInput(f"there is no directory '{path.parent}'", hint="create it, or give another path")
    if not is_open:
        raise InvalidInput(f"'{path}' cannot be written: its directory takes no files", hint="give another path")


def make_directory(path: Path, *, mode: int = 0o777) -> None:
    """Make a directory and those above it, where they are absent; `InvalidInput` where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=mode)
    except OSError as error:
        raise InvalidInput(
            f"directory '{path}' cannot be made: {error.strerror}", hint="check HOME, and the rights above it"
        ) from error


def write_whole(path: Path, text: str, *, mode: int, overwrite: bool) -> None:
    """Put a file of this mode at `path`.

    `Refused` where the name is taken and may not be, `InvalidInput` where it cannot be written; either way an old
    file is as it was.
    """
    write_pieces(path, (text,), mode=mode, overwrite=overwrite)


def write_pieces(path: Path, pieces: Iterable[str], *, mode: int, overwrite: bool) -> None:
    """Put a file of this mode at `path`, piece by piece as they come, and only once all have come.

    `Refused` where the name is taken and may not be, `InvalidInput` where it cannot be written; either way, and where
    a piece fails to come, an old file is as it was.
    """
    if path.exists() and not (overwrite and path.is_file()):
        # Not even by force: a file in the place of a device would be there for every other program too.
        raise _taken(path)
    _write_aside(path, pieces, mode=mode, overwrite=overwrite, exact_mode=mode)


@contextmanager
def held(name: str) -> Iterator[None]:
    """Keep others who ask the same from reading and replacing this file meanwhile; a hidden file beside it is locked.

    `InvalidInput` where that file cannot be made.
    """
    path = Path(name)
    lock = path.with_name(f".{path.name[:64]}.lock")
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, _SHARED)
    except OSError as error:
        raise _unwritable(lock, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write_aside(
    path: Path, pieces: Iterable[str], *, mode: int, overwrite: bool, exact_mode: int | None = None
) -> None:
    aside = path.with_name(f".{path.name[:64]}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            if exact_mode is not None:
                os.fchmod(file.fileno(), exact_mode)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            aside.replace(path)
        else:
            # A link fails where the name has been taken since, which a rename would overwrite.
            path.hardlink_to(aside)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            aside.unlink()


def _taken(path: Path) -> Refused:
    return Refused(f"'{path}' exists and is left as it is", hint="choose another name, or move the file away")


def _unwritable(path: Path, error: Exception) -> InvalidInput:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "no file can have this name"
    return InvalidInput(
        f"'{path}' cannot be written: {reason}", hint="give a path in a directory that exists and that you may write"
    )
