"""MutatingAdmissionPolicies on CustomResourceDefinitions and special requests, with the answers of kube-apiserver 1.37."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support import servers

from pytest_crd.server import installing
from pytest_crd.server.api import Api

SUBRESOURCES = ("binding", "eviction", "exec", "attach", "portforward", "proxy")
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
DRY = f"{servers.CRDS}?dryRun=All"
COLUMN = "Object.spec.versions.additionalPrinterColumns{name: 'A', type: 'string', jsonPath: '.a'}"
VERSION = f"Object.spec.versions{{name: 'v1', additionalPrinterColumns: [{COLUMN}]}}"
COLUMNS = f"Object{{spec: Object.spec{{versions: [{VERSION}]}}}}"
ATOMIC = "may not mutate atomic arrays, maps or structs: .spec.versions, .spec.versions[0].additionalPrinterColumns"
DENIED = "policy 'p' with binding 'b' denied request: "


RESOURCES = ["customresourcedefinitions", "configmaps", "bindings", *(f"pods/{name}" for name in SUBRESOURCES)]


def _server(
    expression: str,
    patch_type: str,
    groups: Sequence[str] = ("apiextensions.k8s.io", ""),
    resources: Sequence[str] = RESOURCES,
) -> Api:
    server = servers.api(servers.crd("Stored"))
    key = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}[patch_type]
    rule = {"apiGroups": [*groups], "apiVersions": ["*"], "operations": ["*"], "resources": [*resources]}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [{"patchType": patch_type, key: {"expression": expression}}],
        "reinvocationPolicy": "Never",
    }
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy"}
    for plural, body in (
        ("mutatingadmissionpolicies", {**kind, "metadata": {"name": "p"}, "spec": spec}),
        (
            "mutatingadmissionpolicybindings",
            {**kind, "kind": f"{kind['kind']}Binding", "metadata": {"name": "b"}, "spec": {"policyName": "p"}},
        ),
    ):
        created = servers.ask(server, "POST", f"{ADMISSION}/{plural}", body)
        assert created.code == 201, created.value
    return server


def _requests(server: Api) -> list[Any]:
    """Return the answers to a create, a patch and an apply."""
    merge, apply = ({"mediaType": f"application/{kind}"} for kind in ("merge-patch+json", "apply-patch+yaml"))
    stored, labels = f"{servers.CRDS}/storeds.example.com", {"metadata": {"labels": {"a": "b"}}}
    return [
        servers.ask(server, "POST", DRY, servers.crd("New")),
        servers.ask(server, "PATCH", f"{stored}?dryRun=All", labels, **merge),
        servers.ask(
            server,
            "PATCH",
            f"{servers.CRDS}/applys.example.com?dryRun=All&fieldManager=m",
            servers.crd("Apply"),
            **apply,
        ),
    ]


SINGULAR = "Object{spec: Object.spec{names: Object.spec.names{singular: 'single'}}}"


@pytest.mark.parametrize(
    ("patch_type", "expression", "changes"),
    [
        ("ApplyConfiguration", SINGULAR, {"singular": "single"}),
        (
            "JSONPatch",
            "[JSONPatch{op: 'add', path: '/spec/names/shortNames', value: ['x']}]",
            {"shortNames": ["x"]},
        ),
        # Plugins see the defaults, and they are set again.
        ("JSONPatch", "[JSONPatch{op: 'remove', path: '/spec/names/singular'}]", {}),
        ("JSONPatch", "[JSONPatch{op: 'remove', path: '/spec/conversion'}]", {}),
    ],
)
def test_a_policy_changes_definitions(patch_type: str, expression: str, changes: Any) -> None:
    for answer in _requests(_server(expression, patch_type)):
        assert answer.code in (200, 201), answer.value
        spec = answer.value["spec"]
        kind = spec["names"]["kind"]
        names = {"kind": kind, "listKind": f"{kind}List", "plural": f"{kind.lower()}s", "singular": kind.lower()}
        assert spec["names"] == {**names, **changes}
        assert spec["conversion"] == {"strategy": "None"}


@pytest.mark.parametrize(
    ("patch_type", "expression", "problem"),
    [
        ("ApplyConfiguration", COLUMNS, f"error applying patch: invalid ApplyConfiguration: {ATOMIC}"),
        (
            "JSONPatch",
            "[JSONPatch{op: 'remove', path: '/spec/nope'}]",
            "JSON Patch: error in remove for path: '/spec/nope': Unable to remove nonexistent key: nope: missing value",
        ),
    ],
)
def test_a_mutation_that_fails_denies_the_request(patch_type: str, expression: str, problem: str) -> None:
    for answer in _requests(_server(expression, patch_type)):
        assert (answer.code, answer.value["message"]) == (403, DENIED + problem)


def test_a_changed_definition_is_validated() -> None:
    expression = "[JSONPatch{op: 'replace', path: '/spec/scope', value: 'Nowhere'}]"
    created, *_ = _requests(_server(expression, "JSONPatch"))
    assert created.code == 422
    assert 'spec.scope: Unsupported value: "Nowhere"' in created.value["message"]


def _special(server: Api) -> list[Any]:
    """Return the answers to a binding and an eviction of a Pod, and to each connection."""
    pods = "/api/v1/namespaces/default/pods"
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert servers.ask(server, "POST", pods, pod).code == 201
    named, target = {"metadata": {"name": "p"}}, {"target": {"name": "n"}}
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", **named}
    return [
        servers.ask(server, "POST", f"{pods}/p/binding?dryRun=All", {**named, **target}),
        servers.ask(server, "POST", "/api/v1/namespaces/default/bindings?dryRun=All", {**named, **target}),
        servers.ask(server, "POST", f"{pods}/p/eviction?dryRun=All", eviction),
        *(servers.ask(server, "GET", f"{pods}/p/{name}") for name in ("exec", "attach", "portforward", "proxy")),
    ]


LABELS = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]"
MISSING = 'JSON Patch: add operation does not apply: doc is missing path: "/metadata/labels": missing value'
UNKNOWN = "error applying patch: failed to convert patch object to typed object: no corresponding type for {}"
KINDS = ("PodExecOptions", "PodAttachOptions", "PodPortForwardOptions", "PodProxyOptions")


def test_a_json_patch_changes_bindings_and_evictions_and_options_have_no_metadata() -> None:
    created, connected = (answers := _special(_server(LABELS, "JSONPatch")))[:3], answers[3:]
    assert [answer.code for answer in created] == [201, 201, 201]
    assert {(answer.code, answer.value["message"]) for answer in connected} == {(403, DENIED + MISSING)}


def test_an_apply_configuration_changes_bindings_and_nothing_else() -> None:
    expression = "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"
    bound, evicted, *connected = _special(_server(expression, "ApplyConfiguration"))[1:]
    assert bound.code == 201
    assert evicted.value["message"] == DENIED + UNKNOWN.format("policy/v1, Kind=Eviction")
    messages = [answer.value["message"] for answer in connected]
    assert messages == [DENIED + UNKNOWN.format(f"/v1, Kind={kind}") for kind in KINDS]


def test_a_policy_may_give_an_object_its_metadata() -> None:
    expression = "[JSONPatch{op: 'add', path: '/metadata', value: {'name': 'given'}}]"
    server = _server(expression, "JSONPatch")
    created = servers.ask(server, "POST", "/api/v1/namespaces/default/configmaps", {"data": {"a": "b"}})
    assert (created.code, created.value.get("metadata", {}).get("name")) == (201, "given")


@pytest.mark.long
@pytest.mark.parametrize(
    ("patch_type", "expression"),
    [
        ("ApplyConfiguration", "Object{spec: Object.spec{x: 1}}"),
        ("ApplyConfiguration", "Object{metadata: Object.metadata{name: 'other'}}"),
        ("JSONPatch", "[JSONPatch{op: 'remove', path: '/metadata'}]"),
        ("JSONPatch", "[JSONPatch{op: 'add', path: '/spec', value: [1]}]"),
        ("JSONPatch", "[JSONPatch{op: 'add', path: '/metadata', value: {'name': 'a'}}]"),
        ("JSONPatch", "[JSONPatch{op: 'replace', path: '/kind', value: 'Other'}]"),
    ],
)
def test_no_kind_verb_and_policy_meet_an_unexpected_error(patch_type: str, expression: str) -> None:
    server = _server(expression, patch_type, groups=["*"], resources=["*/*"])
    merge, apply = ({"mediaType": f"application/{kind}"} for kind in ("merge-patch+json", "apply-patch+yaml"))
    codes = set()
    for type_ in server.catalog.types():
        body = {"apiVersion": type_.api_version, "kind": type_.names.kind, "metadata": {"name": "a"}}
        path = installing.path_of(type_, "default" if type_.is_namespaced else "")
        requests: list[tuple[str, str, Any, dict[str, str]]] = [
            ("POST", path, body, {}),
            ("POST", path, {"spec": {}}, {}),
            ("PUT", f"{path}/a", body, {}),
            ("PATCH", f"{path}/a?fieldManager=m", body, apply),
            ("PATCH", f"{path}/a", {"metadata": {"labels": {"a": "b"}}}, merge),
            *(("POST", f"{path}/a/{subresource.name}", body, {}) for subresource in type_.subresources),
            ("DELETE", f"{path}/a", None, {}),
        ]
        codes |= {servers.ask(server, method, target, sent, **media).code for method, target, sent, media in requests}
    assert {404, 405} < codes
