"""Validation of `selectableFields`, the fields for field selectors of custom resources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.crds.internalspec import SelectableField
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema import schemapaths
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.schemapaths import PanicError, PathError, PathTarget
from pytest_crd.engine.schema.structural import Structural, UnsupportedConstructError

MAX: Final = 8

_TYPES: Final = ("string", "boolean", "integer")
_WRONG_TYPE: Final = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)
_NO_ANSWER: Final = "the API server breaks off without an answer on such a schema"


def validate(
    fields: Sequence[SelectableField],
    schema: OpenAPISchema | None,
    path: FieldPath,
    *,
    allow_too_many: bool,
) -> Iterator[FieldError]:
    """
    Yield the errors of the selectable fields of one version, or of all versions.

    Args:
        fields: `selectableFields`.
        schema: The `openAPIV3Schema` that they point into.
        path: The path of the fields.
        allow_too_many: Whether there may be more than eight, because the old CRD had too many.

    Errors:
        Required, Invalid, Duplicate and TooMany; Internal if the server itself fails, on a schema without a structural
        form.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceSelectableFields.
    """
    try:
        form = None if schema is None else schema.structural
    except UnsupportedConstructError as error:
        form = None
        parent = FieldPath(path.segments[:-1])
        yield fielderror.invalid(parent.child("schema", "openAPIV3Schema"), "", str(error))
    paths: set[str] = set()
    for index, field in enumerate(fields):
        yield from _field(field.get("jsonPath", ""), form, path.index(index).child("jsonPath"), paths)
    if len(paths) > MAX and not allow_too_many:
        yield fielderror.too_many(path, len(paths), MAX)


def _field(json_path: str, schema: Structural | None, path: FieldPath, paths: set[str]) -> Iterator[FieldError]:
    """Yield the errors of one field, and add its path to *paths*."""
    if not json_path:
        yield fielderror.required(path, "")
        return
    try:
        target = _find_target(json_path, schema)
    except PanicError:
        yield fielderror.internal(path, _NO_ANSWER)
        return
    except PathError as error:
        yield fielderror.invalid(path, json_path, f"is an invalid path: {error}")
        return
    if str(FieldPath(target.path.segments[:1])) == "metadata":
        yield fielderror.invalid(path, json_path, "must not point to fields in metadata")
    if target.schema is None or target.schema.type not in _TYPES:
        yield fielderror.invalid(path, json_path, _WRONG_TYPE)
    if str(target.path) in paths:
        yield fielderror.duplicate(path, json_path)
    paths.add(str(target.path))


def _find_target(json_path: str, schema: Structural | None) -> PathTarget:
    try:
        return schemapaths.find_target(json_path, schema or Structural(), array_notation=False)
    except PathError as error:
        if schema is None and json_path.startswith(".") and "field" in str(error):
            raise PanicError(str(error)) from None
        raise
