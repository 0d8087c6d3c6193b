"""The one table of exit codes, shared by every command."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExitCode:
    """A process exit code and when it is used. A signal outranks an error, an error findings, findings incomplete."""

    code: int
    name: str
    meaning: str


EXIT_CODES = (
    ExitCode(0, "clean", "done, and nothing is wrong"),
    ExitCode(1, "unexpected", "a bug in this tool; please report it"),
    ExitCode(2, "usage", "usage, configuration, invalid input, or a database without what the command needs"),
    ExitCode(3, "findings", "findings, conflicts, or entries that drifted or failed"),
    ExitCode(4, "incomplete", "could not finish: time budget, throttle, skipped parts or quarantined work"),
    ExitCode(5, "not-found", "the queue or the thing that was named does not exist"),
    ExitCode(6, "storage", "the database cannot be reached, or does not take writes"),
    ExitCode(7, "refused", "a safety rule said no: cursor, plan, target or missing confirmation; nothing was written"),
    ExitCode(8, "busy", "somebody else holds it, or won the race"),
    ExitCode(130, "interrupted", "SIGINT"),
    ExitCode(141, "closed-pipe", "the reader of stdout went away"),
    ExitCode(143, "terminated", "SIGTERM"),
)
