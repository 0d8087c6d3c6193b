"""The complete list of findings in a file, one JSON object a line."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.reports import Finding, json_form


class FindingsFile:
    """Written aside and renamed when the block ends well, so a reader never sees half a list. None: no file.

    A device or pipe is written to as it is. `InvalidInput` where the list cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._aside: Path | None = None

    def __enter__(self) -> Self:
        if self._path is not None:
            with self._told():
                self._open(self._path)
        return self

    def add(self, finding: Finding) -> None:
        """Append one finding."""
        self.add_line(finding)

    def add_line(self, value: object) -> None:
        """Append one value, as JSON on a line."""
        if self._file is not None:
            with self._told():
                self._file.write(json.dumps(json_form(value), ensure_ascii=False) + "\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is None or self._path is None:
            return
        try:
            if kind is None:
                with self._told():
                    self._finish(self._file, self._path.resolve())
        finally:
            with suppress(OSError):
                self._file.close()
            if self._aside is not None:
                self._aside.unlink(missing_ok=True)

    def _finish(self, file: TextIO, path: Path) -> None:
        file.flush()
        if self._aside is not None:
            os.fsync(file.fileno())
            self._aside.replace(path)

    def _open(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            # A rename would put a file in the place of the device.
            self._file = path.open("w", encoding="utf-8")
            return
        path = path.resolve()
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:64]}.")
        self._aside = Path(name)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as failure:
            reason = failure.strerror or "no file can have this name"
            raise InvalidInput(
                f"the findings file '{self._path}' cannot be written: {reason}",
                hint="check the directory, its permissions and its free space",
            ) from failure
