"""Where this process works at a run: its ledger, what holds it back, what stops it, and its helpers."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stovepipe_cli.commands.job_throttle import job_throttle, tell_pause
from stovepipe_cli.errors import Refused, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.storage.ledger.contract import QueueLedger
    from stovepipe_cli.work import Progress, StopRequest, WorkerProcess, Workplace

READING_POLL_SECONDS = 0.1

# What a helper needs in order to find the same database, queue and ledger, and to be held back by the same things.
_PASSED_ON = (
    "queue",
    "profile",
    "database_url",
    "defaults_file",
    "ledger_url",
    "use_service_dsn",
    "connect_timeout",
    "statement_timeout",
    "throttle_timeout",
    "run_time",
    "rate",
    "max_lag",
    "lag_url",
    "max_load",
    "pause_file",
    "verbose",
    "log_format",
)

_PROGRAM = (sys.executable, "-m", "stovepipe_cli")

# Each is a process with connections of its own.
MOST_WORKERS = 64
SHORTEST_LEASE_MS, LONGEST_LEASE_MS = 1_000, 60 * 60 * 1_000


@dataclass(frozen=True, slots=True)
class Pacing:
    """How a run is worked at, which is no part of what it does. `lease_ms` None: the engine's own.

    With `dask`, a scheduler's address, `workers` of its cluster work beside this process; else it is one of them.
    """

    workers: int = 1
    max_failure_share: float | None = None
    lease_ms: int | None = None
    dask: str | None = None

    def validate(self) -> None:
        """`UsageError` for numbers that cannot be."""
        if self.workers < 1:
            raise UsageError(f"--workers {self.workers} does nothing", hint="give a positive number")
        if self.workers > MOST_WORKERS:
            raise UsageError(
                f"--workers {self.workers} are more than the {MOST_WORKERS} that one command starts",
                hint="start some here, and others with 'stovepipe runs work' on further hosts",
            )
        if self.lease_ms is not None and not SHORTEST_LEASE_MS <= self.lease_ms <= LONGEST_LEASE_MS:
            raise UsageError(
                f"a lease of {self.lease_ms / 1000:g} s is too short or too long to work under",
                hint="give a time from 1s, within which it is renewed, to 1h, for which a dead worker is waited for",
            )


def pacing_of(*, workers: int, max_failure_share: float | None, lease: str | None, dask: str | None = None) -> Pacing:
    """The pacing that the options ask for; `UsageError` or `InvalidInput` for one that cannot be."""
    from stovepipe_cli.instants import parse_duration

    pacing = Pacing(workers, max_failure_share, None if lease is None else parse_duration(lease), dask)
    pacing.validate()
    return pacing


def require_primary(session: "Session", *, hint: str) -> None:
    """Refuse a server that is set to take no writes; its own refusal does not reach accounts with wider rights."""
    from stovepipe_cli.storage.contract import StorageReadOnly

    server = session.server()
    if server.read_only:
        raise StorageReadOnly(f"database '{server.database}' on '{server.host}' is read-only", hint=hint)


def queue_ledger(session: "Session") -> "QueueLedger":
    """The ledger of the session's queue. Without one, a record that lasts as long as this process."""
    ledger = session.ledger()
    if ledger is None:
        from stovepipe_cli.storage.open import open_ledger

        session.say("there is no ledger: nothing of this is on record, and it cannot be resumed")
        ledger = session.keep(open_ledger("memory://", clock=session.clock.now_ms))
    return ledger.for_queue(session.queue)


@contextmanager
def workplace(
    session: "Session",
    ledger: "QueueLedger",
    pacing: Pacing,
    stop: "StopRequest",
    progress: "Callable[[Progress], None]",
    *,
    is_reading: bool = False,
) -> "Iterator[Workplace]":
    """The place, without helpers; what its throttle has opened is given back at the end.

    `is_reading`: the work writes nothing, and asks often whether the others have come to where it can go on.
    """
    from dataclasses import replace

    from stovepipe_cli.work import Workplace, WorkSettings, this_worker

    settings = WorkSettings(poll_seconds=READING_POLL_SECONDS) if is_reading else WorkSettings()
    if pacing.max_failure_share is not None:
        settings = replace(settings, max_failure_share=pacing.max_failure_share)
    if pacing.lease_ms is not None:
        settings = replace(settings, ttl_ms=pacing.lease_ms)
    settings.validate()
    budget_ms = session.run_time_ms
    with ExitStack() as opened:
        yield Workplace(
            ledger=ledger,
            clock=session.clock,
            worker=this_worker(),
            throttle=job_throttle(session, opened, is_reading=is_reading),
            settings=settings,
            stop=stop,
            deadline=None if budget_ms is None else session.clock.monotonic() + budget_ms / 1000,
            progress=progress,
            on_hold=lambda pause: tell_pause(session, pause),
        )


def with_helpers(
    session: "Session",
    place: "Workplace",
    run_id: str,
    pacing: Pacing,
    *,
    count: int,
    beside: Mapping[str, str],
    is_reading: bool,
) -> "Workplace":
    """The same place, where `count` processes of this host join the run once the work begins.

    `beside` is in their environment in addition to what is in this process's. Without it, those that stand by are taken
    first.
    """
    from dataclasses import replace

    from stovepipe_cli.work import LocalWorkers

    if count == 0:
        return place
    reserve = None if beside else session.reserve
    if session.config.ledger.value is None:
        raise Refused("several workers need a ledger to share the work", hint="leave --ledger-url none out")
    words = helper_command(session.flags, run_id, pacing)
    environ = {**session.surroundings.environ, **beside}

    def spawn() -> "WorkerProcess":
        if reserve is not None and (forked := reserve.take(words[len(_PROGRAM) :])) is not None:
            return forked
        # A session of its own, so that Ctrl-C at the terminal reaches this process alone, which passes it on.
        import subprocess

        return subprocess.Popen(  # noqa: S603  # this very program, with options that it was given itself
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True, env=environ
        )

    # Where nothing is written a stop may wait for the end of a page: a thread that listens for it costs more.
    stop = None if is_reading else place.stop
    return replace(place, helpers=LocalWorkers(count, spawn, stop, only_read=is_reading))


def flags_passed_on(flags: Mapping[str, object]) -> Mapping[str, object]:
    """The flags among these that another process needs for the same work."""
    return {name: value for name in _PASSED_ON if (value := flags.get(name)) is not None and value is not False}


def helper_command(flags: Mapping[str, object], run_id: str, pacing: Pacing) -> Sequence[str]:
    """The words that start one more worker; they hold no password, since none is taken from argv."""
    words = [*_PROGRAM, "runs", "work", run_id]
    for name, value in flags_passed_on(flags).items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        else:
            words += [f"{option}={each}" for each in (value if isinstance(value, list | tuple) else (value,))]
    if pacing.lease_ms is not None:
        words.append(f"--lease={pacing.lease_ms}ms")
    if pacing.max_failure_share is not None:
        words.append(f"--max-failure-share={pacing.max_failure_share}")
    return [*words, "--quiet", "--no-input"]
