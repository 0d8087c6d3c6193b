"""The end of a shared verify: what one process does once all tables were read, and the report."""

from collections.abc import Callable
from functools import partial

from stovepipe_cli.audit.attempt import attempt
from stovepipe_cli.audit.linked_passes import judge_sole_builds
from stovepipe_cli.audit.narrowing import narrowed
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.shared_clock import AttentiveClock
from stovepipe_cli.audit.shared_record import SharedRecord
from stovepipe_cli.audit.verifier import finish, opened_case, reported
from stovepipe_cli.clock import Clock
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage


def shared_report(
    storage: Storage,
    options: VerifyOptions,
    record: SharedRecord,
    *,
    clock: Clock,
    look: Callable[[], None],
    progress: Callable[[Progress], None],
) -> VerifyReport:
    """The report of everything that the steps left, with what was not read told as such.

    `look` is called often, and may raise.
    """

    def heard(at: Progress) -> None:
        look()
        progress(at)

    with opened_case(storage, options, AttentiveClock(clock, look), heard) as case:
        case.cover()
        case.scope = narrowed(case.storage, case.snapshots, case.survey, case.options)
        gathered = record.gathered()
        gathered.tell_all(case)
        record.take_left(case)
        unread = record.unread()
        if record.is_read("requests"):
            case.boundary.settle()
        for name in unread:
            if name not in gathered.skipped:
                attempt(case, name, lambda: False)
        if case.sole_builds and "builds" not in unread:
            attempt(case, "builds", partial(judge_sole_builds, case))
        finish(case, record.latest)
        return reported(case, record.run_id)
