"""Values in Go syntax, as servers up to 1.32 print them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gosyntax

S = FieldPath(("s",))


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ({}, "map[string]interface {}{}"),
        (
            {"b": [1.5, None, {"c": "<"}], "a": 1e300},
            (
                'map[string]interface {}{"a":1e+300, "b":[]interface {}{1.5, interface {}(nil), '
                'map[string]interface {}{"c":"<"}}}'
            ),
        ),
        ([True, False, -3], "[]interface {}{true, false, -3}"),
    ],
)
def test_values_have_gos_notation(value: Any, printed: str) -> None:
    assert gosyntax.value(value) == printed


def test_the_notation_of_nil_can_be_set() -> None:
    assert gosyntax.value(None, null="apiextensions.JSON(nil)") == "apiextensions.JSON(nil)"


@pytest.mark.parametrize(("version", "printed"), [("1.37", '{"a":1}'), ("1.32", 'map[string]interface {}{"a":1}')])
def test_errors_print_values_in_the_notation_of_their_version(version: str, printed: str) -> None:
    error = badvalues.invalid(S, {"a": 1}, "must not", profile=profile.named(version))
    assert str(error) == f"s: Invalid value: {printed}: must not"
    assert error.bad_value == {"a": 1}


def test_unsupported_values_can_be_reprinted() -> None:
    error = badvalues.reprinted(fielderror.not_supported(S, "x", ["y"]), "printed")
    assert str(error) == 's: Unsupported value: printed: supported values: "y"'


def test_errors_without_detail_end_with_the_value() -> None:
    assert badvalues.reprinted(fielderror.duplicate(S, "x"), "printed").message == "Duplicate value: printed"
