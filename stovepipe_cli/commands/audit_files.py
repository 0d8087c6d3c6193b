"""The files that a verify leaves for other programs: JUnit, metrics and HTML, told also of a run that failed."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stovepipe_cli.commands.process import Terminated
from stovepipe_cli.errors import InvalidInput, StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.render.audit_run import AuditRun
    from stovepipe_cli.render.context import ErrorView
    from stovepipe_cli.reports import HistoryReport, VerifyReport

_UNEXPECTED = 1
_INTERRUPTED, _TERMINATED = 130, 143


@dataclass(frozen=True, slots=True)
class FileNames:
    """Where to write, None for what nobody asked for. `merge`: the metrics of other queues stay in the file."""

    junit: Path | None = None
    metrics: Path | None = None
    html: Path | None = None
    merge: bool = False

    @property
    def wanted(self) -> tuple[Path, ...]:
        """The files that are asked for."""
        return tuple(each for each in (self.junit, self.metrics, self.html) if each is not None)


class AuditFiles:
    """Gathers runs while the block lasts and writes the files at its end, whatever that end is.

    Where an exception ends the block, queues that were expected and not added count as failed by it.
    """

    def __init__(self, session: "Session", names: FileNames, scope: str) -> None:
        self._session = session
        self._names = names
        self._scope = scope
        self._expected: list[str] = []
        self._runs: list[AuditRun] = []

    def __enter__(self) -> Self:
        from stovepipe_cli.files import require_writable_place

        for path in self._names.wanted:
            require_writable_place(str(path))
        return self

    @property
    def shows_timelines(self) -> bool:
        """Whether a file shows the histories behind the findings."""
        return self._names.html is not None

    def expect(self, queues: Iterable[str]) -> None:
        """Say of which queues the files will tell; `Refused` where the metrics file tells of others."""
        queues = list(queues)
        if self._names.metrics is not None:
            from stovepipe_cli.render.metrics import require_mergeable

            require_mergeable(_existing(self._names.metrics), queues, merge=self._names.merge)
        self._expected = queues

    def add(self, queue: str, report: "VerifyReport", timelines: "tuple[HistoryReport, ...]" = ()) -> None:
        """Take down how one queue's verify ended."""
        if self._names.junit is None and self._names.html is None:
            # Metrics are counts alone, and there may be thousands of queues.
            report = replace(report, findings=(), pending_findings=(), known_findings={})
        self._runs.append(replace(self._run(queue, report.exit_code), report=report, timelines=timelines))

    def add_failure(self, queue: str, error: BaseException) -> None:
        """Take down that one queue's verify failed."""
        view, exit_code = _view(error)
        self._runs.append(replace(self._run(queue, exit_code), error=view))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._names.wanted:
            return
        if error is None:
            self._write()
            return
        done = {run.queue for run in self._runs}
        for queue in [name for name in self._expected or self._likely() if name not in done]:
            self.add_failure(queue, error)
        for write in self._writers():
            # The failure itself is what the caller has to hear of.
            with suppress(StovepipeError):
                write()

    def _run(self, queue: str, exit_code: int) -> "AuditRun":
        from stovepipe_cli.render.audit_run import AuditRun

        return AuditRun(queue, self._scope, self._session.clock.now_ms(), exit_code)

    def _likely(self) -> Sequence[str]:
        """The queues that a run would have looked at which failed before it knew: a name given, else all of a file."""
        if self._session.is_scoped:
            with suppress(StovepipeError):
                return [self._session.queue]
        elif self._names.metrics is not None:
            from stovepipe_cli.render.metrics import queues_in

            with suppress(StovepipeError):
                return queues_in(_existing(self._names.metrics)) or ("",)
        return [self._session.given_queue or ""]

    def _write(self) -> None:
        for write in self._writers():
            write()

    def _writers(self) -> tuple[Callable[[], None], ...]:
        return (self._write_metrics, self._write_junit, self._write_html)

    def _write_metrics(self) -> None:
        path = self._names.metrics
        if path is None:
            return
        from stovepipe_cli.files import held, write_answer
        from stovepipe_cli.render.metrics import metrics_text

        # Two runs that merge into one file must not undo each other.
        with held(str(path)) if self._names.merge else nullcontext():
            write_answer(str(path), metrics_text(self._runs, _existing(path), merge=self._names.merge))

    def _write_junit(self) -> None:
        if self._names.junit is not None:
            from stovepipe_cli.files import write_answer
            from stovepipe_cli.render.junit import junit_text

            write_answer(str(self._names.junit), junit_text(self._runs))

    def _write_html(self) -> None:
        if self._names.html is not None:
            from stovepipe_cli.files import write_answer
            from stovepipe_cli.render.html_report import html_text

            write_answer(str(self._names.html), html_text(self._runs, self._session.file_context()))


def _view(error: BaseException) -> "tuple[ErrorView, int]":
    from stovepipe_cli.render.context import ErrorView

    if isinstance(error, StovepipeError):
        return ErrorView(error.code, error.message, error.hint, error.retryable), error.exit_code
    if isinstance(error, Exception):
        return ErrorView("unexpected", f"unexpected {type(error).__name__}", None, retryable=False), _UNEXPECTED
    exit_code = _TERMINATED if isinstance(error, Terminated) else _INTERRUPTED
    return ErrorView("interrupted", "it was interrupted", None, retryable=True), exit_code


def _existing(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InvalidInput(
            f"'{path}' cannot be read: {error.strerror or 'input/output error'}",
            hint="a metrics file is read before it is replaced, so that a last success is not forgotten",
        ) from error
