"""Scalars are resolved as in the server's YAML; expectations are made by sigs.k8s.io/yaml."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import yamlscalar

_TAG = yamlscalar.TAG_PREFIX


def cases(table: list[tuple[str, str, object]]) -> list[object]:
    return [pytest.param(text, value, id=f"{law}: {text}") for law, texts, value in table for text in texts.split(" ")]


@pytest.mark.parametrize(
    ("text", "value"),
    cases(
        [
            ("true", "y Y yes Yes YES on On ON true True TRUE", True),
            ("false", "n N no No NO off Off OFF false False FALSE", False),
            ("null", " ~ null Null NULL", None),
            ("exponents make numbers", "1e3 1E3 1e+3 1.e3 1_e3 1000", 1000),
            ("exponents make numbers", "1.5e3", 1500),
            ("exponents make numbers", "12e03", 12000),
            ("exponents make numbers", "1_0e2", 1000),
            ("exponents make numbers", "1e-7", 1e-7),
            ("integral floats are integers", "1.0 1. 01e0 +1.0", 1),
            ("integral floats are integers", "5.", 5),
            ("integral floats are integers", "-0.0 -0 0 +0 00 0_", 0),
            ("integral floats are integers", "1e18", 10**18),
            ("integral floats are written by their shortest digits", "9223372036854774784.0", 9223372036854775000),
            ("integral floats are written by their shortest digits", "9007199254740993.0", 9007199254740992),
            ("beyond int64 by its shortest digits", "-9223372036854775808.0", -(2.0**63)),
            ("beyond int64", "9223372036854775808 0x8000000000000000", 2.0**63),
            ("beyond int64", "18446744073709551615 0xffffffffffffffff +18446744073709551615", 2.0**64),
            ("beyond int64", "18446744073709551616", 2.0**64),
            ("beyond int64", "1e21", 1e21),
            ("the ends of int64", "9223372036854775807", 2**63 - 1),
            ("the ends of int64", "-9223372036854775808", -(2**63)),
            ("leading points", ".5 +.5 0.5", 0.5),
            ("leading points", "-.5", -0.5),
            ("leading points", ".6_1 0.61", 0.61),
            ("octal", "0777 0o777 0O777", 511),
            ("octal", "014 0o14 0O14 0_14", 12),
            ("binary", "0b11 0B11 0b1_1", 3),
            ("binary with a sign inside", "0b-11 -0b11", -3),
            ("binary with a sign inside", "0b+1", 1),
            ("binary with a sign inside", "0b-0", 0),
            ("hexadecimal", "0x1f 0X1F 0x_1F +0x1f", 31),
            ("hexadecimal", "-0x1f", -31),
            ("no octal, but a float", "08 0_8", 8),
            ("no octal, but a float", "089", 89),
            ("underscores", "1_000 1__000 +1000_", 1000),
            ("underscores", "1__0", 10),
            ("underscores", "1_0.5", 10.5),
        ]
    ),
)
def test_plain_scalars_are_resolved_as_in_the_server(text: str, value: object) -> None:
    assert jsonvalue.equal(yamlscalar.value(text), value)


@pytest.mark.parametrize(
    ("text", "value"),
    cases(
        [
            ("beyond float64", "1e400 -1e400", None),
            ("base 60", "1:30 190:20:30 1:30.5", None),
            ("dates", "2001-01-01 2001-02-30 2001-12-14t21:59:43.10-05:00", None),
            ("marks", "= << + - . .. -.", None),
            ("misplaced underscores", "_1 ._6 .6_ .6__1", None),
            ("digits missing", "0x 0b 0o 1e 1e+ e3 .e3", None),
            ("digits of another base", "0b2 0xg 08x 0x1p3 0b--1 -0b+1 1.2.3 \u0661", None),
            ("words in other letters", "tRUE nULL yEs inf nan NaN -.Nan", None),
        ]
    ),
)
def test_other_scalars_are_strings(text: str, value: None) -> None:
    assert yamlscalar.value(text) == text


@pytest.mark.parametrize("text", ["0b-" + "1" * 64, "1" * 5000], ids=["a binary number", "a decimal number"])
def test_too_many_digits_make_a_string(text: str) -> None:
    assert yamlscalar.value(text) == text


def test_leading_zeros_are_read_without_a_limit() -> None:
    """Python refuses to read more than 4300 digits; leading zeros make such a number of the octal 7."""
    assert yamlscalar.value("0" * 5000 + "7") == 7


@pytest.mark.parametrize(
    ("text", "printed"),
    cases(
        [
            ("infinity", ".inf .Inf .INF +.inf +.Inf +.INF", "+Inf"),
            ("minus infinity", "-.inf -.Inf -.INF", "-Inf"),
            ("not a number", ".nan .NaN .NAN", "NaN"),
        ]
    ),
)
def test_infinity_and_nan_are_refused(text: str, printed: str) -> None:
    with pytest.raises(yamlscalar.ScalarError, match=f"^json: unsupported value: {printed.replace('+', '[+]')}$"):
        yamlscalar.value(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1", "1"),
        ("0777", "511"),
        ("-0", "0"),
        ("1.5", "1.5"),
        ("1.0", "1"),
        ("-0.0", "-0"),
        ("1e3", "1000"),
        ("100000.0", "100000"),
        ("1e6", "1e+06"),
        ("123456789.5", "1.2345679e+08"),
        ("8777500331.07", "8.777501e+09"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("0.1", "0.1"),
        ("3.5e38", ".inf"),
        ("-3.5e38", "-.inf"),
        ("1e-46", "0"),
        (".inf", ".inf"),
        ("-.inf", "-.inf"),
        (".nan", ".nan"),
        ("on", "true"),
        ("y", "true"),
        ("no", "false"),
        ("2001-01-01", "2001-01-01"),
        ("a", "a"),
    ],
)
def test_a_key_is_the_text_of_its_value(text: str, key: str) -> None:
    assert yamlscalar.key(text) == key


@pytest.mark.parametrize(
    ("text", "message"),
    [("~", "null cannot be a key"), ("9223372036854775808", "unsupported map key of type: uint64")],
    ids=["null", "beyond int64"],
)
def test_keys_that_json_cannot_hold_are_refused(text: str, message: str) -> None:
    with pytest.raises(yamlscalar.ScalarError, match=message):
        yamlscalar.key(text)


@pytest.mark.parametrize(
    ("tag", "text", "native"),
    [
        (_TAG + "str", "12", "12"),
        (_TAG + "int", "0x1f", 31),
        (_TAG + "float", "1", 1.0),
        (_TAG + "float", "1.5", 1.5),
        (_TAG + "bool", "yes", True),
        (_TAG + "null", "", None),
        (_TAG + "timestamp", "2001-01-01", "2001-01-01"),
        (_TAG + "timestamp", "0000-02-29", "0000-02-29"),
        (_TAG + "timestamp", "2001-1-1T1:2:3,5Z", "2001-1-1T1:2:3,5Z"),
        (_TAG + "timestamp", "2001-01-01t1:02:03+24:60", "2001-01-01t1:02:03+24:60"),
        (_TAG + "timestamp", "2001-01-01 1:2:3.123", "2001-01-01 1:2:3.123"),
        (_TAG + "binary", "aGk=", "hi"),
        (_TAG + "binary", "aG\nk=", "hi"),
        (_TAG + "binary", "4oL/", "\ufffd\ufffd\ufffd"),
        (_TAG + "map", "12", "12"),
        (_TAG + "merge", "x", "x"),
        ("!", "12", "12"),
        ("!custom", "12", "12"),
        ("int", "12", "12"),
    ],
)
def test_tags_decide_the_type(tag: str, text: str, native: object) -> None:
    resolved = yamlscalar.resolve_tagged(text, tag)
    assert (type(resolved), resolved) == (type(native), native)


@pytest.mark.parametrize(
    ("tag", "text", "message"),
    [
        ("int", "x", "cannot decode !!str `x` as a !!int"),
        ("int", "1.5", "cannot decode !!float `1.5` as a !!int"),
        ("null", "x", "cannot decode !!str `x` as a !!null"),
        ("bool", "1", "cannot decode !!int `1` as a !!bool"),
        ("float", "yes", "cannot decode !!bool `yes` as a !!float"),
        ("float", "9223372036854775808", "cannot decode !!int `9223372036854775808` as a !!float"),
        ("float", "", "cannot decode !!null `` as a !!float"),
        ("binary", "aGk", "!!binary value contains invalid base64 data"),
        ("binary", "é", "!!binary value contains invalid base64 data"),
        ("timestamp", "12", "cannot decode !!int `12` as a !!timestamp"),
        ("timestamp", "2001-02-30", "cannot decode !!str `2001-02-30` as a !!timestamp"),
        ("timestamp", "2001-01-01T24:00:00Z", "cannot decode !!str `2001-01-01T24:00:00Z` as a !!timestamp"),
        ("timestamp", "2001-01-01 1:2:3Z", "cannot decode !!str `2001-01-01 1:2:3Z` as a !!timestamp"),
        ("timestamp", "2001-01-01T1:2:3", "cannot decode !!str `2001-01-01T1:2:3` as a !!timestamp"),
        ("timestamp", "2001-01-01T1:2:3+25:00", "cannot decode !!str `2001-01-01T1:2:3+25:00` as a !!timestamp"),
    ],
)
def test_scalars_that_do_not_fit_their_tag_are_refused(tag: str, text: str, message: str) -> None:
    with pytest.raises(yamlscalar.ScalarError) as caught:
        yamlscalar.resolve_tagged(text, _TAG + tag)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("native", "printed"),
    [
        ("a", '"a"'),
        ("a`b\u200b", '"a`b\\u200b"'),
        (1, "1"),
        (2**63, "0x8000000000000000"),
        (True, "true"),
        (None, "interface {}(nil)"),
        (1.5, "1.5"),
        (1e6, "1e+06"),
        (8777500331.07, "8.77750033107e+09"),
        (-math.inf, "-Inf"),
    ],
)
def test_a_key_is_printed_as_go_prints_it(native: yamlscalar.Native, printed: str) -> None:
    assert yamlscalar.go_syntax(native) == printed


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(1e-45)
@example(3.4025001647762064e38)
def test_the_key_of_a_float32_reads_back_as_that_float32(number: float) -> None:
    """The digits identify the number among its neighbours."""
    text = yamlscalar.to_key(number)
    assert struct.pack("f", float(text)) == struct.pack("f", number)


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
def test_an_int64_is_read_in_every_base(number: int) -> None:
    for text in (f"{number}", f"{number:#x}", f"{number:#o}", f"{number:#b}"):
        assert yamlscalar.value(text) == number
