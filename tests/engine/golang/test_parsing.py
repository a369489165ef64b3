"""Parsers of times and base64; the expected results were printed by Go 1.26."""

from __future__ import annotations

import base64
import calendar
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.golang import parsing


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("2020-02-29T23:59:59Z", "2020-02-29T23:59:59Z", id="UTC stays"),
        pytest.param("2020-03-31T23:59:59Z", "2020-03-31T23:59:59Z", id="the 31st is a day of March"),
        pytest.param("2020-04-30T23:59:59Z", "2020-04-30T23:59:59Z", id="the 30th is a day of April"),
        pytest.param("2020-01-01T00:30:00.999+01:00", "2019-12-31T23:30:00Z", id="offset and fraction go"),
        pytest.param("2020-01-01T5:00:00Z", "2020-01-01T05:00:00Z", id="one digit is enough for the hour"),
        pytest.param("2020-01-01T05:00:00,5Z", "2020-01-01T05:00:00Z", id="a comma begins a fraction too"),
        pytest.param("2020-01-01T00:00:00-24:60", "2020-01-02T01:00:00Z", id="offsets go up to 24:60"),
        pytest.param("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", id="there is a year 0"),
        pytest.param("0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z", id="and one before it in UTC"),
        pytest.param("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z", id="and one after 9999"),
        pytest.param("0001-01-01T00:00:00Z", None, id="the zero time is none"),
        pytest.param("0001-01-01T01:00:00+01:00", None, id="with any offset"),
        pytest.param("0001-01-01T00:00:00.1Z", "0001-01-01T00:00:00Z", id="a tenth of a second later is one"),
    ],
)
def test_times_are_written_back_in_utc(text: str, written: str | None) -> None:
    assert parsing.rfc3339(text) == written


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("year", [2023, 2024])
def test_a_time_has_a_day_of_its_month(year: int, month: int) -> None:
    days = calendar.monthrange(year, month)[1]
    for day in range(1, days + 1):
        text = f"{year}-{month:02}-{day:02}T12:00:00Z"
        assert parsing.rfc3339(text) == text
    for day in range(days + 1, 33):
        with pytest.raises(parsing.GoParseError, match="day out of range"):
            parsing.rfc3339(f"{year}-{month:02}-{day:02}T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024-01-02T03:04:05.678901Z", "2024-01-02T03:04:05.678901Z"),
        ("2024-01-02T3:04:05,000001+01:00", "2024-01-02T02:04:05.000001Z"),
        ("0001-01-01T00:00:00.000000Z", None),
        ("0001-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000001Z"),
    ],
)
def test_times_keep_their_microseconds(text: str, written: str | None) -> None:
    assert parsing.rfc3339_micro(text) == written


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"'),
        ("2024-01-02T03:04:05Z", ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'),
        ("2024-01-02T03:04:05.00000Z", ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".00000Z" as ".000000"'),
        ("2024-01-02T03:04:05.0000011Z", ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse "1Z" as "Z07:00"'),
        ("2024-02-31T03:04:05.000001Z", ": day out of range"),
    ],
)
def test_invalid_times_with_microseconds_are_refused_with_gos_message(text: str, reason: str) -> None:
    with pytest.raises(parsing.GoParseError) as refused:
        parsing.rfc3339_micro(text)
    assert str(refused.value) == f'parsing time "{text}"{reason}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", ' as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
        ("", ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'),
        ("2020-1-01T00:00:00Z", ' as "2006-01-02T15:04:05Z07:00": cannot parse "1-01T00:00:00Z" as "01"'),
        ("2020-01-01 00:00:00Z", ' as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"'),
        ("2020-01-01T00:00:00", ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'),
        ("2020-01-01T00:00:00+0100", ' as "2006-01-02T15:04:05Z07:00": cannot parse "+0100" as "Z07:00"'),
        ("2020-01-01T00:00:00*01:00", ' as "2006-01-02T15:04:05Z07:00": cannot parse "*01:00" as "Z07:00"'),
        ("2020-01-01T00:00:00+x1:00", ' as "2006-01-02T15:04:05Z07:00": cannot parse "+x1:00" as "Z07:00"'),
        ("2020-01-01T00:00:00+01:x0", ' as "2006-01-02T15:04:05Z07:00": cannot parse "+01:x0" as "Z07:00"'),
        ("2020-13-01T00:00:00Z", ": month out of range"),
        ("2020-01-01T24:00:00Z", ": hour out of range"),
        ("2020-01-01T00:60:00Z", ": minute out of range"),
        ("2020-01-01T00:00:60Z", ": second out of range"),
        ("2020-01-01T00:00:00+25:00", ": time zone offset hour out of range"),
        ("2020-01-01T00:00:00+25:61", ": time zone offset minute out of range"),
        ("2020-01-01T00:00:00Zx", ': extra text: "x"'),
        ("2021-02-29T00:00:00Z", ": day out of range"),
        ("2021-04-31T00:00:00Z", ": day out of range"),
        ("2021-01-00T00:00:00Z", ": day out of range"),
    ],
)
def test_invalid_times_are_refused_with_gos_message(text: str, reason: str) -> None:
    with pytest.raises(parsing.GoParseError) as refused:
        parsing.rfc3339(text)
    assert str(refused.value) == f'parsing time "{text}"{reason}'


def test_invalid_times_are_quoted_byte_by_byte() -> None:
    with pytest.raises(parsing.GoParseError) as refused:
        parsing.rfc3339('é"\\\n')
    quoted = r'"\xc3\xa9\"\\\x0a"'
    assert str(refused.value) == (
        f'parsing time {quoted} as "2006-01-02T15:04:05Z07:00": cannot parse {quoted} as "2006"'
    )


@given(st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=st.timezones()))  # noqa: DTZ001 - bounds
def test_times_are_parsed_as_python_does(moment: dt.datetime) -> None:
    offset = moment.utcoffset() or dt.timedelta()
    moment = moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=offset // dt.timedelta(minutes=1))), fold=0)
    written = parsing.rfc3339(moment.isoformat())
    assert written is not None
    assert dt.datetime.fromisoformat(written) == moment.replace(microsecond=0)
    assert parsing.rfc3339(written) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("", "", id="nothing is nothing"),
        pytest.param("aGk=", "aGk=", id="base64 stays"),
        pytest.param("a\r\nGk\n=\n", "aGk=", id="line breaks go"),
        pytest.param("aGl=", "aGk=", id="unused bits become zero"),
        pytest.param("aA=\n=", "aA==", id="line breaks may stand within the padding"),
    ],
)
def test_base64_is_normalized_as_in_go(text: str, written: str) -> None:
    assert parsing.base64_text(text) == written


@pytest.mark.parametrize(
    ("text", "index"),
    [
        pytest.param("!!", 0, id="a character that is none"),
        pytest.param("=aaa", 0, id="padding at the start"),
        pytest.param("aGk", 0, id="a missing padding, at the start of the group"),
        pytest.param("aaaaa\n", 5, id="counted back from the end of the text"),
        pytest.param("aA=", 3, id="half a padding"),
        pytest.param("aA=x", 2, id="half a padding and more"),
        pytest.param("aA=\nx", 3, id="where the line break counts"),
        pytest.param("aGk=x", 4, id="text after the padding"),
        pytest.param("aA==x", 4, id="text after two paddings"),
        pytest.param("é", 0, id="not ASCII"),
    ],
)
def test_invalid_base64_is_refused_at_gos_byte_offset(text: str, index: int) -> None:
    with pytest.raises(parsing.GoParseError, match=rf"\Aillegal base64 data at input byte {index}\Z"):
        parsing.base64_text(text)


@given(st.binary())
def test_canonical_base64_is_returned_unchanged(data: bytes) -> None:
    text = base64.b64encode(data).decode()
    assert parsing.base64_text(text) is text
