"""Go durations and Scala durations."""

from __future__ import annotations

import pytest

from pytest_crd.engine.formats import durationformat


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("1h30m", True, id="numbers and units"),
        pytest.param("-1.5h", True, id="a sign and a fraction"),
        pytest.param(".5s", True, id="a fraction alone"),
        pytest.param("1.s", True, id="a dot without a fraction"),
        pytest.param(".s", False, id="a dot without a number"),
        pytest.param("s", False, id="a unit without a number"),
        pytest.param("0", True, id="a zero without a unit"),
        pytest.param("-0", True, id="a zero with a sign"),
        pytest.param("1", False, id="another number without a unit"),
        pytest.param("", False, id="nothing"),
        pytest.param("1.\u00b5s", True, id="the micro sign"),
        pytest.param("1.\u03bcs", True, id="the Greek letter"),
        pytest.param("1.x", False, id="an unknown unit"),
        pytest.param("9223372036.854775807s", True, id="the longest one"),
        pytest.param("9223372036854775.808\u03bcs", False, id="one nanosecond too much"),
        pytest.param("-9223372036854775.808\u03bcs", True, id="which a negative one may have"),
        pytest.param("0." + "9" * 5000 + "\u03bcs", True, id="a fraction of thousands of digits"),
        pytest.param("9" * 5000 + "\u03bcs", False, id="a number of thousands of digits"),
        pytest.param("0" * 5000 + "1\u03bcs", True, id="a number of thousands of zeros"),
        pytest.param("1h" + "h" * 5000 + ".", False, id="a long text is read once"),
    ],
)
def test_go_durations_are_accepted_as_time_parse_duration_does(text: str, *, accepted: bool) -> None:
    assert durationformat.is_duration(text) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("22 ns", True, id="a blank between number and unit"),
        pytest.param("2 weeks", True, id="a word that begins like a unit"),
        pytest.param("3 HRS", False, id="a word that begins like an abbreviation"),
        pytest.param("3 HR", True, id="a unit in upper case"),
        pytest.param("1\n\u00b5S", True, id="a micro sign in upper case, and a line break"),
        pytest.param("1\u00a0s", False, id="a blank that is not ASCII"),
        pytest.param("1 \u03bcs", False, id="the Greek letter"),
        pytest.param("about 3 x or 2 days ago", True, id="anywhere in a text"),
        pytest.param("3 x", False, id="no unit"),
        pytest.param("9223372036854775807 w", True, id="the sum may overflow"),
        pytest.param("9223372036854775808 w", False, id="a number may not"),
        pytest.param("1" * 20_000, False, id="thousands of digits without a unit are read once"),
        pytest.param("1 s 9223372036854775808 x", False, id="not even one without a unit"),
        pytest.param("9223372036854775808 1 s", True, id="unless nothing follows it"),
    ],
)
def test_scala_durations_are_accepted_anywhere_in_a_text(text: str, *, accepted: bool) -> None:
    assert durationformat.is_duration(text) is accepted
