"""Conversion of unstructured JSON values to Go types."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.golang import converting, gotypes
from pytest_crd.server.builtin import builtingotypes


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (1.0, gotypes.INT64, 1),
        (2**70, gotypes.INT64, -(2**63)),
        (-1e300, gotypes.INT64, -(2**63)),
        (2**70, gotypes.INT32, 0),
        (2**40 + 5, gotypes.INT32, 5),
        (3e9, gotypes.INT32, -1294967296),
        (7.0, builtingotypes.INT_OR_STRING, 7),
        (1.50, builtingotypes.QUANTITY, "1500m"),
        ("YQ=\n=", gotypes.BYTES, "YQ=="),
        ([97, 354.0, None], gotypes.BYTES, [97, 98, None]),
        (None, gotypes.STRING, None),
    ],
)
def test_values_are_converted_to_their_go_type(value: Any, kind: gotypes.GoType, expected: Any) -> None:
    """Numbers wrap around to the bits of their type."""
    result = converting.convert(value, kind)

    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (7.5, builtingotypes.INT_OR_STRING, "json: cannot unmarshal number 7.5 into Go value of type int32"),
        ({}, builtingotypes.INT_OR_STRING, "json: cannot unmarshal object into Go value of type int32"),
        (5, builtingotypes.MICRO_TIME, "json: cannot unmarshal number into Go value of type string"),
        (5, gotypes.TIME, "json: cannot unmarshal number into Go value of type string"),
        ("Y", gotypes.BYTES, "error decoding from json: illegal base64 data at input byte 0"),
        (5, gotypes.BYTES, "cannot restore slice from int64"),
        (["x"], gotypes.BYTES, "unrecognized type: uint8"),
        ("x", gotypes.FLOAT64, "unrecognized type: float64"),
    ],
)
def test_values_of_another_type_are_refused(value: Any, kind: gotypes.GoType, words: str) -> None:
    with pytest.raises(converting.MistypedError) as error:
        converting.convert(value, kind)
    assert str(error.value) == words
