"""What every report can say of itself: its verdict and its exit code."""

from typing import ClassVar, Literal

# What a shell adds to the number of a signal that ended a process.
BY_SIGNAL = 128

Verdict = Literal["clean", "findings", "incomplete", "error"]


class Report:
    """A frozen result. The default is an answer that could be given: clean, 0.

    `is_story` says that it is told from beginning to end, and has no rows of its own for a pipe to take.
    """

    __slots__ = ()

    is_story: ClassVar[bool] = False

    @property
    def verdict(self) -> Verdict:
        """One of clean, findings, incomplete; errors are exceptions."""
        return "clean"

    @property
    def exit_code(self) -> int:
        """The process exit code that the report stands for."""
        return {"clean": 0, "findings": 3, "incomplete": 4, "error": 1}[self.verdict]
