"""Reading from a replica: which commands do, how far behind it is, and what that means for a verdict."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stovepipe_cli.commands.options import full_name

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.reports import VerifyReport
    from stovepipe_cli.storage.contract import ServerState, Storage, StorageFactory

# Plans and everything that may be followed by a write read the primary.
READERS = frozenset(
    {
        "verify",
        "history show",
        "queues list",
        "queues show",
        "requests list",
        "requests show",
        "issues list",
        "issues show",
        "issues observations",
        "facts list",
    }
)


def reads_replica(words: str) -> bool:
    """Whether a command, by its words as typed, reads from a replica where one is configured."""
    return full_name(words) in READERS


def lag_of(factory: "StorageFactory") -> int | None:
    """Milliseconds; None where that cannot be known, which the account's rights can be the reason for."""
    from stovepipe_cli.storage.contract import StorageError

    try:
        return factory.admin.replica_lag_ms()
    except StorageError:
        return None


@dataclass(slots=True)
class ReplicaLook:
    """One verify that reads from a replica. `lag_ms` is the largest that was seen, None once it was not known."""

    session: "Session"
    state: "ServerState"
    lag_ms: int | None
    primary: "StorageFactory | None"

    def confirm_on(self, queue: str) -> "Storage | None":
        """Where what was found is looked at again; None where the primary cannot be reached."""
        return None if self.primary is None else self.primary.for_queue(queue)

    def judged(self, report: "VerifyReport", min_age_ms: int) -> "VerifyReport":
        """The report, which is incomplete where the replica may lack what the service wrote long ago.

        What is younger than `min_age_ms` counts as pending on a primary too, so a replica may be that far behind.
        """
        from stovepipe_cli.instants import format_duration

        lag_ms = self.session.measure_lag()
        self.lag_ms = None if lag_ms is None or self.lag_ms is None else max(lag_ms, self.lag_ms)
        place = f"the replica at '{self.state.host}'"
        blocking, notes = report.blocking, report.notes
        if self.lag_ms is None:
            blocking = (*blocking, f"how far {place} is behind is not known")
        elif self.lag_ms > min_age_ms:
            behind, allowed = format_duration(self.lag_ms), format_duration(min_age_ms)
            blocking = (*blocking, f"{place} was {behind} behind, more than the {allowed} of --min-age")
        if self.primary is None:
            notes = (*notes, f"the primary could not be reached: what was found is confirmed on {place} alone")
        return replace(report, blocking=blocking, notes=notes)


def replica_look(session: "Session") -> ReplicaLook | None:
    """What a verify has to know of the replica it reads from; None where it reads the primary."""
    from stovepipe_cli.storage.contract import StorageError

    if not session.is_on_replica:
        return None
    state = session.server()
    primary: StorageFactory | None = None
    try:
        primary = session.primary()
        primary.admin.ping()
    except StorageError as error:
        session.say(f"warning: nothing is confirmed on the primary: {error.message}")
        primary = None
    return ReplicaLook(session, state, session.measure_lag(), primary)


def replica_sentence(state: "ServerState", lag_ms: int | None) -> str:
    """Where an answer was read, for people."""
    from stovepipe_cli.instants import format_duration

    behind = "how far it is behind is not known" if lag_ms is None else f"{format_duration(lag_ms)} behind"
    return f"read from the replica at '{state.host}', {behind}"
