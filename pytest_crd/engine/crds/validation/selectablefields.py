"""The fields by which custom resources can be selected: what `selectableFields` may name."""

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


def find(
    fields: Sequence[SelectableField],
    schema: OpenAPISchema | None,
    path: FieldPath,
    *,
    allow_too_many: bool,
) -> Iterator[FieldError]:
    """
    Yield what is wrong with the selectable fields of one version, or with those of all versions.

    Args:
        fields: `selectableFields`.
        schema: The `openAPIV3Schema` into which they point.
        path: Where they stand.
        allow_too_many: Whether there may be more than eight, because there were before.

    Errors:
        Required, Invalid, Duplicate and TooMany; Internal where the server itself fails, on a schema without a structural
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
    seen: set[str] = set()
    for index, field in enumerate(fields):
        yield from _field(field.get("jsonPath", ""), form, path.index(index).child("jsonPath"), seen)
    if len(seen) > MAX and not allow_too_many:
        yield fielderror.too_many(path, len(seen), MAX)


def _field(json_path: str, schema: Structural | None, path: FieldPath, seen: set[str]) -> Iterator[FieldError]:
    """Yield what is wrong with one field, and add it to those *seen*."""
    if not json_path:
        yield fielderror.required(path, "")
        return
    try:
        found = _found(json_path, schema)
    except PanicError:
        yield fielderror.internal(path, _NO_ANSWER)
        return
    except PathError as error:
        yield fielderror.invalid(path, json_path, f"is an invalid path: {error}")
        return
    if str(FieldPath(found.path.segments[:1])) == "metadata":
        yield fielderror.invalid(path, json_path, "must not point to fields in metadata")
    if found.schema is None or found.schema.type not in _TYPES:
        yield fielderror.invalid(path, json_path, _WRONG_TYPE)
    if str(found.path) in seen:
        yield fielderror.duplicate(path, json_path)
    seen.add(str(found.path))


def _found(json_path: str, schema: Structural | None) -> PathTarget:
    try:
        return schemapaths.find(json_path, schema or Structural(), array_notation=False)
    except PathError as error:
        if schema is None and json_path.startswith(".") and "field" in str(error):
            raise PanicError(str(error)) from None
        raise
