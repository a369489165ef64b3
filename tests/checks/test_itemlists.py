"""The lists of a version with an owner for each item, found without a node for each place."""

from __future__ import annotations

from typing import Any

import pytest
from support.covered import version_of

from pytest_crd.checks import itemlists
from pytest_crd.engine.schema import ownertypes

SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "inner": SET}},
}
EMBEDDED = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "properties": {"metadata": {"type": "object", "properties": {"finalizers": SET}}, "spec": SET},
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"type": "object"}, []),
        (SET, ["spec"]),
        (SET | {"x-kubernetes-list-type": "atomic"}, []),
        ({"type": "object", "properties": {"b": MAP, "a": SET}}, ["spec.b", "spec.b[*].inner", "spec.a"]),
        (
            {"type": "object", "additionalProperties": {"type": "array", "items": MAP}},
            ["spec[*][*]", "spec[*][*][*].inner"],
        ),
        ({"type": "object", "additionalProperties": True, "anyOf": [{"properties": {"a": {"minLength": 1}}}]}, []),
        ({"type": "object", "properties": {"x-kubernetes-list-type": SET}}, ["spec.x-kubernetes-list-type"]),
        (EMBEDDED, ["spec.spec"]),
    ],
)
def test_lists_are_found_in_the_order_of_the_schema(spec: dict[str, Any], expected: list[str]) -> None:
    version = version_of({"type": "object", "properties": {"metadata": {"type": "object"}, "spec": spec}})
    actual = [*itemlists.find_all(version)]
    assert [node.path for node in actual] == expected
    assert actual == [
        node for node in version.schema_map if ownertypes.is_shared_by_item(node) and node.meta_of is None
    ]
