"""Validation of the fields of a CustomResourceDefinition with paths into objects: `scale`, and the columns that kubectl prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import Column, InternalSubresources

_UNDER: Final[dict[Literal["specReplicasPath", "statusReplicasPath"], str]] = {
    "specReplicasPath": ".spec",
    "statusReplicasPath": ".status",
}
_SELECTOR_UNDER: Final = (".spec.", ".status.")
_SELECTOR_DETAIL: Final = "should be a json path under either .spec or .status"


def validate_scale(
    subresources: InternalSubresources | None, path: FieldPath, profile: Profile
) -> Iterator[FieldError]:
    """
    Yield the errors of the subresources of one version, or of all versions.

    Args:
        subresources: `subresources`; None if there are none.
        path: The path of the subresources.
        profile: The Kubernetes version.

    Errors:
        Required and Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionSubresources.
    """
    scale = None if subresources is None else subresources.get("scale")
    if scale is None:
        return
    scale_path = path.child("scale")
    for field, under in _UNDER.items():
        text = scale.get(field, "")
        if not text:
            yield fielderror.required(scale_path.child(field), "")
        elif problem := find_path_problem(text):
            yield fielderror.invalid(scale_path.child(field), text, problem)
        elif not text.startswith(f"{under}."):
            yield fielderror.invalid(scale_path.child(field), text, f"should be a json path under {under}")
    if selector := scale.get("labelSelectorPath"):
        yield from _selector(selector, scale_path.child("labelSelectorPath"), profile)


def _selector(text: str, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    if problem := find_path_problem(text):
        yield fielderror.invalid(path, text, problem)
    elif not text.startswith(_SELECTOR_UNDER):
        yield badvalues.invalid_of_type(path, text, internaltypes.STRING_POINTER, _SELECTOR_DETAIL, profile)


def find_path_problem(path: str) -> str:
    """
    Return the error message about a path that is not empty; empty if it is valid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateSimpleJSONPath, which checks nothing else.
    """
    return "" if path.startswith(".") else "must be a simple json path starting with ."


_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_ONE_OF_TYPES: Final = f"must be one of {','.join(_TYPES)}"
_ONE_OF_FORMATS: Final = f"must be one of {','.join(_FORMATS)}"


def validate_columns(columns: list[Column], path: FieldPath) -> Iterator[FieldError]:
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
    elif problem := find_path_problem(json_path):
        yield fielderror.invalid(path.child("JSONPath"), json_path, problem)
