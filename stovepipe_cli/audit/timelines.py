"""The histories behind findings, for whoever shows them beside each other."""

from collections.abc import Iterable

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.history.viewer import view_history
from stovepipe_cli.reports import Finding, HistoryReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.errors import StorageError

MOST_TIMELINES = 100

# Their histories are read at once, which is what this finding warns of.
_OVERSIZED = "H116"


def timelines_of(
    storage: Storage, findings: Iterable[Finding], options: VerifyOptions, *, most: int = MOST_TIMELINES
) -> tuple[HistoryReport, ...]:
    """The histories of the first `most` requests that the findings are about.

    Oversized ones are left out, and so is what can no longer be read: the findings stand without it.
    """
    listed = list(findings)
    too_long = {finding.request_id for finding in listed if finding.code == _OVERSIZED}
    wanted = dict.fromkeys(each.request_id for each in listed if each.request_id and each.request_id not in too_long)
    found: list[HistoryReport] = []
    for request_id in list(wanted)[:most]:
        try:
            found.append(
                view_history(
                    storage, request_id, clock_skew_ms=options.clock_skew_ms, history_since=options.history_since
                )
            )
        except NothingFound:
            # Only other tables know of it.
            continue
        except StorageError:
            break
    return tuple(found)
