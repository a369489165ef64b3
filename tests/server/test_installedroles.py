"""Roles of a project on a server."""

from __future__ import annotations

import json
from typing import Final

import pytest
from support import policies, servers

from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.server.api import Api
from pytest_crd.server.installedroles import InstalledRoles, UnboundSubjectError

ROLE: Final = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [list, get]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get]
"""
BINDINGS: Final = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b, namespace: ignored}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager}
subjects:
- {kind: ServiceAccount, name: operator, namespace: ops}
- {kind: User, name: jane}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: c}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: gone}
subjects: [{kind: ServiceAccount, name: local}]
"""
NAMESPACE: Final = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ops}\n"
OPERATOR: Final = "system:serviceaccount:ops:operator"


def _manifests(*texts: str) -> list[Manifest]:
    return [item for text in texts for item in manifest.read(text.encode(), source="rbac.yaml")]


def _install(*texts: str, api: Api | None = None) -> tuple[Api, InstalledRoles]:
    server = api or servers.api(servers.crd())
    return server, InstalledRoles(server, _manifests(*texts))


def test_files_give_users_their_roles() -> None:
    server, installed = _install(ROLE, BINDINGS, NAMESPACE)
    user = installed.make_user(OPERATOR)
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:ops", "system:authenticated")
    assert policies.ask(server, user, "GET", "/api/v1/namespaces/ops/pods").code == 200
    assert policies.ask(server, user, "GET", "/api/v1/namespaces").code == 403
    names = [
        item["metadata"]["name"]
        for item in policies.ask(server, policies.ADMIN, "GET", "/api/v1/namespaces").value["items"]
    ]
    assert "ops" in names
    assert server.catalog.authorizer.has_project_roles


def test_bindings_without_a_role_are_told() -> None:
    _, installed = _install(ROLE, BINDINGS)
    assert installed.warnings == ("rbac.yaml:9: warning: RoleBinding c binds Role gone, which does not exist",)


def test_each_part_of_a_rule_is_needed_or_not() -> None:
    server, installed = _install(ROLE, BINDINGS)
    policies.ask(server, installed.make_user(OPERATOR), "GET", "/api/v1/pods")
    needs = {tuple(json.loads(key)): is_needed for key, is_needed in installed.count_needs().items()}
    role = "ClusterRole manager"
    assert needs == {
        ("rbac.yaml:5", role, "list", "pods"): True,
        ("rbac.yaml:5", role, "get", "pods"): False,
        ("rbac.yaml:8", role, "get", "deployments.apps"): False,
    }


def test_users_without_a_binding_are_refused_with_the_nearest_names() -> None:
    _, installed = _install(ROLE, BINDINGS)
    with pytest.raises(UnboundSubjectError) as error:
        installed.make_user("system:serviceaccount:ops:operators")
    assert str(error.value) == (
        "no binding names 'system:serviceaccount:ops:operators' or one of its groups; the nearest subjects are "
        f"{OPERATOR}, system:serviceaccount:default:local, jane"
    )
    assert installed.make_user("bob", ["a"], may_be_unbound=True).groups == ("a", "system:authenticated")
    _, unbound = _install(ROLE)
    with pytest.raises(UnboundSubjectError, match=r"or one of its groups$"):
        unbound.make_user("jane")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (ROLE.replace("verbs: [get]", "verb: [get]"), 'rbac.yaml:1: unknown field "rules[1].verb"'),
        (ROLE.replace("{name: manager}", "{}"), "rbac.yaml:1: metadata.name: Required value: name is required"),
        (ROLE.replace("verbs: [get]", "verbs: get"), "rbac.yaml:1: json: cannot unmarshal string into Go struct field"),
    ],
)
def test_objects_that_a_server_cannot_read_are_mistakes(text: str, problem: str) -> None:
    with pytest.raises(ManifestError) as error:
        _install(text)
    assert str(error.value).startswith(problem)


def test_roles_are_created_where_their_kinds_are_served() -> None:
    server = servers.api(servers.crd(), token=OPERATOR)
    _install(ROLE, BINDINGS.partition("---\n")[2].replace("name: c", "name: c, namespace: fresh"), api=server)
    headers = {"authorization": f"Bearer {OPERATOR}"}
    lead = "/apis/rbac.authorization.k8s.io/v1"
    for path in ("clusterroles/manager", "namespaces/fresh/rolebindings/c"):
        assert servers.ask(server, "GET", f"{lead}/{path}", headers=headers).code == 200
    with pytest.raises(ManifestError, match='"manager" already exists'):
        _install(ROLE, api=server)
    open_server = servers.api(servers.crd())
    _install(ROLE, api=open_server)
