"""Values in Go's notation; the expected results were printed by Go 1.26."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        pytest.param("plain text", '"plain text"', id="plain text stays"),
        pytest.param('a"b\\c', r'"a\"b\\c"', id="quotes and backslashes are escaped"),
        pytest.param("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"', id="control characters with a letter keep it"),
        pytest.param("\x00\x1f\x7f", r'"\x00\x1f\x7f"', id="other ASCII control characters are two hex digits"),
        pytest.param("\x80\xa0\xad\u2028", r'"\u0080\u00a0\u00ad\u2028"', id="beyond ASCII they are four hex digits"),
        pytest.param("\U000e0001", r'"\U000e0001"', id="beyond the first plane they are eight hex digits"),
        pytest.param("é世🧿", '"é世🧿"', id="letters and symbols stay"),
        pytest.param("\u0cf3", '"\u0cf3"', id="a character of Unicode 15.0 stays, also where Python does not know it"),
        pytest.param("\u1c89", r'"\u1c89"', id="a character of Unicode 16.0 is escaped, also where Python knows it"),
        pytest.param("\ufeff", r'"\ufeff"', id="a byte order mark is escaped"),
    ],
)
def test_quote_escapes_what_go_cannot_print(text: str, quoted: str) -> None:
    assert printing.quote(text) == quoted


@given(st.text())
def test_quotes_inside_a_quoted_text_are_escaped(text: str) -> None:
    quoted = printing.quote(text)
    assert quoted[0] == quoted[-1] == '"'
    assert '"' not in quoted[1:-1].replace(r"\\", "").replace(r"\"", "")


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0, "0"),
        (-7, "-7"),
        (2**63 - 1, "9223372036854775807"),
        (1.5, "1.5"),
        (-0.0, "-0"),
        (200000.5, "200000.5"),
        (1234567.5, "1.2345675e+06"),
        (2000000.0, "2e+06"),
        (4231909740.39775, "4.23190974039775e+09"),
        (1.2345678901234567e19, "1.2345678901234567e+19"),
        (1e21, "1e+21"),
        (0.0001, "0.0001"),
        (0.00012345, "0.00012345"),
        (0.00009, "9e-05"),
        (1e-10, "1e-10"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
        (math.nan, "NaN"),
    ],
)
def test_floats_have_an_exponent_from_a_million_on(value: float, printed: str) -> None:
    assert printing.number(value) == printed


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_all_digits(value: float) -> None:
    assert float(printing.number(value)) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param({"b": 1, "a": [None, True, "x"]}, '{"a":[null,true,"x"],"b":1}', id="keys are sorted"),
        pytest.param("<a>&\u2028\u2029é", r'"\u003ca\u003e\u0026\u2028\u2029é"', id="HTML and line separators escape"),
        pytest.param('"\\\n\b\x01', r'"\"\\\n\b\u0001"', id="control characters escape"),
        pytest.param(1e20, "100000000000000000000", id="a large float has no exponent"),
        pytest.param(8.407677068955558e20, "840767706895555800000", id="digits are the shortest, padded with zeros"),
        pytest.param(1e21, "1e+21", id="from 1e21 on it has one"),
        pytest.param(0.000001, "0.000001", id="a small float has none"),
        pytest.param(1.5e-7, "1.5e-7", id="below 1e-6 it has one, without a zero before it"),
        pytest.param(1e-10, "1e-10", id="of as many digits as it needs"),
        pytest.param(-0.0, "-0", id="minus zero keeps its sign"),
        pytest.param(9.223372036854775808e18, "9223372036854776000", id="2^63 is its shortest digits and zeros"),
    ],
)
def test_values_are_marshalled_as_by_encoding_json(value: object, written: str) -> None:
    assert printing.marshal(value) == written


@given(JSON)
def test_marshalled_json_is_stable_when_read_back(value: object) -> None:
    """Values may change: a float beyond 2^53 is written with zeros and read back as an integer."""
    written = printing.marshal(value)
    read = json.loads(written, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))
    assert printing.marshal(read) == written


@given(JSON)
def test_respelled_json_equals_marshalled_json(value: JSONValue) -> None:
    assert printing.respell_json(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))) == (
        printing.marshal(value)
    )


@pytest.mark.parametrize(
    ("text", "marshalled"),
    [
        ('{"z":1.0}', '{"z":1}'),
        ('{"z":1e+16}', '{"z":10000000000000000}'),
        ('{"z":1e-07}', '{"z":1e-7}'),
        ('{"1.0":2.5,"1e5":"1e+16 \\" 1.0"}', '{"1.0":2.5,"1e5":"1e+16 \\" 1.0"}'),
        ('["a<b>&"]', r'["a\u003cb\u003e\u0026"]'),
    ],
)
def test_numbers_inside_strings_are_not_respelled(text: str, marshalled: str) -> None:
    assert printing.respell_json(text) == marshalled
