"""Policies, bindings and params of a project on a server."""

from __future__ import annotations

import pytest
from support import servers

from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest
from pytest_crd.policies.definitions import ParamKind
from pytest_crd.server.api import Api
from pytest_crd.server.installedpolicies import InstalledPolicies
from pytest_crd.server.policyparams import StoredParams


def _install(text: str) -> Api:
    api = servers.api()
    InstalledPolicies(api, manifest.read(text.encode(), source="p.yaml"))
    return api


def test_params_are_stored_in_their_namespaces() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n"
    param = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s%s}\n"
    api = _install(f"{namespace}---\n{param % ('a', ', namespace: team')}---\n{param % ('b', '')}")
    params, kind = StoredParams(api.store, api.catalog.types), ParamKind("v1", "ConfigMap")

    assert [item["metadata"]["name"] for item in params.read(kind, "team")] == ["a"]
    assert [item["metadata"]["name"] for item in params.read(kind, "default")] == ["b"]


def test_kinds_that_are_not_served_have_no_params() -> None:
    api = servers.api()
    params = StoredParams(api.store, api.catalog.types)

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
