"""
Matching of a rule with a request.

Reference:
    kubernetes pkg/apis/rbac/v1/evaluation_helpers.go; plugin/pkg/auth/authorizer/rbac/rbac.go, RuleAllows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.policy import PolicyRule

ALL: Final = "*"


class Permission(NamedTuple):
    """
    The smallest part of a rule: a verb of a resource or path, as the rule spells them.

    Attributes:
        verb: The verb.
        group: The API group; empty for the core group and for a path.
        target: The resource or the path.
        is_resource: True for a resource.
    """

    verb: str
    group: str
    target: str
    is_resource: bool


def find_permission(rule: PolicyRule, attributes: AccessAttributes) -> Permission | None:
    """Return the part of a rule that allows a request; None if the rule does not allow it."""
    verb = _find(rule.verbs, attributes.verb)
    if verb is None:
        return None
    if not attributes.is_resource:
        path = next((url for url in rule.non_resource_urls if covers_path(url, attributes.path)), None)
        return None if path is None else Permission(verb, "", path, is_resource=False)
    group = _find(rule.api_groups, attributes.group)
    resource = next((resource for resource in rule.resources if _is_resource(resource, attributes)), None)
    if group is None or resource is None or (rule.resource_names and attributes.name not in rule.resource_names):
        return None
    return Permission(verb, group, resource, is_resource=True)


def permissions(rule: PolicyRule) -> Iterator[Permission]:
    """Yield the parts of a rule."""
    for verb in rule.verbs:
        for resource in rule.resources:
            yield from (Permission(verb, group, resource, is_resource=True) for group in rule.api_groups)
        yield from (Permission(verb, "", path, is_resource=False) for path in rule.non_resource_urls)


def covers_path(pattern: str, path: str) -> bool:
    """Return whether a path of a rule covers a path."""
    return pattern in (ALL, path) or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def _find(listed: tuple[str, ...], wanted: str) -> str | None:
    """Return the entry that allows *wanted*; None if none does."""
    return next((item for item in listed if item in (ALL, wanted)), None)


def _is_resource(resource: str, attributes: AccessAttributes) -> bool:
    if resource in (ALL, attributes.combined_resource):
        return True
    return bool(attributes.subresource) and resource == f"{ALL}/{attributes.subresource}"
