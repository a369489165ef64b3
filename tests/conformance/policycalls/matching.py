"""
Calls of the matchers of policies and webhooks.

- `match`: the `criteria` of a policy, the `request`, its `equivalents`, its `namespace`; `matches`, with `resource` and `kind`, or `error`.
- `call`: the same with a `webhook`.
- `rule`: one `part` of a `rule`, and `matches`.
- `namespaceSelector`, `objectSelector`: the requirements of a `selector`, and `matches`.
- `namespaceLabels`: the `labels` that a selector of namespaces sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.policycalls import requests
from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import Criteria, Invocation, RequestRule
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import ObjectInterfaces
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import definitions
from pytest_crd.policies.definitions import MUTATING

_FIELDS: Final = {"group": "apiGroups", "version": "apiVersions", "operation": "operations", "resource": "resources"}
_ALL: Final = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    error = fact.get("error", "")
    if "unknown kind" in error:
        return "a server knows the kind of each resource"
    if "Invalid value" in error:
        return "a server refuses the selector when the policy is created"
    if fact.get("webhook", {}).get("matchConditions"):
        return "the match conditions are test doubles"
    if "objectSelector" not in fact.get("criteria", fact.get("webhook", {"objectSelector": {}})):
        return "a server sets a missing selector"
    is_scale = fact["request"]["subresource"] == "scale" and "kind" in fact
    return "a server has no Scales of other groups" if is_scale and fact["kind"][0] != "autoscaling" else ""


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    if fact["call"] == "namespaceLabels":
        return _find_label_difference(fact)
    expected = {name: fact[name] for name in ("matches", "resource", "kind", "error") if name in fact}
    actual = _answer(fact, _criteria(fact))
    return "" if actual == expected else f"{actual} instead of {expected}"


def _find_label_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of the labels that a selector of namespaces sees."""
    for labels, expected in ((fact["labels"], True), ({"other": "label"}, False)):
        matches = _answer(fact, _criteria({"criteria": {"namespaceSelector": {"matchLabels": labels}}}))["matches"]
        if matches is not expected:
            return f"{labels}: {matches} instead of {expected}"
    return ""


def _answer(fact: Mapping[str, Any], criteria: Criteria) -> dict[str, Any]:
    request = requests.request_of(fact, _interfaces(fact))
    try:
        invocation = matchcriteria.find_invocation(criteria, request, request.object, lambda _: fact.get("namespace"))
    except RefusedError as refused:
        return {"matches": False, "error": refused.refusal.message}
    if invocation is None:
        return {"matches": False}
    if "kind" not in fact:
        return {"matches": True}
    return {"matches": True, **_describe(fact, invocation)}


def _describe(fact: Mapping[str, Any], invocation: Invocation) -> dict[str, Any]:
    kind = [invocation.kind_group, invocation.kind_version, invocation.kind]
    resource = fact["request"]["resource"][2]
    return {"resource": [invocation.group, invocation.version, resource], "kind": kind}


def _interfaces(fact: Mapping[str, Any]) -> ObjectInterfaces:
    """Return the functions for objects with equivalents."""
    own_group, own_version, _ = fact["request"]["resource"]
    resources = [each["resource"] for each in fact.get("equivalents", ())]
    versions = tuple(version for group, version, _ in resources if group == own_group)
    others = tuple((group, version) for group, version, _ in resources if group != own_group)
    return admission.single_version(own_version)._replace(versions=versions or (own_version,), equivalents=others)


def _criteria(fact: Mapping[str, Any]) -> Criteria:
    if "rule" in fact:
        return Criteria((_rule(fact["part"], fact["rule"]),))
    if "selector" in fact:
        selector = labelselectors.requirements({"matchExpressions": fact["selector"]})
        if fact["call"] == "objectSelector":
            return Criteria((), object_selector=selector, needs_rule=False)
        return Criteria((), namespace_selector=selector, needs_rule=False)
    constraints = dict(fact["criteria"] if "criteria" in fact else fact["webhook"])
    constraints = {"matchPolicy": "Exact", "resourceRules": constraints.get("rules"), **constraints}
    policy = {"kind": MUTATING, "metadata": {"name": "policy"}, "spec": {"matchConstraints": constraints}}
    return definitions.read_policy(policy).criteria._replace(needs_rule="webhook" in fact)


def _rule(part: str, rule: Mapping[str, Any]) -> RequestRule:
    """Return a rule that matches everything in its other parts."""
    field = _FIELDS.get(part)
    fields = _ALL if field is None else {**_ALL, field: rule.get(field) or ()}
    operations, groups, versions, resources = (
        tuple(fields[name]) for name in ("operations", "apiGroups", "apiVersions", "resources")
    )
    return RequestRule(operations, groups, versions, resources, rule.get("scope", "*") if part == "scope" else "*")
