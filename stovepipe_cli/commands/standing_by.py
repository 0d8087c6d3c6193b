"""Before a command opens anything: the processes that will work beside it, with what they need imported."""

import sys
from importlib import import_module

from stovepipe_cli.commands.session import Session

# What a worker needs beside the database's and the ledger's own modules.
_NEEDED = (
    "stovepipe_cli.audit.shared_job",
    "stovepipe_cli.commands.run_engine",
    "stovepipe_cli.commands.run_work",
    "stovepipe_cli.commands.runs",
    "stovepipe_cli.commands.verify_shared",
    "stovepipe_cli.work.throttle",
)


def stand_by(session: Session, count: int) -> None:
    """Let `count` processes stand by for the session's run, where a process can be forked and go on.

    Elsewhere, as on macOS, libraries of the system may not survive a fork, and each worker is started anew.
    """
    program = session.surroundings.program
    if program is None or sys.platform != "linux" or session.config.ledger.value is None:
        return
    from stovepipe_cli.commands.reserve import Reserve

    for name in _NEEDED:
        import_module(name)
    # They import their backends, and connect to nothing yet: an open connection, or a lock of SQLite's, in two
    # processes would be taken by each for its own.
    session.reading()
    session.ledger()
    session.reserve = session.keep(Reserve(count, program))
