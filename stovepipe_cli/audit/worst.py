"""The few findings that a report shows, out of any number."""

from stovepipe_cli.reports import Finding, Severity
from stovepipe_cli.reports.json_form import canonical_json
from stovepipe_cli.request_id import request_order

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Worst:
    """Keeps the first `most` findings by severity, code and request; memory is bounded by twice as many."""

    def __init__(self, queue: str, most: int) -> None:
        self._queue = queue
        self._most = most
        self._kept: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Keep a finding, or what is worse."""
        self._kept.append(finding)
        if len(self._kept) > 2 * self._most:
            self._cut()

    def findings(self) -> tuple[Finding, ...]:
        """What was kept, worst first."""
        self._cut()
        return tuple(self._kept)

    def _cut(self) -> None:
        self._kept.sort(key=self._order)
        del self._kept[self._most :]

    def _order(self, finding: Finding) -> tuple[object, ...]:
        return (
            SEVERITIES.index(finding.severity),
            finding.code,
            request_order(self._queue, finding.request_id or ""),
            canonical_json(finding.subject),
        )
