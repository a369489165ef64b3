"""Type warnings about policies, as kube-controller-manager writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conformance import typechecking as recordings
from support import servers

from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.policies import definitions, policytypes, typechecking
from pytest_crd.policies.definitions import VALIDATING
from pytest_crd.policies.typechecking import TypeChecking

_NEWEST = profile.named(recordings.VERSION)
_WARNINGS = recordings.recorded()


@pytest.fixture(scope="module")
def crds() -> list[CustomResourceDefinition]:
    return [
        CustomResourceDefinition.from_manifest(crd, kubernetes_version=recordings.VERSION) for crd in recordings.crds()
    ]


def check(resource: Any, crds: list[CustomResourceDefinition]) -> TypeChecking:
    policy = definitions.read_policy(policytypes.defaulted(resource, VALIDATING, "v1"))
    return typechecking.check(policy, crds, _NEWEST)


@pytest.mark.parametrize("resource", recordings.policies(), ids=lambda item: item["metadata"]["name"])
def test_the_warnings_of_a_server_are_given(resource: Any, crds: list[CustomResourceDefinition]) -> None:
    warnings = [[warning.field_ref, warning.warning] for warning in check(resource, crds).warnings]
    assert warnings == _WARNINGS[resource["metadata"]["name"]]


def test_kinds_without_a_crd_are_unchecked(crds: list[CustomResourceDefinition]) -> None:
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["deployments", "*/scale"],
    }
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "object.spec.sise == params.data.a"}],
    }
    checked = check({"kind": VALIDATING, "metadata": {"name": "a"}, "spec": spec}, crds)
    assert checked == TypeChecking((), ("apps/v1, deployments", "/v1, Kind=ConfigMap"))


def _policy(group: str, versions: list[str], resource: str) -> Any:
    rule = {"apiGroups": [group], "apiVersions": versions, "operations": ["CREATE"], "resources": [resource]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "object.spec.sise == 1"}]}
    return {"kind": VALIDATING, "metadata": {"name": "a"}, "spec": spec}


def test_a_crd_whose_names_are_taken_is_unchecked(tmp_path: Path) -> None:
    for name in ("a", "b"):
        manifest = servers.crd("Thing", names={"kind": "Thing", "plural": f"{name}s"})
        manifest["metadata"]["name"] = f"{name}s.example.com"
        (tmp_path / f"{name}.yaml").write_text(json.dumps(manifest), encoding="utf-8")

    first, second = engine.load([tmp_path])

    assert check(_policy("example.com", ["v1"], "as"), [first, second]).warnings
    assert check(_policy("example.com", ["v1"], "bs"), [first, second]) == TypeChecking((), ("example.com/v1, bs",))


def test_ten_kinds_are_checked() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    names = [f"v{number}" for number in range(1, 13)]
    versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in names]
    crd = CustomResourceDefinition.from_manifest(servers.crd("Thing", versions=versions))

    (warning,) = check(_policy("example.com", names, "things"), [crd]).warnings

    assert warning.warning.count("Kind=Thing: ") == 10
