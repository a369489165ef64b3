"""Facts about numbers in value validation: how servers compare, divide and print them."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.values import numberkeywords, valuevalidation


def find_errors(schema: dict[str, JSONValue], value: JSONValue, version: str = "1.37") -> list[str]:
    validator = valuevalidation.compile({"properties": {"a": schema}}, profile.named(version))
    return [str(error) for error in validator.create({"a": value})]


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        pytest.param({"maximum": 4}, 5, "should be less than or equal to 4", id="above a maximum"),
        pytest.param(
            {"maximum": 4, "exclusiveMaximum": True}, 4, "should be less than 4", id="at an exclusive maximum"
        ),
        pytest.param({"minimum": 4}, 3, "should be greater than or equal to 4", id="below a minimum"),
        pytest.param(
            {"minimum": 4, "exclusiveMinimum": True}, 4, "should be greater than 4", id="at an exclusive minimum"
        ),
        pytest.param({"maximum": 1.5}, 1.75, "should be less than or equal to 1.5", id="a float above a maximum"),
        pytest.param({"maximum": 1.5}, 2, "should be less than or equal to 1", id="an integer above the whole part"),
        pytest.param(
            {"maximum": 1e19},
            1,
            "should be less than or equal to -9223372036854775808",
            id="a limit beyond int64 overflows",
        ),
        pytest.param({"multipleOf": 3}, 4, "should be a multiple of 3", id="no multiple"),
        pytest.param({"multipleOf": 2.5}, 7.25, "should be a multiple of 2.5", id="no float multiple"),
        pytest.param({"multipleOf": 2.5}, 3, "should be a multiple of 2", id="an integer is divided by the whole part"),
    ],
)
def test_a_number_without_a_type_is_compared_in_its_go_type(
    schema: dict[str, JSONValue], value: float, words: str
) -> None:
    assert find_errors(schema, value) == [f"a: Invalid value: {value}: a in body {words}"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"maximum": 1.5}, 1, id="an integer at the whole part of a maximum"),
        pytest.param({"multipleOf": 0.1}, 0.3, id="three tenths are a multiple of a tenth"),
        pytest.param({"multipleOf": 3}, -6, id="negative multiples"),
        pytest.param({"type": "number", "format": "int32"}, 2**40, id="a format of integers does not bound numbers"),
        pytest.param({"type": "number", "format": "float"}, 3.4e38, id="the largest float32"),
        pytest.param({"type": "number", "format": "double"}, 1e300, id="a double is any number"),
        pytest.param({"type": "integer", "format": "int32"}, 2**31 - 1, id="the largest int32"),
        pytest.param({"type": "integer", "format": "int64"}, -(2**63), id="the smallest int64"),
    ],
)
def test_valid_numbers_have_no_errors(schema: dict[str, JSONValue], value: float) -> None:
    assert find_errors(schema, value) == []


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"type": "integer", "format": "int32"},
            2**31,
            ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a'],
            id="beyond int32",
        ),
        pytest.param(
            {"type": "number", "format": "float"},
            3.5e38,
            ['<nil>: Invalid value: "": Checked value must be of type number with format float in a'],
            id="beyond float32",
        ),
        pytest.param(
            {"type": "integer", "maximum": 1.5},
            1,
            ['<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in a'],
            id="a limit that no value of the type can have",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1.5},
            1,
            [
                '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in a',
                "a: Invalid value: 1: a in body should be greater than or equal to 1.5",
            ],
            id="it is compared with all the same, as a float",
        ),
        pytest.param(
            {"type": "integer", "multipleOf": 2.5},
            4,
            [
                '<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in a',
                "a: Invalid value: 4: a in body should be a multiple of 2.5",
            ],
            id="a factor that is none",
        ),
        pytest.param(
            {"type": "integer", "maximum": 0.5},
            1.0,
            [
                '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in a',
                "a: Invalid value: 1: a in body should be less than or equal to 0.5",
            ],
            id="a whole float is compared as a float",
        ),
        pytest.param(
            {"multipleOf": -2},
            4,
            ["a: Invalid value: -2: factor MultipleOf declared for a must be positive: -2"],
            id="a negative factor",
        ),
        pytest.param(
            {"multipleOf": 0.5},
            4,
            ["a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0"],
            id="the whole part of a factor can be zero",
        ),
        pytest.param(
            {"multipleOf": 2, "minimum": 5, "maximum": 1},
            3,
            [
                "a: Invalid value: 3: a in body should be a multiple of 2",
                "a: Invalid value: 3: a in body should be greater than or equal to 5",
                "a: Invalid value: 3: a in body should be less than or equal to 1",
            ],
            id="multiple, minimum and maximum, in this order",
        ),
    ],
)
def test_errors_about_numbers_are_those_of_a_server(
    schema: dict[str, JSONValue], value: float, expected: list[str]
) -> None:
    assert find_errors(schema, value) == expected


def test_1_21_panics_when_it_divides_by_zero() -> None:
    [text] = find_errors({"multipleOf": 0.5}, 4, "1.21")
    assert text.startswith("<nil>: Internal error: the server panics: integer divide by zero")


def test_1_21_panics_even_in_a_branch_that_does_not_matter() -> None:
    """The second branch alone decides, but the server also validates the first."""
    [text] = find_errors({"oneOf": [{"type": "string", "multipleOf": 0.5}, {"minimum": 1}]}, 4, "1.21")
    assert text.startswith("<nil>: Internal error: the server panics")


def test_1_21_divides_floats_by_zero() -> None:
    assert find_errors({"multipleOf": 0}, 1.5, "1.21") == ["a: Invalid value: 1.5: a in body should be a multiple of 0"]


@pytest.mark.parametrize(
    ("value", "rounding", "truncating"),
    [
        pytest.param(5.0, True, True, id="an integer"),
        pytest.param(-5.0, True, True, id="a negative integer"),
        pytest.param(5.0000000001, True, True, id="just above"),
        pytest.param(4.9999999999, True, False, id="just below"),
        pytest.param(-5.0000000001, True, False, id="near a negative one"),
        pytest.param(1e-12, False, False, id="near zero"),
        pytest.param(0.5, False, False, id="a half"),
        pytest.param(-2.5, False, False, id="a negative half"),
        pytest.param(2.0**53, False, False, id="beyond what a float64 holds exactly"),
        pytest.param(float("inf"), False, False, id="infinity"),
    ],
)
def test_numbers_near_integers_count_as_integers(value: float, *, rounding: bool, truncating: bool) -> None:
    assert numberkeywords.is_whole(value, profile.named("1.37")) == rounding
    assert numberkeywords.is_whole(value, profile.named("1.36")) == truncating
