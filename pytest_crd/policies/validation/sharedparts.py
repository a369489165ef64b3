"""
Validation of the parts that policies and bindings share: match constraints and match resources, kinds of params and params.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateMatchResources, validateParamKind and
    validateParamRef.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.admission.matching import rulevalidation
from pytest_crd.admission.matching.rulevalidation import OPERATIONS
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.engine.profile import Profile

# A mutating policy sees no deletion.
_MUTATING_OPERATIONS: Final = tuple(operation for operation in OPERATIONS if operation != "DELETE")


def validate_resources(resources: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of match constraints or match resources.

    Args:
        resources: The decoded value with its defaults.
        path: Its path.
        profile: The Kubernetes version.
    """
    policy_path = path.child("matchPolicy")
    yield from rulevalidation.validate_choice(
        resources["matchPolicy"], rulevalidation.MATCH_POLICIES, policy_path, profile
    )
    for field in ("namespaceSelector", "objectSelector"):
        yield from labelselectors.validate(resources[field], path.child(field), profile)
    for field in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(resources.get(field) or ()):
            yield from _validate_rule(rule, path.child(field).index(index), profile)


def validate_mutated_resources(resources: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of operations that a MutatingAdmissionPolicy cannot have."""
    for rule in resources.get("resourceRules") or ():
        for operation in rule.get("operations") or ():
            if operation not in _MUTATING_OPERATIONS:
                place = path.child("resourceRules", "operations")
                yield rulevalidation.not_supported(place, operation, _MUTATING_OPERATIONS, profile)


def _validate_rule(rule: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    names_before: set[str] = set()
    for index, name in enumerate(rule.get("resourceNames") or ()):
        place = path.child("resourceNames").index(index)
        for problem in names.path_segment(name):
            yield fielderror.invalid(place, name, problem)
        if name in names_before:
            yield fielderror.duplicate(place, name)
        names_before.add(name)
    yield from rulevalidation.validate_rule(rule, path, profile)


_ACTIONS: Final = ("Deny", "Allow")
_EXCLUSIVE: Final = "name and selector are mutually exclusive"


def validate_param_kind(kind: JSONObject, path: FieldPath) -> Errors:
    """Yield the errors of a param kind."""
    yield from _validate_api_version(kind.get("apiVersion") or "", path.child("apiVersion"))
    name, place = kind.get("kind") or "", path.child("kind")
    if not name:
        yield fielderror.required(place, "")
    elif problems := names.dns1035_label(name.lower()):
        detail = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield fielderror.invalid(place, name, detail)


def _validate_api_version(api_version: str, path: FieldPath) -> Errors:
    if not api_version:
        yield fielderror.required(path, "")
        return
    if api_version.count("/") > 1:
        yield fielderror.invalid(path, api_version, f"unexpected GroupVersion string: {api_version}")
        return
    group, _, version = api_version.rpartition("/")
    if group and (problems := names.dns1123_subdomain(group)):
        yield fielderror.invalid(path, group, ",".join(problems))
    if not version:
        yield fielderror.invalid(path, api_version, "version must be specified")
    elif problems := names.dns1035_label(version):
        yield fielderror.invalid(path, version, ",".join(problems))


def validate_param(reference: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of the params of a binding."""
    name, selector = reference.get("name") or "", reference.get("selector")
    if name:
        for problem in names.path_segment(name):
            yield fielderror.invalid(path.child("name"), name, problem)
        if selector is not None:
            yield fielderror.forbidden(path.child("name"), _EXCLUSIVE)
    if selector is not None:
        yield from labelselectors.validate(selector, path.child("selector"), profile)
        if name:
            yield fielderror.forbidden(path.child("selector"), _EXCLUSIVE)
    if not name and selector is None:
        yield fielderror.required(path, "one of name or selector must be specified")
    action, place = reference.get("parameterNotFoundAction"), path.child("parameterNotFoundAction")
    if not action:
        yield fielderror.required(place, "")
    else:
        yield from rulevalidation.validate_choice(action, _ACTIONS, place, profile)
