"""Policies, bindings and params of a project on a server."""

from __future__ import annotations

import pytest
from support import policies, servers

from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest
from pytest_crd.policies.definitions import ParamKind
from pytest_crd.server import installedpolicies
from pytest_crd.server.api import Api
from pytest_crd.server.policyparams import StoredParams


def _install(text: str) -> Api:
    api = servers.api()
    installedpolicies.install(api, manifest.read(text.encode(), source="p.yaml"))
    return api


def test_params_are_stored_in_their_namespaces() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n"
    param = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s%s}\n"
    api = _install(f"{namespace}---\n{param % ('a', ', namespace: team')}---\n{param % ('b', '')}")
    params, kind = StoredParams(api.store, api.catalog.find_kinds), ParamKind("v1", "ConfigMap")

    assert [item["metadata"]["name"] for item in params.read(kind, "team")] == ["a"]
    assert [item["metadata"]["name"] for item in params.read(kind, "default")] == ["b"]


def test_kinds_that_are_not_served_have_no_params() -> None:
    api = servers.api()
    params = StoredParams(api.store, api.catalog.find_kinds)

    assert params.is_namespaced(ParamKind("v3", "ConfigMap")) is None
    assert params.read(ParamKind("v3", "ConfigMap"), "default") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "kind: ConfigMap\napiVersion: v3\nmetadata: {name: a}\n",
            ":2: Kubernetes 1.37 does not serve ConfigMap of v3",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n", ':1: ConfigMap "A" is invalid: metadata.name: '),
    ],
)
def test_refused_objects_are_mistakes_with_their_lines(text: str, words: str) -> None:
    with pytest.raises(ManifestError) as error:
        _install(text)
    assert str(error.value).startswith(f"p.yaml{words}")


_POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [%s], apiVersions: [v1], operations: ["*"], resources: [%s]}]}
  validations: [{expression: "%s"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny]}
"""


def test_a_deletion_in_another_version_of_a_built_in_kind_matches() -> None:
    expression = "request.operation != 'DELETE' || oldObject.spec.maxReplicas < 3"
    api = _install(_POLICY % ("autoscaling", "horizontalpodautoscalers", expression))
    scalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    body = {"metadata": {"name": "a"}, "spec": {"scaleTargetRef": target, "maxReplicas": 3}}

    assert policies.ask(api, policies.ADMIN, "POST", scalers, body).code == 201
    assert policies.ask(api, policies.ADMIN, "DELETE", f"{scalers}/a").code == 422


@pytest.mark.parametrize(("group", "other", "field"), [("", "events.k8s.io", "message"), ("events.k8s.io", "", "note")])
def test_events_match_in_the_group_of_a_policy(group: str, other: str, field: str) -> None:
    expression = (
        f"object.{field} == 'x' && request.resource.group == '{group}' && request.requestResource.group == '{other}'"
    )
    api = _install(_POLICY % (group or "''", "events", expression))
    path, words = ("apis/events.k8s.io/v1", "note") if other else ("api/v1", "message")
    common = {"action": "a", "reason": "b", "type": "Normal", "eventTime": "2026-01-01T00:00:00.000000Z"}
    reporter = {"reportingController" if other else "reportingComponent": "c.d/e", "reportingInstance": "f"}
    body = {"metadata": {"name": "a"}, "involvedObject": {"namespace": "default"}, **common, **reporter}
    answers = [
        policies.ask(api, policies.ADMIN, "POST", f"/{path}/namespaces/default/events", {**body, words: text})
        for text in ("y", "x")
    ]

    assert [answer.code for answer in answers] == [422, 201]


def test_expressions_ask_the_bindings_that_clients_created() -> None:
    api = _install(_POLICY % ("''", "configmaps", "authorizer.requestResource.check('audit').allowed()"))
    groups = "/apis/rbac.authorization.k8s.io/v1/cluster"
    for name, verbs in (("writer", "create"), ("auditor", "audit")):
        role = policies.role(name, policies.rule(verbs, "configmaps"))
        assert policies.ask(api, policies.ADMIN, "POST", f"{groups}roles", role).code == 201
    writer, auditor = (policies.binding(name, name, policies.user("jane")) for name in ("writer", "auditor"))
    configmaps = "/api/v1/namespaces/default/configmaps"

    policies.ask(api, policies.ADMIN, "POST", f"{groups}rolebindings", writer)
    assert policies.ask(api, policies.JANE, "POST", configmaps, {"metadata": {"name": "a"}}).code == 422
    policies.ask(api, policies.ADMIN, "POST", f"{groups}rolebindings", auditor)
    assert policies.ask(api, policies.JANE, "POST", configmaps, {"metadata": {"name": "a"}}).code == 201
