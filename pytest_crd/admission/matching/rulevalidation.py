"""
Validation of rules with operations, in webhook configurations and admission policies.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes, printing
from pytest_crd.engine.golang.gotypes import STRING, GoType
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile

FAILURE_POLICIES: Final = ("Fail", "Ignore")
MATCH_POLICIES: Final = ("Equivalent", "Exact")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_STRINGS: Final = gotypes.List(STRING)
_OPERATION_TYPES: Final = gotypes.List(gotypes.string("admissionregistration.OperationType"))


def validate_rule(rule: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of a rule with operations.

    Args:
        rule: The decoded rule with its defaults.
        path: Its path.
        profile: The Kubernetes version.
    """
    operations = rule.get("operations") or []
    yield from _validate_list(operations, "operations", path.child("operations"), profile, _OPERATION_TYPES)
    for index, operation in enumerate(operations):
        if operation not in OPERATIONS:
            yield not_supported(path.child("operations").index(index), operation, OPERATIONS, profile)
    yield from _validate_list(rule.get("apiGroups") or [], "API groups", path.child("apiGroups"), profile)
    versions = rule.get("apiVersions") or []
    yield from _validate_list(versions, "API versions", path.child("apiVersions"), profile)
    for index, version in enumerate(versions):
        if not version:
            yield fielderror.required(path.child("apiVersions").index(index), "")
    yield from _validate_resources(rule.get("resources") or [], path.child("resources"), profile)
    if rule["scope"] not in _SCOPES:
        yield not_supported(path.child("scope"), rule["scope"], _SCOPES, profile)


def _validate_list(
    items: Sequence[str], noun: str, path: FieldPath, profile: Profile, kind: GoType = _STRINGS
) -> Errors:
    """Yield the errors of a list that is empty, or that has `*` and other items."""
    if not items:
        yield fielderror.required(path, "")
    if len(items) > 1 and "*" in items:
        detail = f"if '*' is present, must not specify other {noun}"
        yield badvalues.invalid_of_type(path, list(items), kind, detail, profile)


def _validate_resources(resources: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    if not resources:
        yield fielderror.required(path, "")
    with_any_subresource: set[str] = set()
    of_any_resource: set[str] = set()
    is_last_plain = False
    for index, pattern in enumerate(resources):
        if not pattern:
            yield fielderror.required(path.index(index), "")
            continue
        resource, slash, subresource = pattern.partition("/")
        if not slash:
            # The server remembers the last one alone.
            is_last_plain = pattern != "*"
            continue
        if resource in with_any_subresource:
            detail = f"if '{resource}/*' is present, must not specify {pattern}"
            yield fielderror.invalid(path.index(index), pattern, detail)
        if subresource in of_any_resource:
            detail = f"if '*/{subresource}' is present, must not specify {pattern}"
            yield fielderror.invalid(path.index(index), pattern, detail)
        with_any_subresource |= {resource} if subresource == "*" else set()
        of_any_resource |= {subresource} if resource == "*" else set()
    if len(resources) > 1 and "*/*" in resources:
        detail = "if '*/*' is present, must not specify other resources"
        yield badvalues.invalid_of_type(path, list(resources), _STRINGS, detail, profile)
    if "*" in resources and is_last_plain:
        detail = "if '*' is present, must not specify other resources without subresources"
        yield badvalues.invalid_of_type(path, list(resources), _STRINGS, detail, profile)


def validate_choice(value: str | None, supported: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    """Yield the error of an unsupported value; None is no value."""
    if value is not None and value not in supported:
        yield not_supported(path, value, supported, profile)


def not_supported(path: FieldPath, value: str, supported: Sequence[str], profile: Profile) -> FieldError:
    """Return a NotSupported error for a text of a Go type of its own, which errors print as JSON."""
    error = fielderror.not_supported(path, value, supported)
    return badvalues.reprinted(error, printing.marshal(value)) if profile.prints_values_as_json else error
