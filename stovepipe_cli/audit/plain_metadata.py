"""Metadata as text: what can stand in JSON as it is, and in which other forms the usual metadata is kept."""

import re
from collections.abc import Collection, Sequence

from stovepipe_cli.audit.course import FINISHED, RECORDED, TRIGGERED, Course, Entry
from stovepipe_cli.audit.rules.sensitive import are_plainly_harmless
from stovepipe_cli.history.metadata_keys import BASE_URI, BUILD_ID, FACT_DEGREE, SUPERSEDED_BY

_MOST_CHARACTERS = 300
_PLAIN = re.compile(r"[A-Za-z0-9._:/+ =@\-]*\Z")
_SUPERSEDED = re.compile(rf'\{{"{SUPERSEDED_BY}": ?"([A-Za-z0-9._:/+ =\-]{{1,300}})"\}}\Z')
_EMPTY = ("{}", "", "null")
_DEGREES = {f'{{"{FACT_DEGREE}":{space}"{degree:.0f}"}}': degree for space in ("", " ") for degree in (0.0, 1.0)}


def are_plain(texts: Collection[str]) -> bool:
    """Whether none needs an escape in JSON, is long, or holds what looks like a secret."""
    joined = " ".join(texts)
    return (
        max(map(len, texts), default=0) <= _MOST_CHARACTERS
        and _PLAIN.match(joined) is not None
        and are_plainly_harmless(joined)
    )


def degree_in(texts: Sequence[str], course: Course, base_uri: str, build_id: str) -> float | None:
    """The degree that its fact has, 0 without one; None where the metadata is in none of the known forms.

    Databases put spaces into JSON or keep nothing as null, and earlier versions of the service wrote fewer keys.
    """
    degree = 0.0
    for entry, text in zip(course.entries, texts, strict=True):
        if entry.event == RECORDED:
            if text not in _DEGREES:
                return None
            degree = _DEGREES[text]
        elif not _is_allowed(text, entry, course, base_uri, build_id):
            return None
    return degree


def _is_allowed(text: str, entry: Entry, course: Course, base_uri: str, build_id: str) -> bool:
    tight = text.replace('": "', '":"').replace('", "', '","')
    built, based = f'"{BUILD_ID}":"{build_id}"', f'"{BASE_URI}":"{base_uri}"'
    if entry.event in {TRIGGERED, FINISHED}:
        return tight == f"{{{built}}}"
    if text in _EMPTY or entry.version == 1:
        return text in _EMPTY
    if entry.state == "superseded":
        named = _SUPERSEDED.match(text)
        return named is not None and are_plainly_harmless(named[1])
    is_end = entry.version == course.version
    return tight == f"{{{based}}}" or (
        is_end and course.has_build and tight in {f"{{{built}}}", f"{{{based},{built}}}"}
    )
