"""The root command and the one boundary where failures become text or JSON and an exit code."""

import gc
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import typer
import typer.main

from stovepipe_cli.commands import options, root
from stovepipe_cli.commands.invocation import Invocation
from stovepipe_cli.commands.process import Terminated, abandon_stdout, catch_signals, process_surroundings
from stovepipe_cli.commands.sections import SectionedGroup
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import StovepipeError, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.render.context import ErrorView

INTERRUPTED, TERMINATED, CLOSED_PIPE = 130, 143, 141
NARROWEST_HELP, WIDEST_HELP = 36, 100
COMPLETION_VARIABLE = "_STOVEPIPE_COMPLETE"

# New objects before the collector looks for dead cycles among them. Nearly all that start-up makes stays to the end.
YOUNG_OBJECTS = 50_000

# What a refusal may still go by where something in argv must not be repeated.
_HARMLESS = ("output", "quiet", "no_progress", "color", "log_format")
_ROOT_ONLY = frozenset({"--help", "-h", "--version", "-V"})

EPILOG = """\b
Example:
  stovepipe demo

\b
Exit codes:
  the same for every command: stovepipe help exit-codes
"""


def build_app() -> typer.Typer:
    """The root, whose commands are made when they are asked for."""
    app = typer.Typer(
        name="stovepipe",
        cls=SectionedGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Its own completes what the parser takes, which is not where shared options may stand.
        add_completion=False,
        suggest_commands=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Look into, check and mend the request history of a Stovepipe queue.",
        epilog=EPILOG,
    )
    app.callback(invoke_without_command=True)(root.root)
    return app


def run(argv: Sequence[str], surroundings: Surroundings) -> int:
    """Run one invocation; the exit code is returned and nothing is raised."""
    try:
        return _run(argv, Invocation(surroundings, ""))
    except BrokenPipeError:
        return CLOSED_PIPE


def _run(argv: Sequence[str], invocation: Invocation) -> int:
    try:
        return _invoke(argv, invocation)
    except typer.Exit as stop:
        invocation.surroundings.stdout.flush()
        return stop.exit_code
    except (StovepipeError, typer.TyperException) as error:
        return _report(invocation, _view(error, invocation), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _stopped(invocation, "interrupted", INTERRUPTED)
    except Terminated:
        return _stopped(invocation, "terminated", TERMINATED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary: whatever is left is a bug, and exits 1 as one line
        return _unexpected(invocation, error)


def _invoke(argv: Sequence[str], invocation: Invocation) -> int:
    tree = typer.main.get_command(build_app())
    arguments = options.arrange(argv, option_names(tree))
    is_harmful = any(options.holds_login(token) for token in argv)
    invocation.words = "" if is_harmful and options.holds_login(arguments.words) else arguments.words
    invocation.flags.update(arguments.shared)
    telling = _telling(invocation)
    if is_harmful:
        invocation.flags = {name: invocation.flags[name] for name in _HARMLESS if name in invocation.flags}
        raise options.login_in_argv()
    if arguments.unfinished is not None:
        raise UsageError(f"option '{arguments.unfinished}' requires an argument", hint="give it one, or leave it out")
    width = max(min(invocation.surroundings.width(), WIDEST_HELP), NARROWEST_HELP)
    # Help is the parser's own answer, and leaves through the same door as every other. Not main(), which ends the
    # process by itself on a closed pipe.
    with (
        telling,
        redirect_stdout(invocation.surroundings.stdout),
        tree.make_context("stovepipe", list(arguments.args), obj=invocation, terminal_width=width) as context,
    ):
        result = tree.invoke(context)
    invocation.surroundings.stdout.flush()
    return int(result or 0)


def _telling(invocation: Invocation) -> AbstractContextManager[None]:
    """What has to hold while the command runs so that stderr is told what it should be, and in the right form."""
    form = invocation.flags.get("log_format")
    if form is None and not invocation.flags.get("verbose"):
        return nullcontext()
    from stovepipe_cli.commands.logs import JSONLog, require_log_format, told

    require_log_format(form)
    if form == "json":
        invocation.log = JSONLog(invocation)
        invocation.surroundings = invocation.log.surroundings()
    return told(invocation)


def main() -> NoReturn:
    """The console script."""
    gc.set_threshold(YOUNG_OBJECTS)
    catch_signals()
    surroundings = replace(process_surroundings(), program=lambda words: run(words, process_surroundings()))
    if COMPLETION_VARIABLE in surroundings.environ:
        _complete(surroundings)
    code = run(sys.argv[1:], surroundings)
    try:
        surroundings.stdout.flush()
    except BrokenPipeError:
        code = CLOSED_PIPE
        abandon_stdout()
    except (OSError, ValueError):
        code = code or 1
        abandon_stdout()
    # Else the interpreter looks through everything once more for cycles before it lets go of it.
    gc.freeze()
    sys.exit(code)


def _complete(surroundings: Surroundings) -> NoReturn:
    from stovepipe_cli.commands.completing.answer import answer, give_up_in_time

    give_up_in_time()
    tree = typer.main.get_command(build_app())
    surroundings.stdout.write(answer(tree, option_names(tree), sys.argv[1:], surroundings))
    surroundings.stdout.flush()
    sys.exit()


def option_names(tree: Any) -> options.OptionNames:  # noqa: ANN401 - typer keeps the type of a command private
    """The options that every command shares, which are those of the root, without what only the root can answer."""
    valued: dict[str, str] = {}
    switches: dict[str, str] = {}
    for parameter in tree.params:
        known = switches if getattr(parameter, "is_flag", False) else valued
        spellings = [each for each in getattr(parameter, "opts", ()) if each not in _ROOT_ONLY]
        known.update(dict.fromkeys(spellings, str(getattr(parameter, "name", ""))))
    return options.OptionNames(valued, switches)


def _view(error: StovepipeError | typer.TyperException, invocation: Invocation) -> "ErrorView":
    from stovepipe_cli.commands.usage import usage_view
    from stovepipe_cli.render.context import ErrorView

    if isinstance(error, StovepipeError):
        return ErrorView(error.code, error.message, error.hint, error.retryable)
    return usage_view(error, invocation.words)


def _report(invocation: Invocation, error: "ErrorView", exit_code: int) -> int:
    from stovepipe_cli.commands.presentation import failure_context
    from stovepipe_cli.render.output import render_error

    answer, line = render_error(error, exit_code, failure_context(invocation))
    if answer and not invocation.has_answered:
        _deliver(invocation, answer)
    if not invocation.flags.get("quiet") or not answer or invocation.flags.get("output_file"):
        with suppress(OSError):
            if invocation.log is None:
                invocation.surroundings.stderr.write(line)
            else:
                invocation.log.record_failure(error, exit_code)
            invocation.surroundings.stderr.flush()
    return exit_code


def _deliver(invocation: Invocation, answer: str) -> None:
    """A failure's document goes where the answer would have gone, so that no older one passes for it."""
    from stovepipe_cli.files import write_answer

    path = invocation.flags.get("output_file")
    if path is not None:
        with suppress(StovepipeError):
            write_answer(str(path), answer)
            return
    invocation.surroundings.stdout.write(answer)
    invocation.surroundings.stdout.flush()


def _stopped(invocation: Invocation, word: str, exit_code: int) -> int:
    from stovepipe_cli.render.context import ErrorView

    return _report(invocation, ErrorView(word, word, None, retryable=True), exit_code)


def _unexpected(invocation: Invocation, error: Exception) -> int:
    from stovepipe_cli.render.context import ErrorView

    is_verbose = bool(invocation.flags.get("verbose"))
    if is_verbose:
        # The frames without the exception's own text, which could carry a login.
        frames = "".join(traceback.format_tb(error.__traceback__))
        with suppress(OSError):
            if invocation.log is None:
                invocation.surroundings.stderr.write(frames)
            else:
                invocation.log.record("error", "traceback", {"frames": frames})
    hint = "please report it with the lines above" if is_verbose else "run it again with --verbose for the traceback"
    return _report(invocation, ErrorView("unexpected", f"unexpected {type(error).__name__}", hint, retryable=False), 1)
