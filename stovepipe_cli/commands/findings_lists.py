"""The complete lists of findings that a verify writes: the findings file, and a baseline made of it."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from stovepipe_cli.audit.baseline import KnownFinding
    from stovepipe_cli.audit.findings_file import FindingsFile


@dataclass(frozen=True, slots=True)
class NewBaseline:
    """A baseline to write. Findings that `before` expects, by queue and id, keep their own reason and expiry."""

    path: Path
    reason: str
    expires_at_ms: int | None
    before: "Mapping[tuple[str, str], KnownFinding]"


class FindingsLists:
    """Stands between a verify, which writes the list of one queue, and the files that were asked for.

    Use it as a context manager; nothing is written where the block ends by an exception. `are_many`: lines of the
    findings file name their queue.
    """

    def __init__(self, file: Path | None, baseline: NewBaseline | None, *, are_many: bool) -> None:
        self._file = file
        self._baseline = baseline
        self._are_many = are_many
        self._entries: list[KnownFinding] = []
        self._stack = ExitStack()
        self._spool: Path | None = None
        self._joint: FindingsFile | None = None

    def __enter__(self) -> Self:
        if self._baseline is not None:
            from stovepipe_cli.audit.baseline_file import require_replaceable
            from stovepipe_cli.files import require_writable_place

            require_writable_place(str(self._baseline.path))
            require_replaceable(self._baseline.path)
        is_joint = self._are_many and self._file is not None
        if is_joint or self._baseline is not None:
            directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="stovepipe-"))
            self._spool = Path(directory) / "findings"
        if self._file is not None and self._spool is not None:
            from stovepipe_cli.audit.findings_file import FindingsFile

            self._joint = self._stack.enter_context(FindingsFile(self._file))
        return self

    @property
    def path(self) -> Path | None:
        """Where the verify of the next queue is to write its list."""
        return self._spool or self._file

    def take(self, queue: str) -> None:
        """Take over the list of a queue whose verify has ended."""
        if self._spool is None or not self._spool.exists():
            return
        with self._spool.open(encoding="utf-8") as lines:
            for line in lines:
                finding = json.loads(line)
                if self._joint is not None:
                    self._joint.add_line({"queue": queue, **finding} if self._are_many else finding)
                if self._baseline is not None:
                    self._entries.append(_entry(queue, finding, self._baseline))
        self._spool.unlink()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, traceback)
        if kind is None and self._baseline is not None:
            _write(self._baseline.path, self._entries)


def _entry(queue: str, finding: dict[str, object], new: NewBaseline) -> "KnownFinding":
    from stovepipe_cli.audit.baseline_file import entry_of

    fresh = entry_of(queue, finding, expires_at_ms=new.expires_at_ms, reason=new.reason)
    old = new.before.get((fresh.queue, fresh.id))
    return old if old is not None and old.found == fresh.found else fresh


def _write(path: Path, entries: "Iterable[KnownFinding]") -> None:
    from stovepipe_cli.audit.baseline_file import baseline_text
    from stovepipe_cli.files import write_answer

    write_answer(str(path), "".join(baseline_text(entries)))
