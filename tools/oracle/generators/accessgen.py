"""Random access reviews about the roles of operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization import policy, resolution
from pytest_crd.server.authorization.policy import PolicyRule
from pytest_crd.server.authorization.resolution import GrantedRule
from pytest_crd.server.authorization.storedroles import StoredRoles

_VERBS: Final = (
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "bind",
    "escalate",
    "impersonate",
    "*",
    "",
)
_GROUPS: Final = ("", "apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io", "example.com", "*")
_RESOURCES: Final = ("pods", "deployments", "secrets", "leases", "roles", "things", "*", "")
_SUBRESOURCES: Final = ("", "", "", "status", "scale", "log", "finalizers", "*")
_NAMES: Final = ("", "", "x", "cluster-info", "*")
_PATHS: Final = (
    "/",
    "/metrics",
    "/healthz",
    "/healthz/ping",
    "/api",
    "/api/v1",
    "/apis/x/y",
    "/openapi/v3",
    "/version/",
    "/version/x",
    "*",
    "",
)
_GROUPS_OF_USERS: Final = (
    "system:authenticated",
    "system:unauthenticated",
    "system:masters",
    "system:serviceaccounts",
    "devs",
)
# Share of reviews with attributes from a rule of the user.
_FROM_RULES: Final = 0.6


def prefixed(value: Mapping[str, Any], prefix: str) -> Any:
    """Return a role or binding with a prefix of its operator; names of a new cluster stay."""
    metadata = {key: value["metadata"][key] for key in ("name", "namespace", "labels") if value["metadata"].get(key)}
    metadata["name"] = _named(str(metadata.get("name", "")), prefix)
    namespaced = value["kind"] in policy.NAMESPACED
    metadata["namespace"] = _named(metadata.get("namespace", "default"), prefix) if namespaced else ""
    fields = {key: value[key] for key in ("rules", "aggregationRule", "subjects") if value.get(key) is not None}
    subjects = [{**subject, **_namespace(subject, prefix)} for subject in fields.get("subjects", ())]
    fields |= {"subjects": subjects} if "subjects" in fields else {}
    reference = value.get("roleRef")
    fields |= {"roleRef": {**reference, "name": _named(reference["name"], prefix)}} if reference else {}
    return {"apiVersion": value["apiVersion"], "kind": value["kind"], "metadata": metadata, **fields}


def prefix_of(name: str) -> str:
    """Return the prefix of the operator with a name, as names of objects allow it."""
    return f"{name.lower().replace('_', '-')}-"


def _named(name: str, prefix: str) -> str:
    is_common = name.startswith("system:") or name in (
        "admin",
        "edit",
        "view",
        "cluster-admin",
        "default",
        "kube-system",
    )
    return name if is_common else f"{prefix}{name}"[:63].rstrip("-.")


def _namespace(subject: Mapping[str, Any], prefix: str) -> dict[str, str]:
    return {"namespace": _named(subject["namespace"], prefix)} if subject.get("namespace") else {}


def rule_value(rule: PolicyRule) -> JSONValue:
    """Return a rule as JSON."""
    fields = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
    return {field: [*values] for field, values in zip(fields, rule, strict=True) if values}


def review(source: Random, objects: Sequence[Mapping[str, Any]], roles: StoredRoles) -> JSONValue:
    """Return the spec of a random SubjectAccessReview."""
    bindings = [value for value in objects if value["kind"].endswith("Binding")]
    user, namespace = _user(source, source.choice(bindings) if bindings else {})
    namespace = source.choice((namespace, namespace, "default", "kube-system", "", "other"))
    spec: dict[str, Any] = {"user": user.username, "groups": [*user.groups]}
    spec = {key: value for key, value in spec.items() if value} or {"user": "nobody"}
    granted = [item for item in resolution.resolve(roles, user, namespace) if isinstance(item, GrantedRule)]
    rule = source.choice(granted).rule if granted and source.random() < _FROM_RULES else PolicyRule()
    if rule.non_resource_urls or (not rule.resources and source.random() < 0.2):
        path = (
            source.choice((*_paths(rule), *_PATHS))
            if source.random() < 0.5 or not rule.resources
            else source.choice(_PATHS)
        )
        return {**spec, "nonResourceAttributes": _present(path=path, verb=_pick(source, rule.verbs, _VERBS))}
    resource, _, subresource = _pick(source, rule.resources, _RESOURCES).partition("/")
    attributes = _present(
        verb=_pick(source, rule.verbs, _VERBS),
        group=_pick(source, rule.api_groups, _GROUPS),
        resource=source.choice((resource, resource, source.choice(_RESOURCES))),
        subresource=subresource if source.random() < 0.8 else source.choice(_SUBRESOURCES),
        namespace=namespace,
        name=_pick(source, rule.resource_names, _NAMES),
    )
    return {**spec, "resourceAttributes": attributes}


def _paths(rule: PolicyRule) -> list[str]:
    return [url.replace("*", suffix) for url in rule.non_resource_urls for suffix in ("", "a", "a/b")]


def _pick(source: Random, values: Sequence[str], others: Sequence[str]) -> str:
    """Return a value of a rule, or sometimes another."""
    return source.choice(values) if values and source.random() < 0.85 else source.choice(others)


def _present(**fields: str) -> JSONValue:
    return {key: value for key, value in fields.items() if value}


def _user(source: Random, binding: Mapping[str, Any]) -> tuple[User, str]:
    """Return a user, mostly a subject of a binding, and a namespace."""
    namespace = (binding.get("metadata") or {}).get("namespace", "")
    subjects = binding.get("subjects") or ()
    groups = (
        tuple(source.sample(_GROUPS_OF_USERS, source.choice((0, 1, 1, 2))))
        if source.random() < 0.3
        else ("system:authenticated",)
    )
    if not subjects or source.random() < 0.1:
        return User(
            source.choice(("jane", "", "system:anonymous", "system:serviceaccount:default:default")), groups=groups
        ), namespace
    subject = source.choice(subjects)
    if subject["kind"] == policy.GROUP_KIND:
        return User("jane", groups=(subject["name"], *groups)), namespace
    if subject["kind"] == policy.USER:
        return User(subject["name"], groups=groups), namespace
    own = subject.get("namespace") or namespace
    return User(
        usernames.service_account(own, subject["name"]), groups=(*usernames.service_account_groups(own), *groups)
    ), namespace or own
