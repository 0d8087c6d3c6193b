"""Records beyond memory: written to a temporary file in sorted runs, read back as one sorted stream."""

import heapq
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")

RUN = 10_000
MERGED_AT_ONCE = 64
_BLOCK = 1 << 16


class Spill(Generic[T]):
    """Any number of records in bounded memory. Close it, or use it as a context manager, to remove the file.

    `write` makes a JSON value of a record, `read` the record again, `order` its sort key.
    """

    def __init__(
        self,
        write: Callable[[T], object],
        read: Callable[[Any], T],
        order: Callable[[T], Any],
        *,
        run: int = RUN,
    ) -> None:
        self._write, self._read, self._order = write, read, order
        self._run = run
        self._buffer: list[T] = []
        descriptor, name = tempfile.mkstemp(prefix="stovepipe-")
        # Without a name the file goes away with the process, however that ends.
        Path(name).unlink()
        self._descriptor = descriptor
        self._runs: list[tuple[int, int]] = []
        self._count = 0

    def __len__(self) -> int:
        """How many records were added."""
        return self._count

    def add(self, record: T) -> None:
        """Keep one more record."""
        self._buffer.append(record)
        self._count += 1
        if len(self._buffer) >= self._run:
            self._flush()

    def ordered(self) -> Iterator[T]:
        """Every record in order; those of equal keys in the order of their coming. Repeatable."""
        while len(self._runs) > MERGED_AT_ONCE:
            self._merge_first(MERGED_AT_ONCE)
        buffered = sorted(self._buffer, key=self._order)
        return heapq.merge(*(self._records(*span) for span in self._runs), buffered, key=self._order)

    def _flush(self) -> None:
        self._buffer.sort(key=self._order)
        self._runs.append(self._append(iter(self._buffer)))
        self._buffer = []

    def _merge_first(self, count: int) -> None:
        merged = heapq.merge(*(self._records(*span) for span in self._runs[:count]), key=self._order)
        self._runs = [self._append(merged), *self._runs[count:]]

    def _append(self, records: Iterator[T]) -> tuple[int, int]:
        start = end = os.fstat(self._descriptor).st_size
        lines: list[bytes] = []
        for record in records:
            # ASCII alone: bytes that are not UTF-8 travel as surrogates, which only escapes carry.
            lines.append(json.dumps(self._write(record), separators=(",", ":")).encode("ascii") + b"\n")
            if len(lines) >= self._run:
                end += self._put(lines, end)
        end += self._put(lines, end)
        return (start, end)

    def _put(self, lines: list[bytes], at: int) -> int:
        data = b"".join(lines)
        lines.clear()
        written = 0
        while written < len(data):
            written += os.pwrite(self._descriptor, data[written:], at + written)
        return written

    def _records(self, start: int, end: int) -> Iterator[T]:
        rest = b""
        while start < end:
            block = os.pread(self._descriptor, min(_BLOCK, end - start), start)
            start += len(block)
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                yield self._read(json.loads(line))

    def close(self) -> None:
        """Remove the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
