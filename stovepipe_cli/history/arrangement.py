"""Another order or another end of a history that is already there."""

from dataclasses import replace

from stovepipe_cli.reports import HistoryReport


def reverse(report: HistoryReport) -> HistoryReport:
    """The same history with the newest entry first; gaps stand between the same entries as before."""
    size = len(report.entries)
    return replace(
        report,
        entries=report.entries[::-1],
        gaps=report.gaps[::-1],
        gap_positions=tuple(size - position for position in reversed(report.gap_positions)),
        folds=tuple(replace(fold, start=size - fold.end) for fold in reversed(report.folds)),
        is_reversed=not report.is_reversed,
    )


def keep_last(report: HistoryReport, count: int) -> HistoryReport:
    """The last `count` entries of a history in order that nothing is left out of; gaps before them come first.

    Of the marks of events that are left out the number alone is kept.
    """
    left_out = max(len(report.entries) - count, 0)
    hidden = {entry.log_id for entry in report.entries[:left_out] if entry.event}
    return replace(
        report,
        entries=report.entries[left_out:],
        gap_positions=tuple(max(position - left_out, 0) for position in report.gap_positions),
        entries_total=report.total,
        folds=(),
        marks=tuple(mark for mark in report.marks if mark.log_id not in hidden),
        remarks_total=report.remarks,
    )
