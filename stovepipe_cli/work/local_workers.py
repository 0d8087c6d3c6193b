"""More processes of this host at the same run: started, watched, told to stop, and waited for."""

import signal
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from stovepipe_cli.work.stopping import StopRequest

# Ended well, with findings, or with work left: none of them is a death.
_ALIVE = frozenset({0, 3, 4})
_STOPPED = frozenset({128 + signal.SIGINT, 128 + signal.SIGTERM, -signal.SIGINT, -signal.SIGTERM})
_DISMISSED = -signal.SIGKILL
FINISH_SECONDS = 30.0
KILL_SECONDS = 5.0
# How long a stop can go unheard.
SLICE_SECONDS = 0.1


class WorkerProcess(Protocol):
    """A process, with the questions that `subprocess.Popen` answers."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    def poll(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has ended; `subprocess.TimeoutExpired` where that takes longer."""
        ...

    def terminate(self) -> None:
        """Ask it to stop."""
        ...

    def kill(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True)
class DeadWorker:
    """`code` as the system tells it: negative for the signal that ended the process."""

    pid: int
    code: int


class LocalWorkers:
    """`count` processes of `spawn`, which starts one in a session of its own, so that a terminal's signals pass it by.

    They outlive nothing but a kill of this process: then they finish the run, or leave it to be resumed. A `stop` that
    was asked for reaches them at once, so that their batches end beside this worker's own and not behind it. Where they
    `only_read`, those that are left when the block ends well are killed: all they would do is notice that it has.
    """

    def __init__(
        self,
        count: int,
        spawn: Callable[[], WorkerProcess],
        stop: StopRequest | None = None,
        *,
        only_read: bool = False,
    ) -> None:
        self._count = count
        self._spawn = spawn
        self._stop = stop
        self._processes: list[WorkerProcess] = []
        self._only_read = only_read
        self._is_stopped = False
        # The listener and this worker may both look, and stop.
        self._lock = threading.RLock()
        self._is_over = threading.Event()
        self.dead: list[DeadWorker] = []

    def __enter__(self) -> Self:
        try:
            while len(self._processes) < self._count:
                self._processes.append(self._spawn())
        except BaseException:
            self.stop()
            raise
        if self._stop is not None and self._processes:
            threading.Thread(target=self._listen, args=(self._stop,), name="helpers", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self.stop()
        elif self._only_read and not self._is_stopped:
            self._dismiss()
        try:
            self._await()
        finally:
            self._is_over.set()

    @property
    def running(self) -> int:
        """How many have not ended."""
        return sum(process.poll() is None for process in self._processes)

    def look(self) -> tuple[DeadWorker, ...]:
        """Those that died since the last look."""
        with self._lock:
            new: list[DeadWorker] = []
            known = {each.pid for each in self.dead}
            for process in self._processes:
                code = process.poll()
                if code is None or process.pid in known or code in _ALIVE or (self._is_stopped and code in _STOPPED):
                    continue
                if self._only_read and self._is_stopped and code == _DISMISSED:
                    continue
                new.append(DeadWorker(process.pid, code))
            self.dead += new
            return tuple(new)

    def stop(self) -> None:
        """Pass on a stop, once: each ends at its next batch border."""
        with self._lock:
            if self._is_stopped:
                return
            self.look()
            self._is_stopped = True
            for process in self._processes:
                if process.poll() is None:
                    process.terminate()

    def _dismiss(self) -> None:
        with self._lock:
            self.look()
            self._is_stopped = True
            for process in self._processes:
                if process.poll() is None:
                    process.kill()

    def _listen(self, stop: StopRequest) -> None:
        while not self._is_over.wait(SLICE_SECONDS):
            if stop.stop is not None:
                self.stop()
                return

    def _await(self) -> None:
        for process in self._processes:
            try:
                process.wait(FINISH_SECONDS)
            except subprocess.TimeoutExpired:
                process.terminate()
                try:
                    process.wait(KILL_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self.look()
