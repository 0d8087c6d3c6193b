"""The question before a write: where it goes, how much it is, and who may answer it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stovepipe_cli.errors import Refused

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session

_YES = frozenset({"y", "yes"})


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


def confirm(session: "Session", write: WritePlan, *, confirm_queue: str | None = None) -> None:
    """Ask before a write, showing where it goes and how much; `Refused` unless the answer is yes.

    A protected profile wants the queue's name, typed or given as `confirm_queue`, and a configured ledger.
    """
    config, queue = session.config, session.queue
    if not write.total:
        return
    if config.protected.value:
        _confirm_protected(session, write, queue, confirm_queue)
        return
    if config.yes.value:
        return
    answer = _ask(session, write, "Write this? [y/N] ", "add --yes to write without a question")
    if answer.strip().lower() not in _YES:
        raise Refused("cancelled; nothing was written")


def confirm_removal(session: "Session", what: str, counts: Mapping[str, int]) -> None:
    """Ask before rows of the tool's own are removed, showing how many; `Refused` unless the answer is yes."""
    if session.config.yes.value:
        return
    text = "\n".join([what, *(f"  DELETE    {count:,} {name}" for name, count in counts.items() if count)])
    answer = _answer(session, text, "Remove this? [y/N] ", "add --yes to remove without a question")
    if answer.strip().lower() not in _YES:
        raise Refused("cancelled; nothing was removed")


def _confirm_protected(session: "Session", write: WritePlan, queue: str, confirm_queue: str | None) -> None:
    if session.config.ledger.is_default or session.config.ledger.value is None:
        raise Refused(
            "the profile is protected and names no ledger; nothing was written",
            hint="set ledger_url in the profile, such as sqlite:///ledger.db, so that every write is on record; "
            "the default ledger, one for each user, does not count",
        )
    name = confirm_queue
    if name is None:
        name = _ask(
            session,
            write,
            "The profile is protected. Type the queue's name to write: ",
            "the profile is protected: add --confirm-queue NAME (--yes is not enough)",
        ).strip()
    if name != queue:
        raise Refused("cancelled; nothing was written: the name given is not the queue's")


def _ask(session: "Session", write: WritePlan, question: str, alternative: str) -> str:
    _require_somebody(session, alternative)
    from stovepipe_cli.commands.presentation import question_text

    return _answer(session, question_text(session, write), question, alternative)


def _answer(session: "Session", text: str, question: str, alternative: str) -> str:
    _require_somebody(session, alternative)
    from stovepipe_cli.render.sanitise import visible

    session.progress.end()
    for line in text.split("\n"):
        print(visible(line), file=session.surroundings.stderr)
    return session.surroundings.ask(question)


def _require_somebody(session: "Session", alternative: str) -> None:
    if session.config.no_input.value or not session.surroundings.can_ask:
        raise Refused("nobody is there to confirm; nothing was written", hint=alternative)
