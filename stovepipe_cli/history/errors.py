"""What retaining history may raise beside storage errors."""

from stovepipe_cli.errors import StovepipeError


class HistoryError(StovepipeError):
    """Retained history, or what follows from it, that does not allow the write."""

    exit_code = 3


class HistoryConflict(HistoryError):
    """An entry with this id is retained and says something else; it was left as it is.

    `fields` names what differs, a metadata key as `metadata '<key>'`.
    """

    code = "history-conflict"

    def __init__(self, request_id: str, log_id: str, fields: tuple[str, ...]) -> None:
        super().__init__(
            f"request '{request_id}' has retained an entry '{log_id}' that differs in {', '.join(fields)}",
            hint="nothing was overwritten: compare both with the request and its builds before writing more",
        )
        self.request_id = request_id
        self.log_id = log_id
        self.fields = fields


class ProjectionConflict(HistoryError):
    """A retained entry and the request's summary cannot both be right; the summary was left as it is."""

    code = "projection-conflict"

    def __init__(self, request_id: str, log_id: str, problem: str) -> None:
        super().__init__(
            f"entry '{log_id}' of request '{request_id}' cannot be projected: {problem}",
            hint="the summary was left as it is: verify the request to see which row is wrong",
        )
        self.request_id = request_id
        self.log_id = log_id
        self.problem = problem


class SummaryRequired(HistoryError):
    """A completion event of a request without summary; a summary is made from state entries alone."""

    code = "summary-required"

    def __init__(self, request_id: str, log_id: str) -> None:
        super().__init__(
            f"entry '{log_id}' of request '{request_id}' completes a summary that does not exist",
            hint="retain a state entry of the request first, then repeat",
        )
        self.request_id = request_id
        self.log_id = log_id


class QueueProjectionConflict(HistoryError):
    """A queue's log and its summary, or two writers, disagree about one enablement; nothing was overwritten."""

    code = "projection-conflict"
