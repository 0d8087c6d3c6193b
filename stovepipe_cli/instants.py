"""Points in time and lengths of time, read from text and written as text; everything inside is integer milliseconds."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from stovepipe_cli.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
# Fifteen digits cover four thousand years even in milliseconds, and keep int() away from its own length limit.
_DURATION = re.compile(
    r"(?:([0-9]{1,15})(d))?(?:([0-9]{1,15})(h))?(?:([0-9]{1,15})(m))?"
    r"(?:([0-9]{1,15})(s))?(?:([0-9]{1,15})(ms))?"
)
_MILLISECONDS = re.compile(r"[0-9]{13}")
_RFC_3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,30}))?)?"
    r"(?:([Zz])|([+-])([0-9]{2}):([0-5][0-9]))?"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_duration(text: str) -> int:
    """Milliseconds in `text`: whole numbers with ms, s, m, h or d, largest unit first (`90s`, `1h30m`), or `0`.

    Raises InvalidInput.
    """
    if text == "0":
        return 0
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise InvalidInput(
            f"'{text}' is not a length of time", hint="write a whole number and a unit: 500ms, 5s, 15m, 2h or 7d"
        )
    parts = match.groups()
    return sum(
        int(number) * _UNITS_MS[unit]
        for number, unit in zip(parts[::2], parts[1::2], strict=True)
        if number is not None
    )


def format_duration(ms: int) -> str:
    """The shortest spelling that `parse_duration` reads back as `ms`; `ms` is not negative."""
    parts = []
    for unit, size in _UNITS_MS.items():
        count, ms = divmod(ms, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0"


def parse_instant(text: str, now_ms: int) -> int:
    """Milliseconds since 1970 of an RFC 3339 time with a zone, of 13 digits, or of a length of time before `now_ms`.

    Finer fractions are cut to milliseconds. Raises InvalidInput, also for a time without a zone or before 1970.
    """
    if _MILLISECONDS.fullmatch(text):
        return int(text)
    match = _RFC_3339.fullmatch(text)
    if match is not None:
        return _not_before_1970(_calendar_ms(text, match), text)
    if _DATE.fullmatch(text):
        raise _without_zone(text, f"{text}T00:00")
    if text != "0" and _DURATION.fullmatch(text) and text:
        return _not_before_1970(now_ms - parse_duration(text), text)
    raise InvalidInput(
        f"'{text}' is not a point in time",
        hint="write 2026-01-31T08:00:00Z, 2026-01-31T09:00+01:00, 13 digits of milliseconds, or an age like 2h or 7d",
    )


def _calendar_ms(text: str, match: re.Match[str]) -> int:
    year, month, day, hour, minute, second, fraction, zulu, sign, zone_hours, zone_minutes = match.groups()
    if zulu is None and sign is None:
        raise _without_zone(text, text)
    offset = timedelta()
    if sign is not None:
        offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes)) * (-1 if sign == "-" else 1)
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=timezone(offset)
        )
    except ValueError:
        raise InvalidInput(
            f"'{text}' is no time on the calendar", hint="check the day, the hour, the minute and the offset"
        ) from None
    return (moment - EPOCH) // timedelta(milliseconds=1) + int((fraction or "").ljust(3, "0")[:3])


def _without_zone(text: str, moment: str) -> InvalidInput:
    return InvalidInput(f"'{text}' does not say its time zone", hint=f"write '{moment}Z' for UTC, or '{moment}+02:00'")


def _not_before_1970(ms: int, text: str) -> int:
    if ms < 0:
        raise InvalidInput(f"'{text}' lies before 1970", hint="give a later time")
    return ms


def parse_zone(text: str) -> tzinfo | None:
    """The zone called `text`: `UTC`, an IANA name, or `local`, for which the answer is None, the machine's own rules.

    Raises InvalidInput.
    """
    if text.upper() in {"UTC", "Z"}:
        return UTC
    if text == "local":
        return None
    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"'{text}' is not a known time zone", hint="write UTC, local, or a name such as Europe/Berlin"
        ) from None


def format_instant(ms: int, tz: tzinfo | None = UTC) -> str:
    """RFC 3339 with milliseconds in `tz` (None: the machine's zone), `Z` for UTC; out of the calendar, the number."""
    try:
        moment = (EPOCH + timedelta(milliseconds=ms)).astimezone(tz)
    except (OverflowError, ValueError, OSError):
        return str(ms)
    text = moment.isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z" if tz is UTC else text


def format_age(ms: int) -> str:
    """A length of time for people, rounded down to its two largest units: `3h12m`, `45s`, `-2s`."""
    sign, rest = ("-", -ms) if ms < 0 else ("", ms)
    sizes = list(_UNITS_MS.items())
    for index, (unit, size) in enumerate(sizes):
        count, rest_of_unit = divmod(rest, size)
        if not count:
            continue
        smaller_unit, smaller = sizes[min(index + 1, len(sizes) - 1)]
        second = rest_of_unit // smaller if smaller_unit in {"h", "m", "s"} else 0
        return f"{sign}{count}{unit}" + (f"{second}{smaller_unit}" if second else "")
    return "0s"
