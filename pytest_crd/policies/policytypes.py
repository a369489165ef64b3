"""
Go types of admission policies and their bindings in admissionregistration `v1`, `v1beta1` and `v1alpha1`, and their defaults.

Reference:
    kubernetes api/admissionregistration/*/types.go; apis/admissionregistration/*/defaults.go.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import INT64, STRING, TIME, GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.metadata.labelselectors import LABEL_SELECTOR
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import MUTATING, MUTATING_BINDING, VALIDATING, VALIDATING_BINDING
from pytest_crd.webhooks import configurationtypes
from pytest_crd.webhooks.configurationtypes import V1, present_fields

V1ALPHA1: Final = "v1alpha1"
_RULE_LISTS: Final = ("resourceRules", "excludeResourceRules")
_MATCHES: Final = ("matchConstraints", "matchResources")
_POLICIES: Final = (VALIDATING, MUTATING)
_CONDITION: Final = Struct(
    "v1.Condition",
    {
        **dict.fromkeys(("type", "status", "reason", "message"), STRING),
        "observedGeneration": INT64,
        "lastTransitionTime": TIME,
    },
)


def served_versions(kind: str, profile: Profile) -> Sequence[str]:
    """Return the API versions of a kind that servers of a Kubernetes version can serve, the newest first."""
    return profile.validating_policies if kind in (VALIDATING, VALIDATING_BINDING) else profile.mutating_policies


@functools.cache
def type_of(kind: str, version: str, profile: Profile) -> Struct:
    """Return the type of a *kind* in an API *version*."""
    fields: dict[str, GoType] = {
        **metav1types.TYPE_META,
        "metadata": metav1types.object_meta(profile),
        "spec": _spec(kind, version, profile),
    }
    if kind == VALIDATING:
        fields["status"] = _status(version)
    return Struct(f"{version}.{kind}", fields)


def _spec(kind: str, version: str, profile: Profile) -> Struct:
    resources = Pointer(_match_resources(version, profile))
    if kind in (VALIDATING_BINDING, MUTATING_BINDING):
        fields = {"policyName": STRING, "paramRef": Pointer(_param_ref(version)), "matchResources": resources}
        if kind == VALIDATING_BINDING:
            fields["validationActions"] = List(gotypes.string(f"{version}.ValidationAction"))
        return Struct(f"{version}.{kind}Spec", fields)
    fields = {
        "paramKind": Pointer(_texts(version, "ParamKind", "apiVersion", "kind")),
        "matchConstraints": resources,
        "failurePolicy": Pointer(gotypes.string(f"{version}.FailurePolicyType")),
        "matchConditions": List(configurationtypes.match_condition(version)),
        "variables": List(_texts(version, "Variable", "name", "expression")),
        **(_of_validating(version) if kind == VALIDATING else _of_mutating(version)),
    }
    return Struct(f"{version}.{kind}Spec", fields)


def _of_validating(version: str) -> dict[str, GoType]:
    validation: dict[str, GoType] = {
        **dict.fromkeys(("expression", "message", "messageExpression"), STRING),
        "reason": Pointer(gotypes.string("v1.StatusReason")),
    }
    return {
        "validations": List(Struct(f"{version}.Validation", validation)),
        "auditAnnotations": List(_texts(version, "AuditAnnotation", "key", "valueExpression")),
    }


def _of_mutating(version: str) -> dict[str, GoType]:
    mutation: dict[str, GoType] = {
        "patchType": gotypes.string(f"{version}.PatchType"),
        "applyConfiguration": Pointer(_texts(version, "ApplyConfiguration", "expression")),
        "jsonPatch": Pointer(_texts(version, "JSONPatch", "expression")),
    }
    # All versions share the type of webhooks.
    reinvocation = gotypes.string(f"{V1}.ReinvocationPolicyType")
    return {"mutations": List(Struct(f"{version}.Mutation", mutation)), "reinvocationPolicy": reinvocation}


def _match_resources(version: str, profile: Profile) -> Struct:
    # All versions share the rules of `v1`.
    shared = configurationtypes.rule_with_operations(V1, profile)
    inlined = (
        {field: ".".join(("RuleWithOperations", *filter(None, [shared.inlined.get(field)]))) for field in shared.fields}
        if profile.names_embedded_structs
        else {}
    )
    rule = Struct(
        f"{version}.NamedRuleWithOperations", {"resourceNames": List(STRING), **shared.fields}, inlined=inlined
    )
    fields = {
        **dict.fromkeys(("namespaceSelector", "objectSelector"), Pointer(LABEL_SELECTOR)),
        **dict.fromkeys(_RULE_LISTS, List(rule)),
        "matchPolicy": Pointer(gotypes.string(f"{version}.MatchPolicyType")),
    }
    return Struct(f"{version}.MatchResources", fields)


def _param_ref(version: str) -> Struct:
    action = Pointer(gotypes.string(f"{version}.ParameterNotFoundActionType"))
    fields = {
        **dict.fromkeys(("name", "namespace"), STRING),
        "selector": Pointer(LABEL_SELECTOR),
        "parameterNotFoundAction": action,
    }
    return Struct(f"{version}.ParamRef", fields)


def _status(version: str) -> Struct:
    warning = _texts(version, "ExpressionWarning", "fieldRef", "warning")
    fields = {
        "observedGeneration": INT64,
        "typeChecking": Pointer(Struct(f"{version}.TypeChecking", {"expressionWarnings": List(warning)})),
        "conditions": List(_CONDITION),
    }
    return Struct(f"{version}.ValidatingAdmissionPolicyStatus", fields)


def _texts(version: str, name: str, *fields: str) -> Struct:
    return Struct(f"{version}.{name}", dict.fromkeys(fields, STRING))


def defaulted(resource: JSONObject, kind: str, version: str) -> dict[str, JSONValue]:
    """
    Return a decoded policy or binding with the defaults of its API version.

    Args:
        resource: The policy or binding.
        kind: Its kind.
        version: Its API version.
    """
    spec = present_fields(resource.get("spec") or {})
    if kind in _POLICIES:
        spec.setdefault("failurePolicy", "Fail")
    for field in _MATCHES:
        if field in spec:
            spec[field] = _defaulted_match(spec[field])
    if version == V1ALPHA1 and "paramRef" in spec:
        spec["paramRef"] = {"parameterNotFoundAction": "Deny", **present_fields(spec["paramRef"])}
    return {**resource, "spec": spec}


def _defaulted_match(resources: JSONObject) -> dict[str, JSONValue]:
    present = present_fields(resources)
    rules: dict[str, JSONValue] = {
        field: configurationtypes.defaulted_rules(present[field]) for field in _RULE_LISTS if field in present
    }
    return {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}, **present, **rules}
