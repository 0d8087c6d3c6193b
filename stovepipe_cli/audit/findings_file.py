"""The complete list of findings in a file, one JSON object a line."""

import json
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.reports import Finding, json_form


class FindingsFile:
    """Written aside and renamed when the block ends well, so a reader never sees half a list. None: no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._aside: Path | None = None

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        try:
            descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        except OSError:
            raise InvalidInput(
                f"the findings file '{self._path}' cannot be written", hint="check the directory and its permissions"
            ) from None
        self._aside = Path(name)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        return self

    def add(self, finding: Finding) -> None:
        """Append one finding."""
        if self._aside is not None:
            self._file.write(json.dumps(json_form(finding), ensure_ascii=False) + "\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._aside is None or self._path is None:
            return
        with self._file:
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())
        if kind is None:
            self._aside.replace(self._path)
        else:
            self._aside.unlink()
