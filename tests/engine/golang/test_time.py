"""Errors of Go's time.Parse; the expected messages were printed by Go."""

import pytest

from pytest_crd.engine.golang import time

DATE = "2006-01-02"
DATE_TIME = "2006-01-02T15:04:05"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("2024-01-31", DATE),
        ("0000-02-29", DATE),
        ("2024-01-31T10:20:30", DATE_TIME),
        ("2024-01-31T10:20:30.5", DATE_TIME),
        ("2024-01-31T10:20:30,5", DATE_TIME),
        ("2024-01-31T1:20:30", DATE_TIME),
    ],
)
def test_times_of_the_layout_are_valid(text: str, layout: str) -> None:
    assert time.find_problem(text, layout) == ""


@pytest.mark.parametrize(
    ("text", "layout", "problem"),
    [
        ("2024-02-30", DATE, '"2024-02-30": day out of range'),
        ("2023-02-29", DATE, '"2023-02-29": day out of range'),
        ("2024-13-01", DATE, '"2024-13-01": month out of range'),
        ("2024-00-01", DATE, '"2024-00-01": month out of range'),
        ("2024-01-00", DATE, '"2024-01-00": day out of range'),
        ("2024-01-99", DATE, '"2024-01-99": day out of range'),
        ("2024-1-01", DATE, '"2024-1-01" as "2006-01-02": cannot parse "1-01" as "01"'),
        ("24-01-01", DATE, '"24-01-01" as "2006-01-02": cannot parse "24-01-01" as "2006"'),
        ("2024-01-01x", DATE, '"2024-01-01x": extra text: "x"'),
        ("2024/01/01", DATE, '"2024/01/01" as "2006-01-02": cannot parse "/01/01" as "-"'),
        ("", DATE, '"" as "2006-01-02": cannot parse "" as "2006"'),
        ("2024-01", DATE, '"2024-01" as "2006-01-02": cannot parse "" as "-"'),
        ("2024-01-", DATE, '"2024-01-" as "2006-01-02": cannot parse "" as "02"'),
        (
            '2024-ä"\\\x01',
            DATE,
            r'"2024-\xc3\xa4\"\\\x01" as "2006-01-02": cannot parse "\xc3\xa4\"\\\x01" as "01"',
        ),
        ("2024-01-31T24:20:30", DATE_TIME, '"2024-01-31T24:20:30": hour out of range'),
        ("2024-02-30T10:60:30", DATE_TIME, '"2024-02-30T10:60:30": minute out of range'),
        ("2024-01-31T10:20:60", DATE_TIME, '"2024-01-31T10:20:60": second out of range'),
        ("2024-02-30T10:20:30Z", DATE_TIME, '"2024-02-30T10:20:30Z": extra text: "Z"'),
        ("2024-01-31T10:20:30.", DATE_TIME, '"2024-01-31T10:20:30.": extra text: "."'),
        (
            "2024-01-31 10:20:30",
            DATE_TIME,
            '"2024-01-31 10:20:30" as "2006-01-02T15:04:05": cannot parse " 10:20:30" as "T"',
        ),
    ],
)
def test_invalid_times_have_gos_message(text: str, layout: str, problem: str) -> None:
    assert time.find_problem(text, layout) == f"parsing time {problem}"
