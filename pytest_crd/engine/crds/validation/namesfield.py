"""The names in a CustomResourceDefinition, each by itself: its group, its scope, and the names of its resources."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from pytest_crd.engine.crds.internalspec import InternalNames
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names

_Name: TypeAlias = Literal["plural", "singular", "kind", "listKind"]
_SCOPES: Final = ("Cluster", "Namespaced")
_REQUIRED: Final[tuple[_Name, ...]] = ("plural", "singular", "kind", "listKind")
_LABELS: Final[tuple[_Name, ...]] = ("plural", "singular")
_KINDS: Final[tuple[_Name, ...]] = ("kind", "listKind")
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "


def group(text: str, path: FieldPath) -> Errors:
    """
    Yield what is wrong with a CRD's group.

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
    Yield what is wrong with a CRD's scope.

    Errors:
        Required or NotSupported.
    """
    yield from one_of(text, _SCOPES, path)


def one_of(text: str, supported: tuple[str, ...], path: FieldPath) -> Errors:
    """Yield that one of some texts is required, or that *text* is none of them."""
    if not text:
        yield fielderror.required(path, "")
    elif text not in supported:
        yield fielderror.not_supported(path, text, supported)


def required(given: InternalNames, path: FieldPath) -> Errors:
    """Yield the names that a CRD lacks after all defaults."""
    for name in _REQUIRED:
        if not given.get(name):
            yield fielderror.required(path.child(name), "")


def malformed(given: InternalNames, path: FieldPath) -> Errors:
    """
    Yield what is wrong with the names that there are.

    Errors:
        Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionNames.
    """
    for name in _LABELS:
        text = given.get(name)
        if text and (problems := names.dns1035_label(text)):
            yield fielderror.invalid(path.child(name), text, ",".join(problems))
    for name in _KINDS:
        text = given.get(name)
        if text and (problems := names.dns1035_label(names.lower(text))):
            yield fielderror.invalid(path.child(name), text, _MIXED_CASE + ",".join(problems))
    for index, short_name in enumerate(given.get("shortNames") or ()):
        yield from label(short_name, path.child("shortNames").index(index))
    if given.get("kind") and given["kind"] == given.get("listKind"):
        yield fielderror.invalid(path.child("listKind"), given["listKind"], "kind and listKind may not be the same")
    for index, category in enumerate(given.get("categories") or ()):
        yield from label(category, path.child("categories").index(index))


def label(text: str, path: FieldPath) -> Errors:
    """Yield what is wrong with *text* as a label of DNS, all of it in one error."""
    if problems := names.dns1035_label(text):
        yield fielderror.invalid(path, text, ",".join(problems))
