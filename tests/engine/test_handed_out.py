"""What is handed out belongs to who asked for it: whatever is done to it, the next answer is the same."""

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
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
            }
        ],
    },
}
OBJECT: Final = {"metadata": {"name": "a"}, "spec": {"one": "a", "free": {"a": [1]}, "kept": [{"b": 1}]}}


def _version(crd: CustomResourceDefinition) -> CrdVersion:
    return crd.version("v1")


def _boundaries(crd: CustomResourceDefinition) -> list[Any]:
    return [[one.inside, one.outside, one.old] for one in synthesis.boundaries(_version(crd))]


ANSWERS: Final[Mapping[str, Callable[[CustomResourceDefinition], Any]]] = {
    "manifest": lambda crd: crd.manifest,
    "response.stored": lambda crd: crd.response.stored,
    "response.status": lambda crd: _version(crd).create({"spec": {"one": "z"}}).status,
    "update_from": lambda crd: crd.update_from(crd).stored,
    "bad values": lambda crd: [one.bad_value for one in _version(crd).create({"spec": {"one": [1]}}).errors],
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
    return {name: json.dumps(ask(crd), sort_keys=True) for name, ask in ANSWERS.items()}


@pytest.mark.uncounted
@pytest.mark.parametrize("spoilt", ANSWERS)
def test_what_is_handed_out_may_be_changed(spoilt: str) -> None:
    crd = CustomResourceDefinition.from_manifest(MANIFEST)
    before = _all(crd)

    _spoil(ANSWERS[spoilt](crd))

    assert _all(crd) == before


def test_what_is_taken_may_be_changed_afterwards() -> None:
    manifest: Any = copy.deepcopy(MANIFEST)
    crd = CustomResourceDefinition.from_manifest(manifest)

    _spoil(manifest)

    assert _all(crd) == _all(CustomResourceDefinition.from_manifest(MANIFEST))


@pytest.mark.parametrize(
    "ask",
    [
        lambda version, given: version.prune(given).value,
        lambda version, given: version.default(given).value,
        lambda version, given: version.create(given).stored,
        lambda version, given: version.update(given, old={"metadata": {"name": "a"}}).stored,
        lambda version, given: version.update({"metadata": {"name": "a"}}, old=given).stored,
        lambda version, given: version.update_status({"metadata": {"name": "a"}}, old=given).stored,
    ],
)
def test_what_is_asked_about_stays_as_it_is(ask: Callable[[CrdVersion, Any], Any]) -> None:
    given = copy.deepcopy(OBJECT)

    _spoil(ask(CustomResourceDefinition.from_manifest(MANIFEST).version("v1"), given))

    assert given == OBJECT
