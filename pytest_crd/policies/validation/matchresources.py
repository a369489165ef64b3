"""
Validation of match constraints and match resources.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateMatchResources.
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


def validate(resources: JSONObject, path: FieldPath, profile: Profile) -> Errors:
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


def validate_mutating(resources: JSONObject, path: FieldPath, profile: Profile) -> Errors:
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
