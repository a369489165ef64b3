"""Returned values belong to the caller: changing them does not change later answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from pytest_crd import synthesis
from pytest_crd.engine import CrdVersion, CustomResourceDefinition

LIST: Final = {"type": "array", "default": [1, {"k": "v"}], "items": {"x-kubernetes-preserve-unknown-fields": True}}
SPEC: Final = {
    "type": "object",
    "default": {"kept": [1, {"k": "v"}]},
    "properties": {
        "kept": LIST,
        "one": {"type": "string", "enum": ["a", "b"]},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "inner": {"type": "object", "default": {}, "properties": {"numbers": LIST}},
    },
}
MANIFEST: Final[Mapping[str, Any]] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "pots.example.com", "labels": {"a": "b"}},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "pots", "singular": "pot", "kind": "Pot", "listKind": "PotList", "shortNames": ["p"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
            }
        ],
    },
}
OBJECT: Final = {"metadata": {"name": "a"}, "spec": {"one": "a", "free": {"a": [1]}, "kept": [{"b": 1}]}}


def _version(crd: CustomResourceDefinition) -> CrdVersion:
    return crd.version("v1")


def _boundaries(crd: CustomResourceDefinition) -> list[Any]:
    return [[boundary.inside, boundary.outside, boundary.old] for boundary in synthesis.boundaries(_version(crd))]


ANSWERS: Final[Mapping[str, Callable[[CustomResourceDefinition], Any]]] = {
    "manifest": lambda crd: crd.manifest,
    "response.stored": lambda crd: crd.response.stored,
    "response.status": lambda crd: _version(crd).create({"spec": {"one": "z"}}).status,
    "update_from": lambda crd: crd.update_from(crd).stored,
    "bad values": lambda crd: [error.bad_value for error in _version(crd).create({"spec": {"one": [1]}}).errors],
    "create": lambda crd: _version(crd).create({"spec": {}}).stored,
    "create nothing": lambda crd: _version(crd).create({}).stored,
    "update": lambda crd: _version(crd).update({"spec": {}}, old={"spec": {}}).stored,
    "prune": lambda crd: _version(crd).prune(OBJECT).value,
    "default": lambda crd: _version(crd).default({}).value,
    "openapi 2": lambda crd: _version(crd).openapi(2),
    "openapi 3": lambda crd: _version(crd).openapi(3),
    "json_schema": lambda crd: _version(crd).json_schema(),
    "published_schema": lambda crd: _version(crd).published_schema,
    "example": lambda crd: synthesis.example(_version(crd)),
    "full example": lambda crd: synthesis.example(_version(crd), full=True),
    "boundaries": _boundaries,
    "a boundary": lambda crd: synthesis.boundary(_version(crd), "spec.one", "enum").inside,
}


def _spoil(value: Any) -> None:
    """Change everything in a value that can be changed."""
    if isinstance(value, dict | list):
        for inner in list(value.values()) if isinstance(value, dict) else value:
            _spoil(inner)
        value.clear()


def _all(crd: CustomResourceDefinition) -> dict[str, str]:
    return {name: json.dumps(get(crd), sort_keys=True) for name, get in ANSWERS.items()}


@pytest.mark.parametrize("spoilt", ANSWERS)
def test_returned_values_may_be_changed(spoilt: str) -> None:
    crd = CustomResourceDefinition.from_manifest(MANIFEST)
    before = _all(crd)

    _spoil(ANSWERS[spoilt](crd))

    assert _all(crd) == before


def test_a_manifest_may_be_changed_after_loading() -> None:
    manifest: Any = copy.deepcopy(MANIFEST)
    crd = CustomResourceDefinition.from_manifest(manifest)

    _spoil(manifest)

    assert _all(crd) == _all(CustomResourceDefinition.from_manifest(MANIFEST))


@pytest.mark.parametrize(
    "ask",
    [
        lambda version, resource: version.prune(resource).value,
        lambda version, resource: version.default(resource).value,
        lambda version, resource: version.create(resource).stored,
        lambda version, resource: version.update(resource, old={"metadata": {"name": "a"}}).stored,
        lambda version, resource: version.update({"metadata": {"name": "a"}}, old=resource).stored,
        lambda version, resource: version.update_status({"metadata": {"name": "a"}}, old=resource).stored,
    ],
)
def test_requests_do_not_modify_their_input(ask: Callable[[CrdVersion, Any], Any]) -> None:
    resource = copy.deepcopy(OBJECT)

    _spoil(ask(CustomResourceDefinition.from_manifest(MANIFEST).version("v1"), resource))

    assert resource == OBJECT
