"""Turns a plain function from options to a report into a command with help, session and exit code."""

import inspect
from collections.abc import Callable
from typing import Any

import typer

from stovepipe_cli.commands.invocation import Invocation
from stovepipe_cli.commands.plain_command import PlainCommand
from stovepipe_cli.commands.session import Session

SHARED_OPTIONS_LINE = "Shared options such as --queue, --profile and --output work here too: see 'stovepipe --help'."


def command(
    group: typer.Typer,
    name: str,
    *,
    example: str,
    exits: str,
    may_create: bool = False,
    reads_config: bool = True,
    prepares: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `body(session, **options) -> Report` as a command of `group`.

    Its help shows `example` and what the exit codes of `exits` mean. `may_create`: it may create the embedded
    database. `reads_config` False: it works also where the configuration is broken.
    `prepares` False: the body calls `Session.prepare` itself, once it is ready to tell others of a failure.
    """

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(body, eval_str=True)
        own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in signature.parameters.values()]

        def run(ctx: typer.Context, **options: object) -> int:
            invocation: Invocation = ctx.obj
            session = Session(
                invocation.words,
                invocation.flags,
                invocation.surroundings,
                may_create=may_create,
                reads_config=reads_config,
            )
            invocation.session = session
            with session:
                if prepares:
                    session.prepare()
                return session.show(body(session, **options))

        context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        run.__signature__ = inspect.Signature([context, *own[1:]])  # type: ignore[attr-defined]  # read by inspect
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (context, *own[1:])}
        run.__doc__ = inspect.cleandoc(body.__doc__ or "")
        meanings = "\n".join(f"  {meaning}" for meaning in exits.split("; "))
        epilog = f"\b\nExample:\n  {example}\n\n\b\nExit codes:\n{meanings}\n\n{SHARED_OPTIONS_LINE}"
        group.command(name, cls=PlainCommand, epilog=epilog)(run)
        return body

    return register
