"""The SQL that takes an apply back, in a file that is there whichever way the apply ended."""

from pathlib import Path
from types import TracebackType
from typing import Self

from stovepipe_cli.files import PRIVATE, require_writable_place, write_whole
from stovepipe_cli.repair.sql_script import Columns, columns_of
from stovepipe_cli.repair.sql_words import Dialect
from stovepipe_cli.repair.undo_script import undo_script
from stovepipe_cli.reports import Written
from stovepipe_cli.storage.contract import Storage


class UndoFile:
    """Collects what is written, and on leaving puts the script down, readable by the owner alone.

    Entering raises `Refused` where the file exists and `InvalidInput` where it cannot be written: before anything is
    applied, since afterwards would be too late.
    """

    def __init__(self, path: Path, storage: Storage, dialect: Dialect) -> None:
        self._path = path
        self._queue = storage.queue
        self._dialect = dialect
        self._columns: Columns = columns_of(storage)
        self._written: list[Written] = []

    def note(self, written: Written) -> None:
        """Take down one row."""
        self._written.append(written)

    def __enter__(self) -> Self:
        """Take the name, with a script that takes nothing back yet."""
        require_writable_place(str(self._path))
        self._write(overwrite=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Write the script."""
        self._write(overwrite=True)

    def _write(self, *, overwrite: bool) -> None:
        script = undo_script(self._written, self._queue, self._dialect, self._columns)
        write_whole(self._path, script, mode=PRIVATE, overwrite=overwrite)
