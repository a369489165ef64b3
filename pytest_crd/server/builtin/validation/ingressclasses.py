"""
Validation of IngressClasses.

Reference:
    kubernetes pkg/apis/networking/validation, ValidateIngressClass and ValidateIngressClassUpdate; apimachinery
    util/validation, IsDomainPrefixedPath.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import fieldrules, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation

_LONGEST: Final = 250
_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_IS_PATH: Final = lazyre.compile(_PATH)


def _validate_controller(site: Site) -> Iterator[FieldError]:
    """Validate a path after a domain."""
    text = site.value or ""
    if len(text.encode()) > _LONGEST:
        yield fielderror.too_long(site.path, _LONGEST)
    if not text:
        yield fielderror.required(site.path, "")
        return
    host, _, path = text.partition("/")
    if not host or not path:
        yield site.invalid('must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from (fielderror.invalid(site.path, host, detail) for detail in names.dns1123_subdomain(host))
    if not _IS_PATH.fullmatch(path):
        yield fielderror.invalid(site.path, path, f"Invalid path (regex used for validation is '{_PATH}')")


def _validate_namespace(site: Site) -> Iterator[FieldError]:
    """Validate that the scope `Namespace` has a namespace, and `Cluster` none."""
    scope, namespace = site.value.get("scope"), site.child("namespace")
    if scope == "Cluster" and namespace.value is not None:
        yield fielderror.forbidden(namespace.path, "`parameters.scope` is set to 'Cluster'")
    elif scope == "Namespace" and namespace.value is None:
        yield fielderror.required(namespace.path, "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from fieldrules.LABEL(namespace)


_NAMES: Final = ("kind", "name")
_PARAMETERS: Final = fieldrules.fields({
    "apiGroup": fieldrules.SUBDOMAIN,
    **dict.fromkeys(_NAMES, fieldrules.first(fieldrules.required(), fieldrules.text(names.path_segment))),
    "scope": fieldrules.choice("Cluster", "Namespace"),
    "": _validate_namespace,
})  # fmt: skip
_FIELDS: Final = fieldrules.table({
    "spec.controller": _validate_controller,
    "spec.parameters": fieldrules.present(_PARAMETERS),
})  # fmt: skip
_DECLARED: Final = fieldrules.table({
    "spec.parameters": fieldrules.present(fieldrules.fields(dict.fromkeys(_NAMES, fieldrules.required())))
})  # fmt: skip
_validate_object: Final = validatedwrites.chain(validatedwrites.validate_core_metadata, _FIELDS)
KIND: Final = KindValidation(
    _validate_object,
    validatedwrites.chain(
        validatedwrites.validate_core_change,
        fieldrules.table({"spec.controller": fieldrules.immutable}),
        _validate_object,
    ),
    declared=_DECLARED,
)
