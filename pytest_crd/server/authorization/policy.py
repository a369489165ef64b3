"""Roles and bindings as data, read from objects of `rbac.authorization.k8s.io/v1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource

GROUP: Final = "rbac.authorization.k8s.io"
API_VERSION: Final = f"{GROUP}/v1"
# The plurals of the kinds.
PLURALS: Final[Mapping[str, str]] = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
NAMESPACED: Final = frozenset({"Role", "RoleBinding"})
USER, GROUP_KIND, SERVICE_ACCOUNT = "User", "Group", "ServiceAccount"


class PolicyRule(NamedTuple):
    """
    A rule of a role.

    Attributes:
        verbs: The allowed verbs; `*` for all.
        api_groups: The API groups; `*` for all.
        resources: The resources, `pods`, `pods/log`, `*/scale`; `*` for all.
        resource_names: The names of objects; empty for all.
        non_resource_urls: The paths; a final `*` stands for any rest.
    """

    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = ()


class Role(NamedTuple):
    """
    A Role or ClusterRole.

    Attributes:
        kind: `Role` or `ClusterRole`.
        namespace: The namespace; empty for a ClusterRole.
        name: The name.
        rules: The rules.
    """

    kind: str
    namespace: str
    name: str
    rules: tuple[PolicyRule, ...]


class BindingSubject(NamedTuple):
    """
    A subject of a binding.

    Attributes:
        kind: `User`, `Group` or `ServiceAccount`.
        name: The name.
        namespace: The namespace of a service account; empty for the namespace of the binding.
    """

    kind: str
    name: str
    namespace: str = ""


class Binding(NamedTuple):
    """
    A RoleBinding or ClusterRoleBinding.

    Attributes:
        kind: `RoleBinding` or `ClusterRoleBinding`.
        namespace: The namespace; empty for a ClusterRoleBinding.
        name: The name.
        subjects: The subjects.
        role_kind: The kind of the role.
        role_name: The name of the role.
    """

    kind: str
    namespace: str
    name: str
    subjects: tuple[BindingSubject, ...]
    role_kind: str
    role_name: str


def read_rule(value: Mapping[str, Any]) -> PolicyRule:
    """Return a rule in JSON as data."""
    fields = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
    return PolicyRule(*(tuple(value.get(field) or ()) for field in fields))


def read_role(value: Resource) -> Role:
    """Return a Role or ClusterRole as data."""
    metadata = value["metadata"]
    rules = tuple(map(read_rule, value.get("rules") or ()))
    return Role(value["kind"], metadata.get("namespace", ""), metadata["name"], rules)


def read_binding(value: Resource) -> Binding:
    """Return a RoleBinding or ClusterRoleBinding as data."""
    metadata, reference = value["metadata"], value.get("roleRef") or {}
    subjects = tuple(
        BindingSubject(subject.get("kind", ""), subject.get("name", ""), subject.get("namespace", ""))
        for subject in value.get("subjects") or ()
    )
    place = (value["kind"], metadata.get("namespace", ""), metadata["name"])
    return Binding(*place, subjects, reference.get("kind", ""), reference.get("name", ""))
