"""Requests of a user with few rights, with a server's refusals, and our answers to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import AdmissionRequest, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.api import Api
from pytest_crd.server.authorization import escalation, policy
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

NOBODY: Final = User("nobody", "nobody", ("testers", "system:authenticated"))
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_PODS: Final = "/api/v1/namespaces/team-a/pods"
_ACCESS: Final = "/apis/authorization.k8s.io/v1"
_PATHS: Final = (
    *("/api/v1/pods", _PODS, f"{_PODS}/x/log", f"{_PODS}?watch=1", f"{_PODS}?fieldSelector=metadata.name%3Dx"),
    *(f"{_PODS}?fieldSelector=metadata.name%3Dx&limit=a", f"{_PODS}?fieldSelector=metadata.name%3Dx&watch=false"),
    *(f"{_PODS}?fieldSelector=metadata.name!%3Dx", f"{_PODS}?fieldSelector=metadata.name%3D..", f"{_PODS}?labelSelector=a%20in"),
    *("/api/v1/namespaces", "/api/v1/namespaces/a", "/api/v1/namespaces/a/status", "/api/v1/watch/pods/x", "/api/v1/watch/namespaces/a/pods"),
    *("/api/v1/proxy/namespaces/a/pods/x/y", "/apis/apps/v1/namespaces/a/deployments/x/scale", "/apis/nope.io/v1/namespaces/a/things/x/y/z"),
    *("/apis/apps/v1/namespaces/foo", "/", "/foo", "//x<y>&z", "/x%2fy", "/healthz/ping", "/metrics", "/apisx", "/logs/"),
)  # fmt: skip
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_IMPERSONATIONS: Final[Sequence[Sequence[tuple[str, str]]]] = (
    [("user", "jane")],
    [("user", "system:serviceaccount:a:b")],
    [("user", "system:serviceaccount:a:b"), ("group", "g")],
    [("user", "system:node:n")],
    [("user", "bob"), ("group", "devs"), ("uid", "1")],
    [("user", "bob"), ("group", "system:masters")],
    [("user", "bob"), ("extra-a", "x")],
    [("group", "g"), ("group", "h"), ("extra-a%2fB", "x"), ("uid", "u")],
    [("uid", "u")],
)
_GET_PODS: Final = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
_SPECS: Final[Sequence[JSONValue]] = (
    {},
    {"resourceAttributes": {"labelSelector": {}}},
    {"nonResourceAttributes": {}, "resourceAttributes": {}},
)
_ROLES: Final[Sequence[Sequence[JSONValue]]] = (
    [{"apiGroups": ["", "apps"], "resources": ["pods", "deployments"], "verbs": ["get", "list"]}],
    [_GET_PODS, {"apiGroups": [""], "resources": ["pods"], "resourceNames": ["a", "b"], "verbs": ["list", "watch"]}],
    [{"nonResourceURLs": ["/x", "/api"], "verbs": ["get", "post"]}],
    [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}],
)


def requests() -> Iterator[dict[str, Any]]:
    """Yield requests: paths with methods, impersonations, malformed reviews, and grants."""
    yield from ({"method": method, "path": path} for path in _PATHS for method in _METHODS)
    for headers in _IMPERSONATIONS:
        yield from ({"method": "GET", "path": path, "headers": headers} for path in (_PODS, "/foo"))
    for plural in ("subjectaccessreviews", "namespaces/a/localsubjectaccessreviews"):
        yield {"method": "POST", "path": f"{_ACCESS}/{plural}", "body": {"spec": {}}}
    for spec in _SPECS:
        body = {"metadata": {"name": "x"}, "spec": spec}
        yield {"method": "POST", "path": f"{_ACCESS}/selfsubjectaccessreviews", "body": body}
    yield {"method": "POST", "path": f"{_ACCESS}/selfsubjectrulesreviews", "body": {}}
    yield from _grants()


def _grants() -> Iterator[dict[str, Any]]:
    for rules in _ROLES:
        for kind, place in (("Role", "namespaces/team-a/roles"), ("ClusterRole", "clusterroles")):
            if kind == "ClusterRole" or "nonResourceURLs" not in rules[0]:
                yield _grant(place, kind, {"rules": rules})
    yield _grant(
        "clusterroles", "ClusterRole", {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    )
    for kind, place in (
        ("RoleBinding", "namespaces/team-a/rolebindings"),
        ("ClusterRoleBinding", "clusterrolebindings"),
    ):
        for role in ("cluster-admin", "gone", "manager-role", "metrics-reader"):
            reference = {"apiGroup": policy.GROUP, "kind": "ClusterRole", "name": role}
            yield _grant(place, kind, {"roleRef": reference, "subjects": []})


def _grant(place: str, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    body = {"apiVersion": policy.API_VERSION, "kind": kind, "metadata": {"name": "new"}, **fields}
    return {"method": "POST", "path": f"/apis/{policy.API_VERSION}/{place}", "body": body, "grants": kind}


def our_answer(api: Api, request: Mapping[str, Any]) -> Any:
    """Return the code and the body of our answer, without times."""
    if "grants" in request:
        return _answer_to_grant(api, request)
    headers = {"content-type": "application/json", "user-agent": "access"}
    impersonation = tuple((f"impersonate-{name.lower()}", value) for name, value in request.get("headers", ()))
    body = json.dumps(request["body"]).encode() if "body" in request else b""
    reply = api.answer(HTTPRequest(request["method"], request["path"], headers, body, impersonation, NOBODY))
    assert isinstance(reply, HTTPAnswer)
    return [reply.code, without_times(reply.value)]


def _answer_to_grant(api: Api, request: Mapping[str, Any]) -> Any:
    value, kind = request["body"], request["grants"]
    namespace = "team-a" if kind in policy.NAMESPACED else ""
    place = (policy.GROUP, "v1", kind, policy.PLURALS[kind], "", "new", namespace)
    interfaces = admission.single_version(policy.API_VERSION)
    create = AdmissionRequest("CREATE", *place, value, None, {}, dry_run=False, user=NOBODY, interfaces=interfaces)
    try:
        escalation.demand_grant(create, api.catalog.authorizer)
    except RefusedError as refused:
        return _status(refused.refusal)
    return [201, None]


def _status(refusal: Refusal) -> Any:
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": refusal.message}
    return [refusal.code, {**head, "reason": refusal.reason, "details": refusal.subject, "code": refusal.code}]


def without_times(value: JSONValue) -> JSONValue:
    """Return a value with one time in place of all times."""
    return json.loads(_TIME.sub("T", json.dumps(value)))


def is_refused(row: Mapping[str, Any]) -> bool:
    """Return whether the server refuses a request for reasons of access, or as a malformed review."""
    return row["answer"][0] in (400, 403, 422) or "grants" in row


def read(path: Path) -> list[Any]:
    """Return the recorded requests with their answers."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
