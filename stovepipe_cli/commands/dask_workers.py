"""More workers at a run on a Dask cluster: submitted, watched, told to stop, and waited for."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stovepipe_cli.commands.dask_work import Order, PartEnded, take_part
from stovepipe_cli.commands.run_place import Pacing, flags_passed_on
from stovepipe_cli.errors import ConfigError, Refused

if TYPE_CHECKING:
    from distributed import Client, Event, Future

    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.work import DeadWorker

FINISH_SECONDS = 30.0
# Ended well, with findings, with work left, or because they were told to.
_EXPECTED = frozenset({0, 3, 4, 130, 143})


class DaskWorkers:
    """`count` calls of `take_part` on the cluster of `client`, which is closed with them.

    A call whose process dies is made again by the cluster on another one, which finds what is left to do. Calls that
    outlive this process finish the run, or leave it to be resumed.
    """

    def __init__(self, client: "Client", order: Order, count: int, say: Callable[[str], None]) -> None:
        self._client = client
        self._order = order
        self._count = count
        self._say = say
        self._futures: list[Future[PartEnded]] = []
        self._event: Event | None = None
        self._is_stopped = False
        # None of them is a process of this host that somebody else could have ended unseen.
        self.dead: Sequence[DeadWorker] = ()

    def __enter__(self) -> Self:
        """Submit them; the cluster starts each as soon as it has room."""
        from distributed import Event

        self._event = Event(self._order.stop, client=self._client)
        for _ in range(self._count):
            # Not pure: equal calls are several workers, and not one result that is shared.
            self._futures.append(self._client.submit(take_part, self._order, pure=False))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Wait for them, for a while, and say how those ended that ended badly."""
        if error is not None:
            self.stop()
        self._await()
        for future in self._futures:
            sentence = _trouble(future)
            if sentence:
                self._say(f"warning: a worker on the Dask cluster {sentence}; others did what it had begun")
        self._client.cancel(self._futures, force=True)

    @property
    def running(self) -> int:
        """How many have not ended."""
        return sum(not future.done() for future in self._futures)

    def look(self) -> None:
        """The cluster watches them."""

    def stop(self) -> None:
        """Ask all of them to stop, once."""
        if self._is_stopped or self._event is None:
            return
        self._is_stopped = True
        with suppress(OSError, TimeoutError):
            self._event.set()

    def _await(self) -> None:
        from distributed import wait

        # Those that never found room on the cluster have nothing to end.
        with suppress(TimeoutError), self._client.as_current():
            wait(self._futures, timeout=FINISH_SECONDS)


def dask_client(session: "Session", scheduler: str) -> "Client":
    """A connection to the scheduler, open for as long as the session.

    `ConfigError` where Dask is not installed or no scheduler answers, `Refused` without a ledger to share.
    """
    if session.config.ledger.value is None:
        raise Refused("several workers need a ledger to share the work", hint="leave --ledger-url none out")
    try:
        from distributed import Client
    except ImportError as error:
        raise ConfigError(
            "--dask needs Dask, which is not installed",
            hint="install stovepipe-cli[dask], here and where the cluster's workers run",
        ) from error
    try:
        client = Client(scheduler, timeout=session.config.limits.connect_ms.value / 1000, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ConfigError(
            f"no Dask scheduler answers at '{scheduler}'",
            hint="check the address, such as tcp://scheduler:8786, and that the scheduler runs",
        ) from error
    return session.keep(closing(client))


def dask_workers(session: "Session", client: "Client", run_id: str, pacing: Pacing) -> DaskWorkers:
    """As many workers of the cluster as the pacing asks for, which will join the run."""
    flags = {**flags_passed_on(session.flags), "quiet": True, "no_input": True, "output": "json"}
    own = Pacing(1, pacing.max_failure_share, pacing.lease_ms)
    order = Order(run_id, flags, own, f"stovepipe-stop-{run_id}-{secrets.token_hex(4)}")
    return DaskWorkers(client, order, pacing.workers, session.say)


def _trouble(future: "Future[PartEnded]") -> str:
    """How a call ended badly, or empty."""
    if not future.done():
        return "had no process to run on, or did not end in time"
    if future.status != "finished":
        error = future.exception()
        # Of the cluster's own making, or of a cluster that lacks this package; neither holds anything of a database.
        return f"was lost ({type(error).__name__})"
    ended: PartEnded = future.result()
    return "" if ended.code in _EXPECTED else f"ended with exit code {ended.code}: {ended.sentence}"
