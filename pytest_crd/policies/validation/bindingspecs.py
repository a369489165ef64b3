"""
Validation of the specs of bindings.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateValidatingAdmissionPolicyBindingSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.admission.matching import rulevalidation
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes, printing
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import VALIDATING_BINDING
from pytest_crd.policies.validation import matchresources, paramvalidation

_ACTIONS: Final = ("Audit", "Deny", "Warn")
_ACTION_TYPES: Final = gotypes.List(gotypes.string("admissionregistration.ValidationAction"))
_DENY_AND_WARN: Final = (
    "must not contain both Deny and Warn "
    "(repeating the same validation failure information in the API response and headers serves no purpose)"
)
_NO_ACTION: Final = "at least one validation action is required"


def validate(kind: str, spec: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of the spec of a binding.

    Args:
        kind: The kind of the binding.
        spec: The decoded spec with its defaults.
        path: Its path.
        profile: The Kubernetes version.
    """
    name = spec.get("policyName") or ""
    if not name:
        yield fielderror.required(path.child("policyName"), "")
    else:
        for problem in names.dns1123_subdomain(name):
            yield fielderror.invalid(path.child("policyName"), name, problem)
    if (reference := spec.get("paramRef")) is not None:
        yield from paramvalidation.validate_reference(reference, path.child("paramRef"), profile)
    if (resources := spec.get("matchResources")) is not None:
        yield from matchresources.validate(resources, path.child("matchResources"), profile)
        if kind != VALIDATING_BINDING:
            yield from matchresources.validate_mutating(resources, path.child("matchResources"), profile)
    if kind == VALIDATING_BINDING:
        yield from _validate_actions(spec.get("validationActions") or (), path.child("validationActions"), profile)


def find_declared(spec: JSONObject, path: FieldPath, old_spec: JSONObject | None) -> Errors:
    """
    Yield the errors of generated validation: they replace errors of the same type and field, and come last.

    Args:
        spec: The spec of the binding of a ValidatingAdmissionPolicy.
        path: Its path.
        old_spec: The stored spec, whose unchanged fields are accepted; None on create.
    """
    for field in ("policyName", "validationActions"):
        is_unchanged = old_spec is not None and not old_spec.get(field)
        if not spec.get(field) and not is_unchanged:
            yield fielderror.required(path.child(field), "")


def _validate_actions(actions: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    for index, action in enumerate(actions):
        place = path.index(index)
        yield from rulevalidation.validate_choice(action, _ACTIONS, place, profile)
        if action in actions[:index]:
            error = fielderror.duplicate(place, action)
            yield badvalues.reprinted(error, printing.marshal(action)) if profile.prints_values_as_json else error
    if {"Deny", "Warn"} <= set(actions):
        yield badvalues.invalid_of_type(path, list(actions), _ACTION_TYPES, _DENY_AND_WARN, profile)
    if not actions:
        yield fielderror.required(path, _NO_ACTION)
