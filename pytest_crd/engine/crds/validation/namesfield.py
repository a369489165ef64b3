"""Validation of the names of a CustomResourceDefinition: group, scope, and the names of its resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import InternalNames


_Name: TypeAlias = Literal["plural", "singular", "kind", "listKind"]
_SCOPES: Final = ("Cluster", "Namespaced")
_REQUIRED: Final[tuple[_Name, ...]] = ("plural", "singular", "kind", "listKind")
_LABELS: Final[tuple[_Name, ...]] = ("plural", "singular")
_KINDS: Final[tuple[_Name, ...]] = ("kind", "listKind")
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "


def group(text: str, path: FieldPath) -> Errors:
    """
    Yield the errors of a CRD's group.

    Errors:
        Required or Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpec.
    """
    if not text:
        yield fielderror.required(path, "")
    elif problems := names.dns1123_subdomain(text):
        yield fielderror.invalid(path, text, ",".join(problems))
    elif "." not in text:
        yield fielderror.invalid(path, text, "should be a domain with at least one dot")


def scope(text: str, path: FieldPath) -> Errors:
    """
    Yield the errors of a CRD's scope.

    Errors:
        Required or NotSupported.
    """
    yield from validate_choice(text, _SCOPES, path)


def validate_choice(text: str, supported: tuple[str, ...], path: FieldPath) -> Errors:
    """Yield an error if *text* is empty or not a supported value."""
    if not text:
        yield fielderror.required(path, "")
    elif text not in supported:
        yield fielderror.not_supported(path, text, supported)


def required(names_field: InternalNames, path: FieldPath) -> Errors:
    """Yield an error for each name that is empty after defaulting."""
    for name in _REQUIRED:
        if not names_field.get(name):
            yield fielderror.required(path.child(name), "")


def malformed(names_field: InternalNames, path: FieldPath) -> Errors:
    """
    Yield the errors of all names that are not empty.

    Errors:
        Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionNames.
    """
    for name in _LABELS:
        text = names_field.get(name)
        if text and (problems := names.dns1035_label(text)):
            yield fielderror.invalid(path.child(name), text, ",".join(problems))
    for name in _KINDS:
        text = names_field.get(name)
        if text and (problems := names.dns1035_label(names.lower(text))):
            yield fielderror.invalid(path.child(name), text, _MIXED_CASE + ",".join(problems))
    for index, short_name in enumerate(names_field.get("shortNames") or ()):
        yield from label(short_name, path.child("shortNames").index(index))
    if names_field.get("kind") and names_field["kind"] == names_field.get("listKind"):
        yield fielderror.invalid(
            path.child("listKind"), names_field["listKind"], "kind and listKind may not be the same"
        )
    for index, category in enumerate(names_field.get("categories") or ()):
        yield from label(category, path.child("categories").index(index))


def label(text: str, path: FieldPath) -> Errors:
    """Yield one error with all problems of *text* as a DNS label."""
    if problems := names.dns1035_label(text):
        yield fielderror.invalid(path, text, ",".join(problems))
