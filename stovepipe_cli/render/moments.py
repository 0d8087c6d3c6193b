"""Times and counts as people read them."""

from stovepipe_cli.instants import format_age, format_instant
from stovepipe_cli.render.context import RenderContext

_MOMENT_MS = 1000
_TIME_LENGTH = len("00:00:00.000")


def moment(ms: int, context: RenderContext) -> str:
    """A point in time in the zone of the output."""
    return format_instant(ms, context.zone)


def day_and_time(ms: int, context: RenderContext) -> tuple[str, str]:
    """The two parts of a point in time; the day with its zone, and empty where the time is out of the calendar."""
    day, _, time = moment(ms, context).partition("T")
    if not time:
        return "", day
    offset = time[_TIME_LENGTH:].removesuffix("Z")
    return f"{day} {context.zone_name} {offset}".rstrip(), time[:_TIME_LENGTH]


def ago(ms: int, context: RenderContext) -> str:
    """How long before the answer, or after it where clocks differ; empty off a terminal, where answers are kept."""
    if not context.is_terminal or not context.now_ms:
        return ""
    distance = context.now_ms - ms
    if abs(distance) < _MOMENT_MS:
        return "just now"
    return f"{format_age(distance)} ago" if distance > 0 else f"in {format_age(-distance)}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 entry`, `9,412 entries`: the plural is the noun with an s unless given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
