"""Validation of managed fields; `registry.fieldmanager` computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

_OPERATIONS: Final = ("Apply", "Update")
_MAX_MANAGER: Final = 128
_MAX_SUBRESOURCE: Final = 256


def validate(entries: Sequence[JSONValue], path: FieldPath, profile: Profile) -> list[FieldError]:
    """
    Validate managed fields.

    Args:
        entries: Decoded entries: objects whose fields have the right types.
        path: The path of the list.
        profile: Older versions word an unknown operation differently.

    Errors:
        Required, NotSupported, Invalid, TooLong: The operation, the type of the fields, the manager or the subresource is invalid.

    Reference:
        apimachinery apis/meta/v1/validation/validation.go, ValidateManagedFields.
    """
    errors: list[FieldError] = []
    for position, entry in enumerate(entries):
        if not _is_usual(entry):
            errors += _validate_entry(entry, path.index(position), profile)
    return errors


def _is_usual(entry: JSONValue) -> bool:
    """Return True if an entry is valid at first sight; other entries may be valid, too."""
    manager, subresource = entry.get("manager") or "", entry.get("subresource") or ""
    return (
        entry.get("operation") in _OPERATIONS
        and entry.get("fieldsType") == "FieldsV1"
        and (len(manager) <= _MAX_MANAGER and manager.isascii() and manager.isprintable())
        and (len(subresource) <= _MAX_SUBRESOURCE and subresource.isascii())
    )


def _validate_entry(entry: JSONValue, place: FieldPath, profile: Profile) -> list[FieldError]:
    errors = _operation(_text(entry, "operation"), place.child("operation"), profile)
    fields_type = _text(entry, "fieldsType")
    if fields_type not in ("", "FieldsV1"):
        errors.append(fielderror.invalid(place.child("fieldsType"), fields_type, "must be `FieldsV1`"))
    errors += validate_manager(_text(entry, "manager"), place.child("manager"), profile)
    if profile.has_managed_subresources and len(_text(entry, "subresource").encode()) > _MAX_SUBRESOURCE:
        errors.append(too_long(place.child("subresource"), _MAX_SUBRESOURCE, profile))
    return errors


def too_long(path: FieldPath, max_length: int, profile: Profile) -> FieldError:
    """Return the error for a value with more than *max_length* bytes, in the words of the version."""
    if profile.words_limits_as_may_not_be:
        return fielderror.too_long(path, max_length)
    return FieldError(ErrorType.TOO_LONG, str(path), "", f"must have at most {max_length} bytes", path=path)


def _operation(operation: str, path: FieldPath, profile: Profile) -> list[FieldError]:
    if operation in _OPERATIONS:
        return []
    # Go marshals this string type, and quotes plain strings.
    printed = printing.marshal(operation) if profile.prints_values_as_json else printing.quote(operation)
    if not profile.lists_managed_operations:
        return [badvalues.invalid_as(path, operation, printed, "must be `Apply` or `Update`")]
    if not operation:
        return [fielderror.required(path, "must not be empty")]
    return [badvalues.reprinted(fielderror.not_supported(path, operation, _OPERATIONS), printed)]


def validate_manager(manager: str, path: FieldPath, profile: Profile) -> list[FieldError]:
    """
    Validate the name of a field manager.

    Args:
        manager: The name.
        path: The path of the name.
        profile: The reproduced Kubernetes version.

    Errors:
        TooLong, Invalid.

    Reference:
        apimachinery apis/meta/v1/validation/validation.go, ValidateFieldManager.
    """
    errors = [too_long(path, _MAX_MANAGER, profile)] if len(manager.encode()) > _MAX_MANAGER else []
    position = 0
    for char in "" if manager.isascii() and manager.isprintable() else manager:
        if not printing.is_printable(char):
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            errors.append(fielderror.invalid(path, manager, detail))
        position += len(char.encode())
    return errors


def _text(entry: JSONValue, field: str) -> str:
    return str(entry.get(field) or "")
