"""`stovepipe completion`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session
from stovepipe_cli.errors import UsageError


def add(app: typer.Typer) -> None:
    """Register the command on the root."""
    command(
        app,
        "completion",
        example="stovepipe completion bash > ~/.local/share/bash-completion/completions/stovepipe",
        exits="0 printed; 2 there is no such shell",
        reads_config=False,
    )(completion)


def completion(
    session: Session,
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)],
) -> object:
    """Print what a shell needs to complete this command's words, names of queues included.

    \b
    bash  source <(stovepipe completion bash)
          for ever: write it to ~/.local/share/bash-completion/completions/stovepipe
    zsh   source <(stovepipe completion zsh), after compinit
          for ever: write it to a file _stovepipe in a directory of $fpath
    fish  stovepipe completion fish | source
          for ever: write it to ~/.config/fish/completions/stovepipe.fish

    Queues are those that the profile lists, else those of the configured database, which is asked for a second at most,
    and never where its password would have to be asked for.
    """
    from stovepipe_cli.commands.completing.scripts import SCRIPTS
    from stovepipe_cli.reports import CompletionReport
    from stovepipe_cli.reports.completion import SHELLS

    known = next((each for each in SHELLS if each == shell), None)
    if known is None:
        raise UsageError(f"there is no completion for '{shell}'", hint=f"use {', '.join(SHELLS)}")
    return CompletionReport(known, SCRIPTS[known])
