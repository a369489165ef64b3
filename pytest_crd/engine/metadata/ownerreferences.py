"""Validation and deduplication of owner references."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gosyntax, printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

_STRINGS: Final = {"apiVersion": "APIVersion", "kind": "Kind", "name": "Name", "uid": "UID"}
_POINTERS: Final = {"controller": "Controller", "blockOwnerDeletion": "BlockOwnerDeletion"}
_DUPLICATES: Final = (
    ".metadata.ownerReferences contains duplicate entries{after}; API server dedups owner references in 1.20+, and may reject"
    " such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)


class Reading(enum.IntEnum):
    """
    The number of times that the server has read the owner references of one request.

    Versions that print Go syntax print another pointer address each time, so that otherwise equal errors differ.
    """

    FIRST = 0
    SECOND = 1
    THIRD = 2


def validate(
    references: Sequence[JSONValue], path: FieldPath, profile: Profile, reading: Reading = Reading.FIRST
) -> list[FieldError]:
    """
    Validate owner references.

    Args:
        references: Decoded owner references: objects whose fields have the right types.
        path: The path of the list.
        profile: Older versions name neither the index nor the type of the errors.
        reading: The number of times the server has read them.

    Errors:
        Required, Invalid: A field is missing or malformed, an Event is the owner, or there is a second controller.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateOwnerReferences.
    """
    errors: list[FieldError] = []
    first_controller = ""
    for position, reference in enumerate(references):
        place = path.index(position) if profile.indexes_owner_references else path
        errors += _fields(reference, place, profile)
        if _is_event(reference):
            printed = _printed(reference, profile, reading)
            errors.append(
                badvalues.invalid_as(place, reference, printed, "/v1, Kind=Event is disallowed from being an owner")
            )
        if reference.get("controller"):
            controller = _text(reference, "name")
            if profile.names_controllers_by_kind:
                controller = f"{_text(reference, 'kind')}/{controller}"
            if first_controller:
                detail = f'Found "true" in references for {first_controller} and {controller}'
                detail = f"Only one reference can have Controller set to true. {detail}"
                errors.append(
                    badvalues.invalid_as(path, references, _all_printed(references, profile, reading), detail)
                )
            else:
                first_controller = controller
    return errors


def deduplicate(
    references: Sequence[JSONValue], *, is_patched: bool = False
) -> tuple[list[JSONValue], tuple[str, ...]]:
    """
    Return owner references without duplicates, and the warnings about them.

    Args:
        references: Decoded owner references; not modified.
        is_patched: Whether they come from a patch, which the server's warning attributes to admission.

    Reference:
        apiserver endpoints/handlers/rest.go, dedupOwnerReferencesAndAddWarning.
    """
    distinct: list[JSONValue] = []
    duplicates: list[str] = []
    for reference in references:
        if any(jsonvalue.equal(reference, known_reference) for known_reference in distinct):
            duplicates.append(_text(reference, "uid"))
        else:
            distinct.append(reference)
    after = " after mutating admission happens" if is_patched else ""
    return distinct, (_DUPLICATES.format(after=after) + ", ".join(duplicates),) if duplicates else ()


def group_version_problem(api_version: str) -> str:
    """
    Return Go's message for a malformed apiVersion; empty if it parses.

    Reference:
        apimachinery runtime/schema/group_version.go, ParseGroupVersion.
    """
    return f"unexpected GroupVersion string: {api_version}" if api_version.count("/") > 1 else ""


def _fields(reference: JSONValue, path: FieldPath, profile: Profile) -> list[FieldError]:
    errors: list[FieldError] = []
    api_version = _text(reference, "apiVersion")
    if not _has_version(api_version):
        place = path.child("apiVersion")
        if not profile.indexes_owner_references:
            errors.append(fielderror.invalid(place, api_version, "version must not be empty"))
        elif api_version:
            errors.append(fielderror.invalid(place, api_version, "must be <group>/<version> or <version>"))
        else:
            errors.append(fielderror.required(place, "must not be empty"))
    for field in ("kind", "name", "uid"):
        if _text(reference, field):
            continue
        if profile.indexes_owner_references:
            errors.append(fielderror.required(path.child(field), "must not be empty"))
        else:
            detail = f"{field} must not be empty" if profile.names_empty_owner_fields else "must not be empty"
            errors.append(fielderror.invalid(path.child(field), "", detail))
    return errors


def _has_version(api_version: str) -> bool:
    return not group_version_problem(api_version) and bool(api_version.rpartition("/")[2])


def _is_event(reference: JSONValue) -> bool:
    return _text(reference, "kind") == "Event" and _text(reference, "apiVersion") in ("v1", "/v1")


def _text(reference: JSONValue, field: str) -> str:
    return str(reference.get(field) or "")


def _all_printed(references: Sequence[JSONValue], profile: Profile, reading: Reading) -> str:
    printed = [_printed(reference, profile, reading) for reference in references]
    if profile.prints_values_as_json:
        return f"[{','.join(printed)}]"
    return f"[]v1.OwnerReference{{{', '.join(printed)}}}"


def _printed(reference: JSONValue, profile: Profile, reading: Reading) -> str:
    """Return a reference as printed for its Go struct, fields in order of their declaration."""
    if profile.prints_values_as_json:
        fields = [f'"{field}":{printing.marshal(_text(reference, field))}' for field in _STRINGS]
        fields += [
            f'"{field}":{printing.marshal(reference[field])}' for field in _POINTERS if reference.get(field) is not None
        ]
        return f"{{{','.join(fields)}}}"
    fields = [f"{name}:{printing.quote(_text(reference, field))}" for field, name in _STRINGS.items()]
    for field, name in _POINTERS.items():
        pointer = "nil" if reference.get(field) is None else f"{int(gosyntax.ADDRESS, 16) + 16 * reading:#x}"
        fields.append(f"{name}:(*bool)({pointer})")
    return f"v1.OwnerReference{{{', '.join(fields)}}}"
