"""The coordination row that the service would keep for a queue of given rows."""

from collections.abc import Iterable

from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract.rows import QueueRow, RequestRow, Row, ValidationFactRow


def derive_queue_row(queue: str, rows: Iterable[Row]) -> QueueRow:
    """Latest request, newest green one and processing count as the request and fact rows have them.

    The version counts a change for each request that came, each that became the newest green one, and each slot.
    """
    requests: list[RequestRow] = []
    green_ids: set[str] = set()
    for row in rows:
        if isinstance(row, RequestRow):
            requests.append(row)
        elif isinstance(row, ValidationFactRow) and not row.project and row.degree == 0:
            green_ids.add(row.request_id)
    requests.sort(key=lambda row: request_order(queue, row.id))
    green = [row for row in requests if row.id in green_ids]
    in_flight = sum(row.state == "processing" for row in requests)
    return QueueRow(
        last_green_uri=green[-1].uri if green else "",
        in_flight_count=in_flight,
        latest_request_id=requests[-1].id if requests else "",
        version=1 + len(requests) + len(green) + in_flight,
        last_green_request_id=green[-1].id if green else "",
        build_admission_not_before_ms=0,
        enablement_state="",
        enablement_sequence=0,
    )
