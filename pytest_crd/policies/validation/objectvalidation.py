"""
Validation of policies and bindings: of a create, an update, and an update of the status.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go; registry/admissionregistration/*/strategy.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import objectmetarules
from pytest_crd.engine.metadata.objectmetarules import DNS_SUBDOMAIN, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import MUTATING, VALIDATING, VALIDATING_BINDING
from pytest_crd.policies.validation import bindingspecs, policyspecs, statusvalidation
from pytest_crd.policies.validation.policyspecs import PolicyObject
from pytest_crd.webhooks import configurationvalidation

_NAMING: Final = ObjectNaming(DNS_SUBDOMAIN, namespaced=False)
_SPEC: Final = FieldPath(("spec",))
_METADATA: Final = FieldPath(("metadata",))


def validate_create(kind: str, resource: JSONObject, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a new policy or binding.

    Args:
        kind: Its kind.
        resource: The decoded object with its defaults.
        profile: The Kubernetes version.

    Errors:
        All types, in the server's order.
    """
    errors = [
        *_validate(kind, resource, None, profile),
        *configurationvalidation.validate_static_name(_name(resource), profile),
    ]
    return _with_declared(errors, kind, resource, None, profile)


def validate_update(kind: str, resource: JSONObject, old: JSONObject, profile: Profile) -> list[FieldError]:
    """
    Return the errors of an update, without errors of changed metadata.

    Args:
        kind: The kind of the object.
        resource: The new object with its defaults.
        old: The stored object.
        profile: The Kubernetes version.

    Errors:
        All types, in the server's order.
    """
    return _with_declared([*_validate(kind, resource, old, profile)], kind, resource, old, profile)


def _with_declared(
    errors: list[FieldError], kind: str, resource: JSONObject, old: JSONObject | None, profile: Profile
) -> list[FieldError]:
    """Return the errors, then the errors of generated validation, which replace equal ones."""
    if kind != VALIDATING_BINDING or not profile.declares_required_fields:
        return errors
    old_spec = None if old is None else old.get("spec") or {}
    declared = [*bindingspecs.find_declared(resource.get("spec") or {}, _SPEC, old_spec)]
    replaced = {(error.type, error.field) for error in declared}
    return [*(error for error in errors if (error.type, error.field) not in replaced), *declared]


def validate_status(resource: JSONObject, profile: Profile) -> list[FieldError]:
    """Return the errors of an update of the status of a ValidatingAdmissionPolicy."""
    return [*statusvalidation.validate(resource.get("status") or {}, FieldPath(("status",)), profile)]


def find_warnings(resource: JSONObject, profile: Profile, *, is_new: bool) -> tuple[str, ...]:
    """Return the warnings about a valid policy or binding: about its name, if a new object may have it."""
    if not profile.warns_about_static_names or (is_new and profile.reserves_static_names):
        return ()
    problem = configurationvalidation.static_name_problem(_name(resource))
    return (f"metadata.name: {problem}",) if problem else ()


def _validate(kind: str, resource: JSONObject, old: JSONObject | None, profile: Profile) -> Errors:
    yield from objectmetarules.validate(resource.get("metadata") or {}, _METADATA, _NAMING, profile)
    spec = resource.get("spec") or {}
    if kind in (VALIDATING, MUTATING):
        old_spec = None if old is None else old.get("spec") or {}
        yield from policyspecs.validate(PolicyObject(kind, _name(resource), spec, old_spec, profile), _SPEC)
    else:
        yield from bindingspecs.validate(kind, spec, _SPEC, profile)


def _name(resource: JSONObject) -> str:
    name: str = (resource.get("metadata") or {}).get("name") or ""
    return name
