"""Processes that are forked before anything is opened, and wait to be told what to do.

They share what is imported by then, so they are at work in a tenth of the time that a start takes.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from types import TracebackType
from typing import Self

from stovepipe_cli.commands.process import Terminated, catch_signals

Program = Callable[[Sequence[str]], int]


class Forked:
    """One that was told what to do, with the answers that a process of another program gives."""

    def __init__(self, process: ForkProcess) -> None:
        self._process = process
        self.pid = process.pid or 0

    def poll(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has ended; `subprocess.TimeoutExpired` where that takes longer."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def terminate(self) -> None:
        """Ask it to stop."""
        self._process.terminate()

    def kill(self) -> None:
        """End it."""
        self._process.kill()


class Reserve:
    """`count` processes, each to run `program` once. Those that were told nothing end with the block."""

    def __init__(self, count: int, program: Program) -> None:
        self._count = count
        self._program = program
        self._waiting: list[tuple[ForkProcess, Connection]] = []

    def __enter__(self) -> Self:
        context = get_context("fork")
        # What lives now lives to the end, in all of them: pages that the collector does not write to stay shared.
        gc.freeze()
        for _ in range(self._count):
            theirs, ours = context.Pipe(duplex=False)
            # Else the end of this process would not be seen, as long as one of the others held its end of the pipe.
            to_close = [*(connection for _, connection in self._waiting), ours]
            process = context.Process(target=_wait, args=(theirs, to_close, self._program))
            process.start()
            theirs.close()
            self._waiting.append((process, ours))
        return self

    def take(self, words: Sequence[str]) -> Forked | None:
        """Let one of them run the program with these words; None where none is left."""
        while self._waiting:
            process, connection = self._waiting.pop(0)
            try:
                with connection:
                    connection.send(list(words))
            except OSError:
                # It was killed while it waited.
                process.join()
                continue
            return Forked(process)
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for _, connection in self._waiting:
            connection.close()
        for process, _ in self._waiting:
            process.join()
        self._waiting.clear()


def _wait(orders: Connection, to_close: Sequence[Connection], program: Program) -> None:
    # A session of its own, so that Ctrl-C at the terminal reaches its parent alone, which passes it on.
    os.setsid()
    for each in to_close:
        each.close()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Its parent may have put something else in their place for the time of its own command.
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    catch_signals()
    try:
        with orders:
            words = orders.recv()
    except (EOFError, KeyboardInterrupt, Terminated):
        return
    sys.exit(program(words))
