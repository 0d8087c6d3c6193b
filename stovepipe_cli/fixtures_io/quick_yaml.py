"""A faster reader of the plain part of YAML, on which it agrees with the library's strict one event by event.

The two differ in tabs, byte order marks, exotic line breaks, question marks, block scalars, empty values and plain
scalars over several lines: a text with any of these is left to the strict one.
"""

import re
from collections.abc import Iterator

import yaml

_UNLIKE = re.compile("[\\t\\r\\x85\\u2028\\u2029\\ufeff]|[?](?:[\\s,\\[\\]{}]|$)")


class Doubtful(Exception):
    """The two readers may not agree here."""


def quick_events(text: str) -> Iterator[yaml.Event] | None:
    """The events of the text, ending with `Doubtful` where the strict reader has to be asked; None where at once."""
    # A wheel of the library that was built without its C part lacks the name.
    loader = getattr(yaml, "CBaseLoader", None)
    return None if loader is None or _UNLIKE.search(text) else _certain(yaml.parse(text, Loader=loader))


def _certain(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            if event.style in {"|", ">"} or (not event.style and _is_unlike(event)):
                raise Doubtful
            # One reader says None, the other an empty text.
            event.style = event.style or None
        elif isinstance(event, yaml.DocumentStartEvent) and event.explicit:
            raise Doubtful
        yield event


def _is_unlike(plain: yaml.ScalarEvent) -> bool:
    start, end = plain.start_mark, plain.end_mark
    return not plain.value or "?" in plain.value or start is None or end is None or start.line != end.line
