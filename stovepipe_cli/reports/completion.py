"""Answer of `completion`."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from stovepipe_cli.reports.base import Report

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)


@dataclass(frozen=True, slots=True)
class CompletionReport(Report):
    """What a shell has to read so that it completes the command's words."""

    is_story: ClassVar[bool] = True

    shell: Shell
    script: str
