"""Which entries of a history a terminal shows as one line."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stovepipe_cli.history.folding import Folder
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark


def folded(report: HistoryReport) -> HistoryReport:
    """The same history with repetitions folded; gaps and entries that just arrived are never inside a fold.

    A history that was read with folds has them already.
    """
    if report.folds or not report.may_fold:
        return report
    gaps = {*report.gap_positions}
    marks = _codes_by_entry(report.marks)
    folder: Folder[tuple[int, HistoryEntry]] = Folder()
    for index, entry in enumerate(report.entries):
        if index in gaps:
            folder.cut()
        folder.add((index, entry), None if entry.log_id in report.fresh else _kind(entry, marks))
    folder.finish()
    if not folder.folds:
        return report
    inside = {entry.log_id for entry in report.entries} - {entry.log_id for _, entry in folder.kept}
    return replace(
        report,
        entries=tuple(entry for _, entry in folder.kept),
        marks=tuple(mark for mark in report.marks if mark.log_id not in inside),
        remarks_total=report.remarks,
        gap_positions=_moved(report.gap_positions, [index for index, _ in folder.kept], len(report.entries)),
        folds=tuple(folder.folds),
        entries_total=report.total,
    )


def _codes_by_entry(marks: Sequence[Mark]) -> Mapping[str, tuple[str, ...]]:
    codes: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for mark in marks:
        codes[mark.log_id] += (mark.code,)
    return codes


def _kind(entry: HistoryEntry, marks: Mapping[str, tuple[str, ...]]) -> tuple[object, ...] | None:
    if entry.state:
        return None
    repair = "" if isinstance(entry.metadata, str) else entry.metadata.get(REPAIR_RUN_ID)
    return (entry.event, entry.request_version, entry.outcome_reason, repair, marks.get(entry.log_id, ()))


def _moved(positions: Sequence[int], kept: Sequence[int], size: int) -> tuple[int, ...]:
    """Positions among all entries as positions among the kept ones, which gaps always stand beside."""
    places = {index: place for place, index in enumerate(kept)} | {size: len(kept)}
    return tuple(places[min(position, size)] for position in positions)
