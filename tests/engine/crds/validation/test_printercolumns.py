"""Columns that kubectl prints."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.crds.validation import pathfields
from pytest_crd.engine.fieldpath import FieldPath

PATH = FieldPath(("c",))
VALID = {"name": "A", "type": "string", "jsonPath": ".a"}
TYPES = "must be one of boolean,date,integer,number,string"


def _errors(*columns: Any) -> list[str]:
    return [str(error) for error in pathfields.validate_columns(list(columns), PATH)]


def test_valid_columns_and_none_are_accepted() -> None:
    assert _errors(VALID, VALID | {"type": "date", "format": "date-time", "priority": 1}) == []
    assert _errors() == []


def test_name_type_and_path_are_required() -> None:
    assert _errors(VALID, {}) == [
        "c[1].name: Required value",
        f"c[1].type: Required value: {TYPES}",
        "c[1].JSONPath: Required value",
    ]


@pytest.mark.parametrize(
    ("column", "error"),
    [
        ({"type": "object"}, f'c[0].type: Invalid value: "object": {TYPES}'),
        (
            {"format": "ipv4"},
            'c[0].format: Invalid value: "ipv4": must be one of byte,date,date-time,double,float,int32,int64,password',
        ),
        ({"jsonPath": "a"}, 'c[0].JSONPath: Invalid value: "a": must be a simple json path starting with .'),
    ],
)
def test_unknown_types_formats_and_paths_are_refused(column: Any, error: str) -> None:
    assert _errors(VALID | column) == [error]
