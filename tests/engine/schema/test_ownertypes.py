"""Whether a schema may have lists whose items have owners of their own, which is asked before all its nodes are."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.schema import ownertypes

_SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, False),
        (_SET, True),
        (_SET | {"x-kubernetes-list-type": "map"}, True),
        (_SET | {"x-kubernetes-list-type": "atomic"}, False),
        ({"properties": {"spec": {"items": {"additionalProperties": _SET}}}}, True),
        ({"anyOf": [{"properties": {}}, _SET]}, True),
        ({"required": ["a"], "enum": [[["b"]], None, 1]}, False),
        ({"properties": {"x-kubernetes-list-type": {"type": "string"}}}, False),
        ({"properties": {"x-kubernetes-list-type": _SET}}, True),
        ({"x-kubernetes-list-type": ["set"]}, False),
    ],
)
def test_whether_a_list_may_be_shared_by_item(schema: dict[str, Any], *, expected: bool) -> None:
    assert ownertypes.may_share_by_item(schema) is expected
