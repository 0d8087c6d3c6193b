"""What the steps of a shared verify left on record, and how far they came."""

import base64
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.shared_plan import REPORT, WEIGH, stage_of
from stovepipe_cli.audit.shared_state import BALANCE, LEFT, Gathered, take_left
from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.errors import Refused
from stovepipe_cli.storage.ledger.contract import QueueLedger

INVOCATION, CELLS = "invocation", "cells"

_PAGE = 100


class SharedRecord:
    """Of one run. `names` are its passes beside the requests.

    `latest` is the number of the latest request before the start, None where that is not known.
    """

    def __init__(self, ledger: QueueLedger, run_id: str, names: Collection[PassName], latest: int | None) -> None:
        self._ledger = ledger
        self.run_id = run_id
        self.latest = latest
        self._passes: tuple[PassName, ...] = ("requests", *names)

    def is_all_done(self) -> bool:
        """Whether every step that was minted is disposed of."""
        counts = self._ledger.steps.counts_by_status(self.run_id)
        return not (counts["pending"] or counts["running"] or counts["waiting"])

    def is_disposed(self, part: str) -> bool:
        """Whether every step of a part that was minted is disposed of."""
        return all(step.is_disposed for step in self._steps() if stage_of(step.input)[0] == part)

    def gathered(self, part: str | None = None) -> Gathered:
        """What the steps that are done left, without their documents; of one part, or of all."""
        found = Gathered()
        for step in self._steps():
            if step.output is not None and _is_reading(step) and part in {None, stage_of(step.input)[0]}:
                found.take(step.output)
        return found

    def take_left(self, case: Case) -> None:
        """Give a case what all steps that are done left for the end, in their order."""
        for step in self._steps():
            if step.output is not None and _is_reading(step):
                left = step.output.get(LEFT)
                take_left(case, left if isinstance(left, Mapping) else self._document(step))

    def balances(self) -> Iterator[bytes]:
        """What each step that read a stretch for the first time left of either side."""
        for step in self._steps():
            if step.output is not None and _is_reading(step) and not stage_of(step.input)[1]:
                yield base64.b64decode(self._document(step)[BALANCE])

    def cells(self) -> str | None:
        """The cells that have to be read again, as the comparison left them; None where it left nothing."""
        for step in self._steps():
            if stage_of(step.input)[0] == WEIGH and step.output is not None:
                return str(step.output[CELLS])
        return None

    def is_read(self, name: PassName, *, again: bool = False) -> bool:
        """Whether a pass was read from its start to its end, with nothing left out."""
        own = [step for step in self._steps() if stage_of(step.input) == (name, again)]
        is_done = all(step.output is not None and name not in _skipped(step.output) for step in own)
        return bool(own) and is_done and own[-1].input.get("upto") is None

    def unread(self) -> tuple[PassName, ...]:
        """The passes that did not come to their end, comparison and second reading included."""
        once = tuple(name for name in self._passes if not self.is_read(name))
        if once:
            return once
        cells = self.cells()
        if cells is None:
            return self._passes
        return tuple(name for name in self._passes if cells and not self.is_read(name, again=True))

    def _steps(self) -> Iterator[WorkStep]:
        after = -1
        while page := self._ledger.steps.steps(self.run_id, limit=_PAGE, after=after):
            yield from page
            after = page[-1].step_index

    def _document(self, step: WorkStep) -> Mapping[str, Any]:
        # One at a time, for each holds a whole balance.
        wanted, place = (step.output or {}).get(INVOCATION), (step.step_index, 0, "")
        while page := self._ledger.runs.invocations_of(self.run_id, limit=1, after=place):
            (found,) = page
            if found.step_index != step.step_index:
                break
            if found.invocation_id == wanted:
                return found.document
            place = (found.step_index, found.attempt, found.invocation_id)
        raise Refused(
            f"what step {step.step_index} of run '{self.run_id}' read is no longer in the ledger",
            hint=f"'stovepipe runs cancel {self.run_id}' and start anew",
        )


def _skipped(output: Mapping[str, Any]) -> Collection[str]:
    return tuple(map(str, output["skipped"]))


def _is_reading(step: WorkStep) -> bool:
    return stage_of(step.input)[0] not in {WEIGH, REPORT}
