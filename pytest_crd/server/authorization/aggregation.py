"""
Aggregation of ClusterRoles: rules from the ClusterRoles that match a label selector.

Reference:
    kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import labelselectors


def aggregate(roles: Sequence[Resource]) -> list[Resource]:
    """
    Return the ClusterRoles with changed rules.

    Args:
        roles: All ClusterRoles; those with an `aggregationRule` change.

    Aggregated roles may choose each other, so the rules are computed until none changes, at most once for each role.
    """
    current = {role["metadata"]["name"]: role for role in roles}
    before = dict(current)
    for _ in range(len(roles)):
        is_stable = True
        for name, role in sorted(current.items()):
            rules = _aggregated_rules(role, current)
            if rules is not None and rules != (role.get("rules") or []):
                current[name], is_stable = {**role, "rules": rules}, False
        if is_stable:
            break
    return [role for name, role in current.items() if role is not before[name]]


def _aggregated_rules(role: Resource, roles: Mapping[str, Resource]) -> list[JSONValue] | None:
    """Return the rules of an aggregated role; None for another role."""
    if not role.get("aggregationRule"):
        return None
    rules: list[JSONValue] = []
    for selector in role["aggregationRule"].get("clusterRoleSelectors") or ():
        for name in sorted(roles):
            if name != role["metadata"]["name"] and _is_selected(selector, roles[name]):
                rules += [rule for rule in roles[name].get("rules") or () if rule not in rules]
    return rules


def _is_selected(selector: Mapping[str, Any], role: Resource) -> bool:
    """Return whether a label selector chooses a role; an empty selector chooses all."""
    return labelselectors.is_match(labelselectors.requirements(selector), role["metadata"].get("labels") or {})
