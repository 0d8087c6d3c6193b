"""Points in time and lengths of time."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.instants import (
    format_age,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
    parse_zone,
)

NOW_MS = 1_770_000_000_000
DAY_MS = 86_400_000
LAST_MS = 253_402_300_799_999


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0", 0),
        ("500ms", 500),
        ("5s", 5_000),
        ("15m", 900_000),
        ("2h", 7_200_000),
        ("7d", 604_800_000),
        ("1h30m", 5_400_000),
        ("0s", 0),
        ("1d2h3m4s5ms", 93_784_005),
    ],
)
def test_durations_are_read_as_milliseconds(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize(
    "text",
    ["", "5", "00", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5h", "5w", "30m1h", "5s5s", "s", "5S", "\u0665s", "9" * 5000],
)
def test_what_is_no_duration_is_refused_with_the_right_spellings(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_duration(text)
    assert "15m" in str(caught.value.hint)


@given(st.integers(min_value=0, max_value=10**20))
def test_a_formatted_duration_reads_back(ms: int) -> None:
    assert parse_duration(format_duration(ms)) == ms


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-31T08:00:00Z", 1_769_846_400_000),
        ("2026-01-31T08:00Z", 1_769_846_400_000),
        ("2026-01-31t08:00:00z", 1_769_846_400_000),
        ("2026-01-31 08:00:00Z", 1_769_846_400_000),
        ("2026-01-31T09:00:00+01:00", 1_769_846_400_000),
        ("2026-01-31T02:30:00-05:30", 1_769_846_400_000),
        ("2026-01-31T08:00:00.5Z", 1_769_846_400_500),
        ("2026-01-31T08:00:00.123999Z", 1_769_846_400_123),
        ("1769846400123", 1_769_846_400_123),
        ("2h", NOW_MS - 7_200_000),
        ("7d", NOW_MS - 7 * DAY_MS),
    ],
)
def test_instants_are_read_as_milliseconds(text: str, ms: int) -> None:
    assert parse_instant(text, NOW_MS) == ms


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2026-01-31T08:00:00", "write '2026-01-31T08:00:00Z' for UTC, or '2026-01-31T08:00:00+02:00'"),
        ("2026-01-31 08:00", "write '2026-01-31 08:00Z' for UTC, or '2026-01-31 08:00+02:00'"),
        ("2026-01-31", "write '2026-01-31T00:00Z' for UTC, or '2026-01-31T00:00+02:00'"),
    ],
)
def test_a_time_without_a_zone_is_refused_with_the_two_right_spellings(text: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_instant(text, NOW_MS)
    assert (caught.value.exit_code, caught.value.hint) == (2, hint)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "1769846400",
        "17698464001234",
        "0",
        "2026-02-30T08:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T08:00:60Z",
        "2026-01-31T08:00:00+24:00",
        "2026-01-31T08:00:00+01:60",
        "2026-01-31T08:00:00+0100",
        "2026-1-31T08:00:00Z",
        "1969-12-31T23:59:59Z",
        "0001-01-01T00:00:00+23:59",
        "99999d",
        "-2h",
    ],
)
def test_what_is_no_instant_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_instant(text, NOW_MS)
    assert caught.value.hint


@given(st.integers(min_value=0, max_value=LAST_MS), st.integers(min_value=-1439, max_value=1439))
def test_a_formatted_instant_reads_back_in_every_zone(ms: int, offset_minutes: int) -> None:
    zone = timezone(timedelta(minutes=offset_minutes))
    try:
        datetime.fromtimestamp(ms // 1000, UTC).astimezone(zone)
    except OverflowError:
        return
    assert parse_instant(format_instant(ms, zone), NOW_MS) == ms


@given(st.integers(min_value=0, max_value=LAST_MS))
def test_a_utc_instant_reads_back(ms: int) -> None:
    assert parse_instant(format_instant(ms), NOW_MS) == ms


def test_utc_is_written_with_milliseconds_and_z() -> None:
    assert format_instant(1_769_846_400_120) == "2026-01-31T08:00:00.120Z"


def test_other_zones_are_written_with_their_offset() -> None:
    assert format_instant(1_769_846_400_120, ZoneInfo("Asia/Kolkata")) == "2026-01-31T13:30:00.120+05:30"


def test_a_zone_that_happens_to_agree_with_utc_keeps_its_offset() -> None:
    assert format_instant(1_769_846_400_120, ZoneInfo("Europe/London")) == "2026-01-31T08:00:00.120+00:00"


@pytest.mark.parametrize("ms", [LAST_MS + 1, 2**63 - 1, -(2**63), 10**400])
def test_a_time_out_of_the_calendar_is_the_plain_number(ms: int) -> None:
    assert format_instant(ms) == str(ms)


@given(st.integers(), st.sampled_from([UTC, None, ZoneInfo("Asia/Tokyo"), timezone(timedelta(hours=-12))]))
def test_no_number_and_no_zone_is_too_much_to_format(ms: int, zone: timezone | ZoneInfo | None) -> None:
    assert format_instant(ms, zone)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (999, "999ms"),
        (1_000, "1s"),
        (45_999, "45s"),
        (60_000, "1m"),
        (303_000, "5m3s"),
        (11_520_000, "3h12m"),
        (3_600_999, "1h"),
        (2 * DAY_MS + 4 * 3_600_000 + 59_000, "2d4h"),
        (-2_000, "-2s"),
    ],
)
def test_an_age_has_its_two_largest_units(ms: int, text: str) -> None:
    assert format_age(ms) == text


@given(st.integers())
def test_every_age_can_be_formatted(ms: int) -> None:
    assert format_age(ms)


def test_zones_are_known_by_name() -> None:
    assert parse_zone("utc") is UTC
    assert parse_zone("local") is None
    assert parse_zone("Europe/Berlin") == ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize("text", ["Mars/Olympus", "", "../etc/passwd", "/etc/localtime", "Europe", "a\x00b"])
def test_an_unknown_zone_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_zone(text)
    assert "Europe/Berlin" in str(caught.value.hint)
