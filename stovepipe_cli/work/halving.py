"""Writes a batch, and where it keeps failing finds the rows that make it fail."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.work.errors import concerns_run
from stovepipe_cli.work.watch import StepWatch

T = TypeVar("T")
R = TypeVar("R")

TRIES = 2


def halve(
    items: Sequence[T],
    write: Callable[[Sequence[T]], R],
    watch: StepWatch,
    *,
    key: Callable[[T], str],
    is_whole_batch: bool = True,
) -> list[R]:
    """Write all items; what each write answered, in order.

    `write` is repeatable and takes all of what it is given or nothing. A batch that fails is tried once more if that
    may help, and then written as two; a row that fails alone is quarantined. Waits for `watch.ready` before each write
    and tells it what each took; how long only where that is the `is_whole_batch`, since otherwise the caller knows
    more. A failure that every row would meet is raised.
    """
    answers: list[R] = []
    waiting = [items] if items else []
    while waiting:
        batch = waiting.pop()
        failure = _write(batch, write, watch, answers, is_whole_batch=is_whole_batch)
        if failure is None:
            continue
        if len(batch) == 1:
            watch.quarantine(key(batch[0]), failure.message)
            continue
        middle = len(batch) // 2
        waiting += [batch[middle:], batch[:middle]]
    return answers


def _write(
    batch: Sequence[T],
    write: Callable[[Sequence[T]], R],
    watch: StepWatch,
    answers: list[R],
    *,
    is_whole_batch: bool,
) -> StovepipeError | None:
    """Add what the write answered; the failure that it kept meeting."""
    failure: StovepipeError | None = None
    for _ in range(TRIES):
        watch.ready()
        started = watch.clock.monotonic()
        try:
            answer = write(batch)
        except StovepipeError as error:
            if concerns_run(error):
                raise
            failure = error
            if not error.retryable:
                break
        else:
            watch.took(len(batch), watch.clock.monotonic() - started if is_whole_batch else None)
            answers.append(answer)
            return None
    return failure
