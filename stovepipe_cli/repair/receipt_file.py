"""The receipt of an apply: one line a row that was written, on disk as soon as it was, readable by the owner alone."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.files import PRIVATE, require_writable_place, write_whole
from stovepipe_cli.repair.kept_rows import revived
from stovepipe_cli.reports import RepairPlan, Written, canonical_json, json_form


def receipt_path(plan_path: Path, run_id: str) -> Path:
    """Beside the plan, under the name of the run."""
    return plan_path.with_name(f"{plan_path.name}.receipt-{run_id}.ndjson")


def require_receipt_place(plan_path: Path) -> None:
    """Refuse with `InvalidInput`, before anything is applied, a plan beside which no receipt can be written."""
    try:
        require_writable_place(str(receipt_path(plan_path, "run")))
    except InvalidInput as error:
        raise InvalidInput(
            f"no receipt can be written beside '{plan_path}': {error.message}",
            hint="put the plan where this account may write: nothing was applied",
        ) from error


def head_line(plan: RepairPlan, run_id: str, reason: str | None) -> dict[str, object]:
    """What the first line tells."""
    return {
        "run_id": run_id,
        "plan_id": plan.plan_id,
        "queue": plan.queue,
        "target": plan.target,
        "reason": reason,
        "options": plan.options,
    }


def write_receipt(
    path: Path, plan: RepairPlan, run_id: str, written: Sequence[Written], reason: str | None = None
) -> None:
    """Put down the whole receipt of a run, whose rows several processes wrote, in the place of what is there."""
    lines = [head_line(plan, run_id, reason), *written]
    write_whole(path, "".join(_text(each) for each in lines), mode=PRIVATE, overwrite=True)


def rows_in_receipt(path: Path) -> tuple[Written, ...]:
    """The rows that a receipt lists so far, in order; a line that was cut off, or is none of ours, is passed over."""
    try:
        # A device could go on for ever.
        lines = path.read_bytes().split(b"\n") if path.is_file() else []
    except OSError:
        return ()
    return tuple(row for line in lines[1:] for row in _row(line))


def with_noted(rows: Sequence[Written], noted: Sequence[Written]) -> tuple[Written, ...]:
    """The rows on record and behind them those that only a receipt has.

    A killed attempt noted each row as it was written, and the ledger has only what it was about to write.
    """
    known = {_identity(row) for row in rows}
    return (*rows, *{key: row for row in noted if (key := _identity(row)) not in known}.values())


class ReceiptFile:
    """Takes down rows in the order they were written.

    The first line names run, plan, queue, target, reason, and the plan's options with all that the operator decided.
    A killed process leaves every row it wrote before its last one, and that one too unless it died between the two.
    Where the run is taken up again, its rows go behind those that are there. A file that takes no more, as on a full
    disk, is given up, which `on_loss` hears of once: the rows that are told by then are written all the same, and the
    ledger has them.
    """

    def __init__(
        self,
        path: Path,
        plan: RepairPlan,
        run_id: str,
        reason: str | None = None,
        *,
        is_resumed: bool = False,
        on_loss: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.path = path
        self._on_loss = on_loss
        self._is_lost = False
        goes_on = is_resumed and path.exists()
        try:
            how = os.O_APPEND if goes_on else os.O_CREAT | os.O_EXCL
            descriptor = os.open(path, os.O_RDWR | how, PRIVATE)
        except FileExistsError as error:
            raise Refused(f"'{path}' exists and was left as it is", hint="move it away, then apply again") from error
        except OSError as error:
            raise InvalidInput(
                f"receipt '{path}' cannot be written: {error.strerror}",
                hint="put the plan where this account may write: nothing was applied",
            ) from error
        self._descriptor = descriptor
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            # Whoever died in the middle of a line must not take the next one with it.
            self._write("\n")
        if not size:
            self._write(_text(head_line(plan, run_id, reason)))

    def note(self, written: Written) -> None:
        """Take down one row."""
        self._write(_text(written))

    def close(self) -> None:
        """Put everything on disk."""
        try:
            if not self._is_lost:
                os.fsync(self._descriptor)
        except OSError as error:
            self._lose(error)
        finally:
            os.close(self._descriptor)

    def __enter__(self) -> Self:
        """The open receipt."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _write(self, text: str) -> None:
        if self._is_lost:
            return
        left = text.encode()
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        self._is_lost = True
        self._on_loss(f"receipt '{self.path}' takes no more: {error.strerror or 'input/output error'}")


def _text(value: object) -> str:
    return json.dumps(json_form(value), ensure_ascii=False, separators=(",", ":")) + "\n"


def _row(line: bytes) -> Iterator[Written]:
    try:
        document = json.loads(line)
    except ValueError:
        return
    if not isinstance(document, Mapping):
        return
    action, table, before = document.get("action"), document.get("table"), document.get("before")
    key, after = document.get("key"), document.get("after")
    if not isinstance(action, str) or not isinstance(table, str):
        return
    if isinstance(key, Mapping) and isinstance(after, Mapping) and (before is None or isinstance(before, Mapping)):
        yield revived(action, table, key=key, before=before, after=after)


def _identity(row: Written) -> tuple[str, str, str]:
    return row.table, canonical_json(row.key), canonical_json(row.after)
