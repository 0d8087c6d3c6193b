"""The one way to refuse a plan: a sentence, and how to go on."""

from stovepipe_cli.errors import Refused


def refused(why: str, *, hint: str = "make a new plan with 'stovepipe repair plan'") -> Refused:
    """The refusal `the plan <why>`."""
    return Refused(f"the plan {why}", hint=hint)
