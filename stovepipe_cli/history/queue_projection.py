"""The queue's read model from its log: a pure step, and a writer that decides again after a lost race.

The projection moves only forward, to an occurrence of a higher sequence; what it says of one sequence must agree.
"""

from dataclasses import dataclass, replace
from typing import Literal

from stovepipe_cli.entities import QueueLog, QueueSummary
from stovepipe_cli.history.errors import QueueProjectionConflict
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, VersionMismatch

QueueChange = Literal["none", "created", "advanced"]

MAX_RELOADS = 16

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class QueueDecision:
    """What the summary becomes; `summary` has the row version to write, and is None where nothing is to be shown."""

    change: QueueChange
    summary: QueueSummary | None


def project_queue(summary: QueueSummary | None, entry: QueueLog) -> QueueDecision:
    """The summary after one retained occurrence.

    The row version, the projection version and the enablement sequence each move by their own rule: the first two by
    one at every write, the last to the occurrence's. `QueueProjectionConflict` where the summary shows the same
    sequence otherwise.
    """
    if summary is None:
        return QueueDecision(
            "created", QueueSummary(entry.queue, entry.state, entry.sequence, entry.timestamp_ms, 1, 1)
        )
    if entry.sequence < summary.enablement_sequence:
        return QueueDecision("none", summary)
    if entry.sequence == summary.enablement_sequence:
        if (entry.state, entry.timestamp_ms) != (summary.state, summary.state_timestamp_ms):
            raise QueueProjectionConflict(
                f"the summary of queue '{entry.queue}' shows enablement {entry.sequence} otherwise than its log",
                hint="neither is overwritten: find out which of the two is wrong",
            )
        return QueueDecision("none", summary)
    advanced = replace(
        summary,
        state=entry.state,
        enablement_sequence=entry.sequence,
        state_timestamp_ms=entry.timestamp_ms,
        projection_version=summary.projection_version + 1,
        version=summary.version + 1,
    )
    return QueueDecision("advanced", advanced)


def persist_occurrence(storage: Storage, entry: QueueLog) -> QueueChange:
    """Retain an occurrence and project it; repeatable. `QueueProjectionConflict` where another has its sequence."""
    try:
        storage.queue_log.create(entry)
    except AlreadyExists:
        retained = storage.queue_log.get(entry.id)
        if (retained.state, retained.sequence) != (entry.state, entry.sequence):
            raise QueueProjectionConflict(
                f"enablement {entry.sequence} of queue '{entry.queue}' is retained as '{retained.state}', "
                f"not '{entry.state}'",
                hint="the retained occurrence stays as it is: give a change of its own sequence",
            ) from None
        # The time of the first retention counts, whatever a repetition says.
        entry = retained
    return project_occurrence(storage, entry)


def repair_queue_summary(storage: Storage) -> QueueChange:
    """Bring the summary forward to the newest retained occurrence; none retained, nothing done. Repeatable."""
    newest = newest_occurrence(storage)
    return "none" if newest is None else project_occurrence(storage, newest)


def newest_occurrence(storage: Storage) -> QueueLog | None:
    """The retained occurrence of the highest sequence."""
    newest: QueueLog | None = None
    while page := storage.queue_log.list_after(newest.sequence if newest else 0, _PAGE):
        newest = page[-1]
    return newest


def project_occurrence(storage: Storage, entry: QueueLog) -> QueueChange:
    """Bring the summary forward to a retained occurrence. Repeatable; `QueueProjectionConflict` as `project_queue`."""
    for _ in range(MAX_RELOADS):
        decision = project_queue(_summary(storage), entry)
        try:
            if decision.change == "created" and decision.summary is not None:
                storage.queue_summaries.create(decision.summary)
            elif decision.change == "advanced" and decision.summary is not None:
                version = decision.summary.version
                storage.queue_summaries.update(decision.summary, old_version=version - 1, new_version=version)
        except (AlreadyExists, VersionMismatch):
            # Race: another writer moved the summary since it was read, so its value decides anew.
            continue
        return decision.change
    raise VersionMismatch(
        f"the summary of queue '{storage.queue}' changed {MAX_RELOADS} times while it was projected",
        hint="repeat once the other writers have ended",
    )


def _summary(storage: Storage) -> QueueSummary | None:
    try:
        return storage.queue_summaries.get()
    except NotFound:
        return None
