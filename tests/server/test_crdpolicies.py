"""MutatingAdmissionPolicies on CustomResourceDefinitions, with the answers of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
DRY = f"{servers.CRDS}?dryRun=All"
COLUMN = "Object.spec.versions.additionalPrinterColumns{name: 'A', type: 'string', jsonPath: '.a'}"
VERSION = f"Object.spec.versions{{name: 'v1', additionalPrinterColumns: [{COLUMN}]}}"
COLUMNS = f"Object{{spec: Object.spec{{versions: [{VERSION}]}}}}"
ATOMIC = "may not mutate atomic arrays, maps or structs: .spec.versions, .spec.versions[0].additionalPrinterColumns"
DENIED = "policy 'p' with binding 'b' denied request: "


def _server(expression: str, patch_type: str) -> Api:
    server = servers.api(servers.crd("Stored"))
    key = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}[patch_type]
    rule = {"apiGroups": ["apiextensions.k8s.io"], "apiVersions": ["*"], "operations": ["*"]}
    spec = {
        "matchConstraints": {"resourceRules": [{**rule, "resources": ["customresourcedefinitions"]}]},
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
