"""Validation of `additionalPrinterColumns`, the columns that kubectl prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import Column
    from pytest_crd.engine.crds.validation import scalefield
else:
    scalefield = lazyimport.module("pytest_crd.engine.crds.validation.scalefield")


_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_ONE_OF_TYPES: Final = f"must be one of {','.join(_TYPES)}"
_ONE_OF_FORMATS: Final = f"must be one of {','.join(_FORMATS)}"


def validate(columns: list[Column], path: FieldPath) -> Iterator[FieldError]:
    """
    Yield the errors of the columns of one version, or of the columns that all versions share.

    Args:
        columns: `additionalPrinterColumns`.
        path: The path of the columns.

    Errors:
        Required and Invalid. They name the field `jsonPath` as `JSONPath`, its name in the server's internal form.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceColumnDefinition.
    """
    for index, column in enumerate(columns):
        yield from _column(column, path.index(index))


def _column(column: Column, path: FieldPath) -> Iterator[FieldError]:
    if not column.get("name"):
        yield fielderror.required(path.child("name"), "")
    type_, format_, json_path = column.get("type", ""), column.get("format", ""), column.get("jsonPath", "")
    if not type_:
        yield fielderror.required(path.child("type"), _ONE_OF_TYPES)
    elif type_ not in _TYPES:
        yield fielderror.invalid(path.child("type"), type_, _ONE_OF_TYPES)
    if format_ and format_ not in _FORMATS:
        yield fielderror.invalid(path.child("format"), format_, _ONE_OF_FORMATS)
    if not json_path:
        yield fielderror.required(path.child("JSONPath"), "")
    elif problem := scalefield.find_path_problem(json_path):
        yield fielderror.invalid(path.child("JSONPath"), json_path, problem)
