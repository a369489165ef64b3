"""Values in Go's syntax, as servers up to 1.32 print them."""

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
def test_values_are_written_as_go_writes_them(value: Any, printed: str) -> None:
    assert gosyntax.value(value) == printed


def test_what_stands_for_nil_depends_on_the_type_around_it() -> None:
    assert gosyntax.value(None, null="apiextensions.JSON(nil)") == "apiextensions.JSON(nil)"


@pytest.mark.parametrize(("version", "printed"), [("1.37", '{"a":1}'), ("1.32", 'map[string]interface {}{"a":1}')])
def test_an_error_prints_its_value_as_its_version_does(version: str, printed: str) -> None:
    error = badvalues.invalid(S, {"a": 1}, "must not", profile=profile.named(version))
    assert str(error) == f"s: Invalid value: {printed}: must not"
    assert error.bad_value == {"a": 1}


def test_an_unsupported_value_may_be_printed_in_its_own_way_too() -> None:
    error = badvalues.reprinted(fielderror.not_supported(S, "x", ["y"]), "printed")
    assert str(error) == 's: Unsupported value: printed: supported values: "y"'


def test_an_error_without_a_detail_ends_with_the_value() -> None:
    assert badvalues.reprinted(fielderror.duplicate(S, "x"), "printed").message == "Duplicate value: printed"
