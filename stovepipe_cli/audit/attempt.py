"""One pass of a verify: what keeps it from its end is told in the report, and only a lost database ends the run."""

from collections.abc import Callable

from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.storage.contract import StorageUnavailable, UnreadableRow


def attempt(case: Case, name: PassName, run: Callable[[], bool]) -> bool:
    """Whether the pass came to its end; where not, its coverage says so.

    `StorageUnavailable` where the connection was lost, or the requests may not be read.
    """
    try:
        is_whole = run()
    except StorageUnavailable as error:
        # A refusal concerns this table alone; a lost connection concerns all of them.
        if error.retryable or name == "requests":
            raise
        case.notes.append(error.message)
        is_whole = False
    except UnreadableRow as error:
        note(case, error.message)
        is_whole = False
    if not is_whole:
        case.skip(name)
        if case.deadline.is_over:
            note(case, f"the time budget ended before pass '{name}' was finished")
    return is_whole


def note(case: Case, message: str) -> None:
    """Say this beside the findings, once."""
    if message not in case.notes:
        case.notes.append(message)
