"""Roles and users for tests of authorization."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from pytest_crd.engine.registry.admission import User
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from support import servers

OPERATOR: Final = User(
    "system:serviceaccount:ops:operator",
    groups=("system:serviceaccounts", "system:serviceaccounts:ops", "system:authenticated"),
)
JANE: Final = User("jane", groups=("devs", "system:authenticated"))
ADMIN: Final = User("root", groups=("system:masters", "system:authenticated"))


def role(name: str, *rules: Any, namespace: str = "", **fields: Any) -> Any:
    """Return a Role, or a ClusterRole without a namespace."""
    kind = "Role" if namespace else "ClusterRole"
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, **fields} | {
        "metadata": {"name": name, "namespace": namespace, **fields.get("metadata", {})},
        "rules": [*rules],
    }


def rule(verbs: str, resources: str = "", groups: str = "", **fields: Any) -> Any:
    """Return a rule; its lists are words in a text."""
    lists = {"resources": resources.split(), "apiGroups": groups.split() or [""]} if resources else {}
    return {"verbs": verbs.split(), **lists, **fields}


def binding(name: str, role_name: str, subject: Any, *, namespace: str = "", role_kind: str = "ClusterRole") -> Any:
    """Return a RoleBinding, or a ClusterRoleBinding without a namespace."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "subjects": [] if subject is None else [subject],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role_name},
    }


def user(name: str) -> Any:
    """Return a subject that is a user."""
    return {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


def group(name: str) -> Any:
    """Return a subject that is a group."""
    return {"kind": "Group", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


def account(name: str, namespace: str = "") -> Any:
    """Return a subject that is a service account."""
    return {"kind": "ServiceAccount", "name": name, **({"namespace": namespace} if namespace else {})}


def api(objects: Sequence[Any], *crds: Any, **options: Any) -> Api:
    """Return a server with roles and bindings."""
    server = servers.api(*(crds or (servers.crd(),)), **options)
    for value in objects:
        server.catalog.roles.put(value)
    server.catalog.settle()
    return server


def ask(
    server: Api, user_: User, method: str, path: str, body: Any = None, *, headers: Sequence[tuple[str, str]] = ()
) -> HTTPAnswer:
    """Return the answer to a request of a user; *headers* impersonate another."""
    sent = b"" if body is None else json.dumps(body).encode()
    media_type = {"content-type": "application/json", "user-agent": "tests"}
    reply = server.answer(HTTPRequest(method, path, media_type, sent, tuple(headers), user_))
    assert isinstance(reply, HTTPAnswer)
    return reply
