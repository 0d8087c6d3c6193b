"""The receipt of an apply: one line a row that was written, on disk as soon as it was, readable by the owner alone."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.files import PRIVATE
from stovepipe_cli.reports import RepairPlan, Written, json_form


def receipt_path(plan_path: Path, run_id: str) -> Path:
    """Beside the plan, under the name of the run."""
    return plan_path.with_name(f"{plan_path.name}.receipt-{run_id}.ndjson")


class ReceiptFile:
    """Takes down rows in the order they were written.

    The first line names run, plan, queue, target, reason, and the plan's options with all that the operator decided.
    A killed process leaves every row it wrote before its last one, and that one too unless it died between the two.
    """

    def __init__(self, path: Path, plan: RepairPlan, run_id: str, reason: str | None = None) -> None:
        self.path = path
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        except FileExistsError as error:
            raise Refused(f"'{path}' exists and was left as it is", hint="move it away, then apply again") from error
        except OSError as error:
            raise InvalidInput(
                f"receipt '{path}' cannot be written: {error.strerror}",
                hint="put the plan where this account may write: nothing was applied",
            ) from error
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        head = {
            "run_id": run_id,
            "plan_id": plan.plan_id,
            "queue": plan.queue,
            "target": plan.target,
            "reason": reason,
            "options": plan.options,
        }
        self._line(head)

    def note(self, written: Written) -> None:
        """Take down one row."""
        self._line(written)

    def close(self) -> None:
        """Put everything on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> Self:
        """The open receipt."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _line(self, value: object) -> None:
        self._file.write(json.dumps(json_form(value), ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()
