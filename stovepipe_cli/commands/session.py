"""One invocation: configuration, storage opened when first needed, and the one way an answer leaves."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from stovepipe_cli.commands.opened import Opened
from stovepipe_cli.commands.progress import ProgressLine
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import NothingFound, Refused, StovepipeError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.confirmation import WritePlan
    from stovepipe_cli.commands.reserve import Reserve
    from stovepipe_cli.config import Config
    from stovepipe_cli.render.context import RenderContext
    from stovepipe_cli.reports import Report
    from stovepipe_cli.storage.contract import ServerState, Storage, StorageFactory
    from stovepipe_cli.storage.ledger.contract import Ledger

T = TypeVar("T")

PROGRESS_KINDS = ("auto", "plain")
UNATTENDED_RUN_TIME_MS = 6 * 60 * 60 * 1000


class AnswerLost(StovepipeError):
    """Stdout takes no more, as a full disk does."""


class Session:
    """Opens what a command asks for, and closes it. Holds no SQL and decides nothing."""

    def __init__(
        self,
        command: str,
        flags: Mapping[str, object],
        surroundings: Surroundings,
        *,
        may_create: bool = False,
        reads_config: bool = True,
    ) -> None:
        self.command = command
        self.may_create = may_create
        self.reads_config = reads_config
        self.has_answered = False
        self.is_scoped = True
        # Of the run that the command is, as far as what it tells on the way is concerned.
        self.run_id: str | None = None
        # Processes that stand by to work at it as well.
        self.reserve: Reserve | None = None
        self.surroundings = surroundings
        self.clock = surroundings.clock
        self._flags = dict(flags)
        self._opened = Opened()
        self._warned: set[str] = set()

    def configure(self, **flags: object) -> None:
        """Add the command's own flags to what configuration is resolved from; before anything is opened."""
        own = {name: value for name, value in flags.items() if value is not None}
        if own:
            self._flags.update(own)
            self.__dict__.pop("config", None)

    @cached_property
    def config(self) -> "Config":
        """Configuration from flags, environment and profile."""
        from stovepipe_cli.config import resolve

        config = resolve(
            self._flags,
            self.surroundings.environ,
            home=self.surroundings.home,
            may_create_embedded=self.may_create,
        )
        for warning in config.warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                self.say(f"warning: {warning}")
        return config

    def prepare(self) -> None:
        """Look at everything about the answer that can be wrong before any work is done for it."""
        from stovepipe_cli.files import require_writable_place

        file = self._flags.get("output_file")
        if file is not None:
            require_writable_place(str(file))
        kind = self._flags.get("progress")
        if kind not in {None, *PROGRESS_KINDS}:
            raise UsageError(f"--progress '{kind}' is unknown", hint=f"use {' or '.join(PROGRESS_KINDS)}")
        self.render_context()
        self.surroundings.on_status(lambda: f"stovepipe: {self.command}: {self.progress.latest or 'running'}")

    @property
    def queue(self) -> str:
        """The queue that the command is scoped to; `UsageError` where none is named."""
        return self.config.require_queue()

    @property
    def given_queue(self) -> str | None:
        """The queue that was named, known also where the configuration is broken."""
        named = self._flags.get("queue") or self.surroundings.environ.get("STOVEPIPE_QUEUE")
        return None if named is None else str(named)

    def leave_queue(self) -> None:
        """The command is about several queues: its answer names none. `UsageError` where --queue names one."""
        if self._flags.get("queue") is not None:
            raise UsageError("--queue names one queue, and several were asked for", hint="leave one of the two out")
        self.is_scoped = False

    def reading(self) -> "StorageFactory":
        """The database, for reads alone; the replica where one is configured and the command may read it."""
        return self._opened.reading(self.config, from_replica=self.is_on_replica)

    def primary(self) -> "StorageFactory":
        """The primary, for reads alone, also where the command reads from a replica."""
        return self._opened.beside(self.config) if self.is_on_replica else self.reading()

    @property
    def is_on_replica(self) -> bool:
        """Whether what the command reads comes from a replica."""
        from stovepipe_cli.commands.replica import reads_replica

        return self.config.read_database.value is not None and reads_replica(self.command)

    def measure_lag(self) -> int | None:
        """How far the replica is behind now, in milliseconds; None where that is not known."""
        return self._opened.measure_lag(self.reading())

    @property
    def lag_ms(self) -> int | None:
        """How far the replica was behind when that was last measured."""
        return self._opened.lag_ms

    def writing(self) -> "StorageFactory":
        """The database, for writes; `Refused` where the configuration does not allow them."""
        if self.config.service_dsn_only and not self._flags.get("use_service_dsn"):
            raise Refused(
                "the database is known only through STORAGE_MYSQL_DSN, the service's own login, which serves reads",
                hint="name a database and login of your own, or add --use-service-dsn",
            )
        return self._opened.writing(self.config)

    def ledger(self) -> "Ledger | None":
        """The ledger, for writes too; None where the configuration says that there is none."""
        return self._opened.ledger(self.config, read_only=False)

    def ledger_for_reading(self) -> "Ledger | None":
        """The ledger, for reads alone; None where the configuration says that there is none."""
        return self._opened.ledger(self.config, read_only=True)

    def keep(self, resource: AbstractContextManager[T]) -> T:
        """Enter a resource that lasts until the answer has left, and learns of what kept it from leaving."""
        return self._opened.keep(resource)

    def storage(self) -> "Storage":
        """The bound queue's stores, for reads alone."""
        queue = self.queue
        return self.reading().for_queue(queue)

    def writable_storage(self) -> "Storage":
        """The bound queue's stores, for writes."""
        queue = self.queue
        return self.writing().for_queue(queue)

    def server(self) -> "ServerState":
        """Who answers for the open database."""
        return self._opened.server(self.config, from_replica=self.is_on_replica)

    def schema_fingerprint(self) -> str:
        """What the tables of the open database look like, as a digest."""
        return self._opened.schema_fingerprint(self.config)

    @property
    def flags(self) -> Mapping[str, object]:
        """The shared options and the command's own that configure something, as they were given."""
        return self._flags

    @property
    def place(self) -> str:
        """The options by which the database was named, and a profile that the environment names.

        Empty until they were found to hold no secret.
        """
        from stovepipe_cli.render.same_place import place_words

        if "config" not in self.__dict__:
            return ""
        # A shell that it is pasted into need not have this one's environment, and asks the default profile then.
        profile = self._flags.get("profile") or self.surroundings.environ.get("STOVEPIPE_PROFILE")
        return place_words({**self._flags, "profile": profile})

    @property
    def run_time_ms(self) -> int | None:
        """Time for the whole job in milliseconds: as asked, else without bound on a terminal and six hours off it."""
        asked = self.config.limits.run_time_ms.value
        if asked is not None:
            return asked
        return None if self.surroundings.can_ask else UNATTENDED_RUN_TIME_MS

    def suggest_queue(self, run: Callable[[], T]) -> T:
        """Run; where the queue turns out to have no rows, name the queues that it may have been meant to be."""
        try:
            return run()
        except NothingFound as error:
            if hint := self._near_queues():
                raise NothingFound(error.message, hint=hint) from error
            raise

    def require_rows(self, storage: "Storage") -> None:
        """Refuse a queue without a row in any table: `NothingFound`, with near names."""
        from stovepipe_cli.listing import has_rows

        if not has_rows(storage):
            hint = self._near_queues() or "check the name; 'stovepipe queues list' shows them"
            raise NothingFound(f"queue '{self.queue}' has no row in any table", hint=hint)

    def warn_without_rows(self, storage: "Storage") -> None:
        """Say on stderr where an empty answer comes of a queue without a row in any table."""
        from stovepipe_cli.listing import has_rows

        if not has_rows(storage):
            hint = self._near_queues()
            self.say(f"queue '{self.queue}' has no row in any table" + (f"; {hint}" if hint else ""))

    def _near_queues(self) -> str | None:
        from stovepipe_cli.listing import list_queues
        from stovepipe_cli.near_names import did_you_mean

        factory = self._opened.any_database or self.reading()
        known = [item.queue for item in list_queues(factory.directory).items]
        return None if self.queue in known else did_you_mean(self.queue, known, cutoff=0.5)

    @cached_property
    def progress(self) -> ProgressLine:
        """A line of progress where stderr is a terminal, plain lines where asked for; nothing with --quiet."""
        surroundings = self.surroundings
        is_plain = self._flags.get("progress") == "plain"
        is_silent = self._flags.get("no_progress") or self._flags.get("quiet")
        is_wanted = not is_silent and (is_plain or surroundings.errors_on_terminal)
        stream = surroundings.stderr if is_wanted else None
        return ProgressLine(stream, self.clock, surroundings.width, is_plain=is_plain)

    @property
    def known_server(self) -> "ServerState | None":
        """Who answered, if anybody has been asked."""
        return self._opened.state

    def say(self, text: str) -> None:
        """A line for the reader on stderr, made visible; nothing with --quiet."""
        if self._flags.get("quiet"):
            return
        self.progress.end()
        from stovepipe_cli.render.same_place import in_same_place
        from stovepipe_cli.render.sanitise import visible

        lines = (in_same_place(visible(line), self.place) for line in text.split("\n"))
        print("\n".join(lines), file=self.surroundings.stderr)

    def confirm(self, write: "WritePlan", *, confirm_queue: str | None = None) -> None:
        """Ask before a write; `Refused` unless the answer is yes."""
        from stovepipe_cli.commands.confirmation import confirm

        confirm(self, write, confirm_queue=confirm_queue)

    def show(self, report: "Report") -> int:
        """Write the answer, its hints, and return the exit code."""
        from stovepipe_cli.render.output import hints, render_report

        self.progress.end()
        context = self.render_context()
        is_to_file = self._flags.get("output_file") is not None
        is_silent = bool(self._flags.get("quiet")) and report.exit_code == 0 and not is_to_file
        if context.output not in {"table", "tsv"} or not is_silent:
            try:
                answer = render_report(report, context)
            except UsageError as error:
                if self._opened.writer is None:
                    raise
                # What was written is told all the same.
                self.say(f"{error.message}: all of them are shown")
                answer = render_report(report, replace(context, columns=()))
            self.deliver(answer)
        for line in hints(report, context):
            self.say(line)
        self._tell_replica()
        if is_to_file and self._flags.get("quiet") and report.exit_code:
            # The only sign that a scheduled job gives of itself, and only where something is wrong.
            sentence = f"stovepipe: {self.command} ended with '{report.verdict}', exit code {report.exit_code}"
            print(sentence, file=self.surroundings.stderr)
        return report.exit_code

    def _tell_replica(self) -> None:
        if self._opened.reader is None or not self.is_on_replica:
            return
        from stovepipe_cli.commands.replica import replica_sentence

        self.say(replica_sentence(self.server(), self.lag_ms))

    def preview(self, report: "Report") -> None:
        """Show a report on stderr before a question about it."""
        from stovepipe_cli.commands.presentation import wants_colour
        from stovepipe_cli.render.output import render_report

        surroundings = self.surroundings
        is_terminal = surroundings.errors_on_terminal
        colour = wants_colour(self.config.color.value, surroundings.environ, is_terminal=is_terminal)
        context = replace(self.render_context(), output="table", columns=(), is_terminal=is_terminal, colour=colour)
        self.progress.end()
        for chunk in render_report(report, context):
            surroundings.stderr.write(chunk)

    def deliver(self, chunks: Iterator[str]) -> None:
        """Send the answer to stdout, or whole or not at all to the output file."""
        path = self._flags.get("output_file")
        if path is not None:
            from stovepipe_cli.files import write_answer

            write_answer(str(path), "".join(chunks))
            self.has_answered = True
            return
        try:
            for chunk in chunks:
                self.has_answered = True
                self.surroundings.stdout.write(chunk)
            self.surroundings.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise AnswerLost(
                f"the answer cannot be written: {error.strerror or 'input/output error'}",
                hint="what the command did is done; write the answer elsewhere",
            ) from error

    def render_context(self) -> "RenderContext":
        """How this invocation's answer is to be written."""
        from stovepipe_cli.commands.presentation import bare_context, render_context

        if not self.reads_config:
            return bare_context(self.command, self._flags, self.surroundings)
        state = self._opened.state
        is_opened = self._opened.any_database is not None
        if is_opened and state is None and self.wanted_output in {"json", "ndjson"}:
            state = self.server()
        return render_context(self, self._flags, state, is_opened=is_opened)

    def file_context(self) -> "RenderContext":
        """How a file beside the answer is to be written, also after a failure; nothing is asked of the database."""
        from stovepipe_cli.commands.presentation import render_context
        from stovepipe_cli.render.context import RenderContext

        opened = self._opened
        is_opened = opened.any_database is not None
        try:
            context = render_context(self, self._flags, opened.state, is_opened=is_opened)
        except StovepipeError:
            return RenderContext(self.command)
        return replace(context, is_terminal=False, colour=False, ascii_only=False)

    @property
    def writes_file(self) -> bool:
        """Whether the answer goes to an output file."""
        return self._flags.get("output_file") is not None

    @property
    def wanted_output(self) -> str:
        """The output format, once the configuration has been found sound."""
        from stovepipe_cli.commands.presentation import wanted_output

        asked = self.config.output.value
        return wanted_output(self._flags, self.surroundings) if asked == "auto" else asked

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Give everything back."""
        self.progress.end()
        self._opened.leave(kind, error, traceback)
