"""
Validation of policies and bindings: of a create, an update, and an update of the status.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go; registry/admissionregistration/*/strategy.go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_crd.admission.matching import rulevalidation
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, gotypes, printing
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import DNS_SUBDOMAIN, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import MUTATING, VALIDATING, VALIDATING_BINDING
from pytest_crd.policies.validation import policyspecs, sharedparts
from pytest_crd.policies.validation.policyspecs import PolicyObject
from pytest_crd.webhooks import configurationvalidation

_NAMING: Final = ObjectNaming(DNS_SUBDOMAIN, namespaced=False)
_SPEC: Final = FieldPath(("spec",))
_METADATA: Final = FieldPath(("metadata",))
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_ACTION_TYPES: Final = gotypes.List(gotypes.string("admissionregistration.ValidationAction"))
_DENY_AND_WARN: Final = (
    "must not contain both Deny and Warn "
    "(repeating the same validation failure information in the API response and headers serves no purpose)"
)
_NO_ACTION: Final = "at least one validation action is required"
_STATUSES: Final = ("False", "True", "Unknown")
_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_EXAMPLES: Final = "e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB'"
_BAD_REASON: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters "
    f"or '_,:', and must end with an alphanumeric character or '_' ({_EXAMPLES}, regex used for validation is '{_REASON}')"
)
_LONGEST_REASON: Final = 1024
_LONGEST_MESSAGE: Final = 32 * 1024


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
    declared = [*find_declared(resource.get("spec") or {}, _SPEC, old_spec)]
    replaced = {(error.type, error.field) for error in declared}
    return [*(error for error in errors if (error.type, error.field) not in replaced), *declared]


def validate_status(resource: JSONObject, profile: Profile) -> list[FieldError]:
    """Return the errors of an update of the status of a ValidatingAdmissionPolicy."""
    return [*validate_policy_status(resource.get("status") or {}, FieldPath(("status",)), profile)]


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
        yield from validate_binding_spec(kind, spec, _SPEC, profile)


def _name(resource: JSONObject) -> str:
    name: str = (resource.get("metadata") or {}).get("name") or ""
    return name


def validate_binding_spec(kind: str, spec: JSONObject, path: FieldPath, profile: Profile) -> Errors:
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
        yield from sharedparts.validate_param(reference, path.child("paramRef"), profile)
    if (resources := spec.get("matchResources")) is not None:
        yield from sharedparts.validate_resources(resources, path.child("matchResources"), profile)
        if kind != VALIDATING_BINDING:
            yield from sharedparts.validate_mutated_resources(resources, path.child("matchResources"), profile)
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


def validate_policy_status(status: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of a decoded status; in the JSONPath of a warning, only an open bracket is found."""
    checking = status.get("typeChecking") or {}
    place = path.child("typeChecking", "expressionWarnings")
    for index, warning in enumerate(checking.get("expressionWarnings") or ()):
        yield from _validate_warning(warning or {}, place.index(index))
    types_before: set[str] = set()
    for index, item in enumerate(status.get("conditions") or ()):
        condition = item or {}
        type_ = condition.get("type") or ""
        if type_ in types_before:
            place = path.child("conditions").index(index)
            yield fielderror.duplicate(place if profile.requires_condition_fields else place.child("type"), type_)
        types_before.add(type_)
        yield from _validate_condition(condition, path.child("conditions").index(index), profile)


def _validate_warning(warning: JSONObject, path: FieldPath) -> Errors:
    if not warning.get("warning"):
        yield fielderror.required(path.child("warning"), "")
    reference = gostrings.trim_space(warning.get("fieldRef") or "")
    if not reference:
        yield fielderror.required(path.child("fieldRef"), "")
    elif "[" in reference and "]" not in reference.rpartition("[")[2]:
        yield fielderror.invalid(path.child("fieldRef"), reference, "invalid JSONPath: unterminated array")


def _validate_condition(condition: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    type_, status, reason, message = (condition.get(field) or "" for field in ("type", "status", "reason", "message"))
    if not type_ and profile.requires_condition_fields:
        yield fielderror.required(path.child("type"), "is required")
    else:
        for problem in names.label_key(type_, profile):
            yield fielderror.invalid(path.child("type"), type_, problem)
    if not status and profile.requires_condition_fields:
        yield fielderror.required(path.child("status"), "")
    else:
        yield from rulevalidation.validate_choice(status, _STATUSES, path.child("status"), profile)
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        detail = "must be greater than or equal to zero"
        yield fielderror.invalid(path.child("observedGeneration"), generation, detail)
    if not condition.get("lastTransitionTime"):
        yield fielderror.required(path.child("lastTransitionTime"), "")
    if not reason:
        yield fielderror.required(path.child("reason"), "")
    elif not re.fullmatch(_REASON, reason):
        yield fielderror.invalid(path.child("reason"), reason, _BAD_REASON)
    if len(reason.encode()) > _LONGEST_REASON:
        yield fielderror.too_long(path.child("reason"), _LONGEST_REASON)
    if len(message.encode()) > _LONGEST_MESSAGE:
        yield fielderror.too_long(path.child("message"), _LONGEST_MESSAGE)
