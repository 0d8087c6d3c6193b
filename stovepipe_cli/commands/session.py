"""One invocation: configuration, storage opened when first needed, and the one way an answer leaves."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from stovepipe_cli.commands.progress import ProgressLine
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import NothingFound, Refused, StovepipeError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.config import Config
    from stovepipe_cli.render.context import RenderContext
    from stovepipe_cli.reports import Report
    from stovepipe_cli.storage.contract import ServerState, Storage, StorageFactory

T = TypeVar("T")

PROGRESS_KINDS = ("auto", "plain")
UNATTENDED_RUN_TIME_MS = 6 * 60 * 60 * 1000


class AnswerLost(StovepipeError):
    """Stdout takes no more, as a full disk does."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """What a command is about to write, for the question it asks: rows a table, and in one phrase what for."""

    purpose: str
    inserts: Mapping[str, int]
    updates: Mapping[str, int]

    @property
    def total(self) -> int:
        """Rows in all."""
        return sum(self.inserts.values()) + sum(self.updates.values())


@dataclass(slots=True)
class _Opened:
    reading: "StorageFactory | None" = None
    writing: "StorageFactory | None" = None
    state: "ServerState | None" = None


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
        self.surroundings = surroundings
        self.clock = surroundings.clock
        self._flags = dict(flags)
        self._stack = ExitStack()
        self._opened = _Opened()
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
        """The database, for reads alone."""
        if self._opened.reading is None:
            from stovepipe_cli.wiring import open_database

            self._opened.reading = self._stack.enter_context(open_database(self.config, read_only=True))
        return self._opened.reading

    def writing(self) -> "StorageFactory":
        """The database, for writes; `Refused` where the configuration does not allow them."""
        if self._opened.writing is None:
            if self.config.service_dsn_only and not self._flags.get("use_service_dsn"):
                raise Refused(
                    "the database is known only through STORAGE_MYSQL_DSN, the service's own login, which serves reads",
                    hint="name a database and login of your own, or add --use-service-dsn",
                )
            from stovepipe_cli.wiring import open_database

            self._opened.writing = self._stack.enter_context(open_database(self.config, read_only=False))
        return self._opened.writing

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
        if self._opened.state is None:
            factory = self._opened.writing or self.reading()
            self._opened.state = factory.admin.ping()
        return self._opened.state

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
        from difflib import get_close_matches

        from stovepipe_cli.listing import list_queues

        factory = self._opened.writing or self.reading()
        known = [item.queue for item in list_queues(factory.directory).items]
        if self.queue in known:
            return None
        names = " or ".join(f"'{name}'" for name in get_close_matches(self.queue, known, n=3, cutoff=0.5))
        return f"did you mean {names}?" if names else None

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
        from stovepipe_cli.render.sanitise import visible

        print("\n".join(visible(line) for line in text.split("\n")), file=self.surroundings.stderr)

    def confirm(self, write: WritePlan, *, confirm_queue: str | None = None) -> None:
        """Ask before a write, showing where it goes and how much; `Refused` unless the answer is yes.

        A protected profile wants the queue's name, typed or given as `confirm_queue`, and a configured ledger.
        """
        config, queue = self.config, self.queue
        if not write.total:
            return
        if config.protected.value:
            self._confirm_protected(write, queue, confirm_queue)
            return
        if config.yes.value:
            return
        answer = self._ask(write, "Write this? [y/N] ", "add --yes to write without a question")
        if answer.strip().lower() not in {"y", "yes"}:
            raise Refused("cancelled; nothing was written")

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
                if self._opened.writing is None:
                    raise
                # What was written is told all the same.
                self.say(f"{error.message}: all of them are shown")
                answer = render_report(report, replace(context, columns=()))
            self.deliver(answer)
        for line in hints(report, context):
            self.say(line)
        if is_to_file and self._flags.get("quiet") and report.exit_code:
            # The only sign that a scheduled job gives of itself, and only where something is wrong.
            sentence = f"stovepipe: {self.command} ended with '{report.verdict}', exit code {report.exit_code}"
            print(sentence, file=self.surroundings.stderr)
        return report.exit_code

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
        is_opened = self._opened.reading is not None or self._opened.writing is not None
        if is_opened and state is None and self.wanted_output in {"json", "ndjson"}:
            state = self.server()
        return render_context(self, self._flags, state, is_opened=is_opened)

    def file_context(self) -> "RenderContext":
        """How a file beside the answer is to be written, also after a failure; nothing is asked of the database."""
        from stovepipe_cli.commands.presentation import render_context
        from stovepipe_cli.render.context import RenderContext

        opened = self._opened
        is_opened = opened.reading is not None or opened.writing is not None
        try:
            context = render_context(self, self._flags, opened.state, is_opened=is_opened)
        except StovepipeError:
            return RenderContext(self.command)
        return replace(context, is_terminal=False, colour=False, ascii_only=False)

    @property
    def wanted_output(self) -> str:
        """The output format, once the configuration has been found sound."""
        from stovepipe_cli.commands.presentation import wanted_output

        asked = self.config.output.value
        return wanted_output(self._flags, self.surroundings) if asked == "auto" else asked

    def close(self) -> None:
        """Give every connection back."""
        self.progress.end()
        self._stack.close()

    def _confirm_protected(self, write: WritePlan, queue: str, confirm_queue: str | None) -> None:
        if self.config.ledger.is_default or self.config.ledger.value is None:
            raise Refused(
                "the profile is protected and no ledger is configured",
                hint="set ledger_url in the profile, so that every write is on record",
            )
        name = confirm_queue
        if name is None:
            name = self._ask(
                write,
                "The profile is protected. Type the queue's name to write: ",
                "the profile is protected: add --confirm-queue NAME (--yes is not enough)",
            ).strip()
        if name != queue:
            raise Refused("cancelled; nothing was written: the name given is not the queue's")

    def _ask(self, write: WritePlan, question: str, alternative: str) -> str:
        if self.config.no_input.value or not self.surroundings.can_ask:
            raise Refused("nobody is there to confirm; nothing was written", hint=alternative)
        from stovepipe_cli.commands.presentation import question_text
        from stovepipe_cli.render.sanitise import visible

        self.progress.end()
        for line in question_text(self, write).split("\n"):
            print(visible(line), file=self.surroundings.stderr)
        return self.surroundings.ask(question)
