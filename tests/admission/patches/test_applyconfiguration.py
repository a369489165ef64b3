"""Apply configurations, merged into custom resources."""

from __future__ import annotations

from typing import Any

import pytest
from conformance import policyconversations
from support import patches

from pytest_crd.admission.patches.patchvalues import FailedMutationError
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.cel.errors import UnsupportedExpressionError

_CONVERSATION = next(
    each
    for each in policyconversations.read(policyconversations.DECLARED / "mutatedvalues.yaml")
    if each.name == "lists in lists"
)
_FAILED = "error applying patch: failed to convert patch object to typed object"


@pytest.fixture(scope="module")
def crd() -> CustomResourceDefinition:
    return CustomResourceDefinition.from_manifest(_CONVERSATION.filled("ns").crds[0], kubernetes_version="1.37")


def thing(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "ns.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


@pytest.mark.parametrize(
    ("fields", "before", "after"),
    [
        ("size: 3", {"color": "red"}, {"color": "red", "size": 3}),
        ("parts: [Object.spec.parts{name: 'b'}]", {"parts": [{"name": "a"}]}, {"parts": [{"name": "a"}, {"name": "b"}]}),
        ("tags: ['b']", {"tags": ["a", "a"]}, {"tags": ["a", "a", "b"]}),
        ("any: Object.spec.any{list: [Object.spec.any.list{a: 1}]}", {}, {"any": {"list": [{"a": 1}]}}),
        # Parts of the object and joined lists are JSON at any depth, and types in joined lists go unchecked.
        ("any: Object.spec.any{copy: [object.spec.any.m]}", {"any": {"m": {"k": "v"}}}, {"any": {"m": {"k": "v"}, "copy": [{"k": "v"}]}}),
        ("parts: object.spec.parts + [{'name': 'b'}]", {"parts": [{"name": "a"}]}, {"parts": [{"name": "a"}, {"name": "b"}]}),
        ("parts: [Object.wrong{name: 'c'}] + [Object.wrong{name: 'b'}]", {}, {"parts": [{"name": "c"}, {"name": "b"}]}),
        ("any: Object.spec.any{list: [[1] + [2]]}", {}, {"any": {"list": [[1, 2]]}}),
        # Empty lists are null in JSON.
        ("tags: [], any: Object.spec.any{list: [], items: [Object.spec.any.items{a: []}]}", {}, {"tags": None, "any": {"list": None, "items": [{"a": None}]}}),
        ("any: Object.spec.any{a: object.spec.any.l, b: [object.spec.any.e]}", {"any": {"l": [[]], "e": []}}, {"any": {"l": [[]], "e": [], "a": [None], "b": [[]]}}),
        ("tags: []", {"tags": ["a"]}, {"tags": ["a"]}),
        ("?color: optional.of('x'), maybe: optional.none(), ratio: 1.5", {}, {"color": "x", "maybe": None, "ratio": 1.5}),
        ("color: type(1)", {}, {"color": "int"}),
        ("color: optional.of('x')", {}, {"color": "x"}),
    ],
)  # fmt: skip
def test_configurations_are_merged(
    crd: CustomResourceDefinition, fields: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    merged = patches.apply(f"Object{{spec: Object.spec{{{fields}}}}}", crd, thing(**before))

    assert jsonvalue.written(merged["spec"]) == after


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("unknown: 1", f"{_FAILED}: .spec.unknown: field not declared in schema"),
        ("any: Object.spec.any{l: [[1]]}", f"{_FAILED}: .spec.any.l[0]: expected map, got &{{[1]}}"),
        ("any: Object.spec.any{l: {'a': {'b': 'c'}}}", f"{_FAILED}: .spec.any.l.a: expected map, got &{{map[b:c]}}"),
        ("any: object.spec.any", f"{_FAILED}: .spec.any.n: expected map, got &{{NULL_VALUE}}"),
        ("tags: dyn([null])", f"{_FAILED}: .spec.tags[={{{{undefined}}}}]: expected string, got &value.valueUnstructured{{Value:0}}"),
        ("either: null", f"{_FAILED}: .spec.either: expected map, got &{{NULL_VALUE}}"),
        ("on: null", f"{_FAILED}: .spec.on: expected boolean, got &{{NULL_VALUE}}"),
        ("size: 3u", f"{_FAILED}: .spec.size: expected numeric (int or float), got uint64"),
        ("color: 255u", f"{_FAILED}: .spec.color: expected string, got &value.valueUnstructured{{Value:0xff}}"),
        ("color: b'ab'", f"{_FAILED}: .spec.color: expected string, got &value.valueUnstructured{{Value:[]uint8{{0x61, 0x62}}}}"),
        ("color: duration('1s')", f"{_FAILED}: .spec.color: expected string, got &value.valueUnstructured{{Value:1000000000}}"),
        ("tags: timestamp('2001-01-01T00:00:00Z')", f"{_FAILED}: .spec.tags: expected list, got &{{2001-01-01 00:00:00 +0000 UTC}}"),
        ("labels: {1: 'a'}", f"{_FAILED}: .spec: expected map, got &{{fail to convert field \"labels\": map key '\\x01' is of type types.Int, not string}}"),
        ("labels: {39: 'a'}", f"{_FAILED}: .spec: expected map, got &{{fail to convert field \"labels\": map key '\\'' is of type types.Int, not string}}"),
        ("labels: {-1: 'a'}", f"{_FAILED}: .spec: expected map, got &{{fail to convert field \"labels\": map key '\ufffd' is of type types.Int, not string}}"),
        ("labels: {true: 'a'}", f'{_FAILED}: .spec: expected map, got &{{fail to convert field "labels": map key %!q(types.Bool=true) is of type types.Bool, not string}}'),
        ("steps: ['a']", "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.steps"),
        ("nested: Object.spec.wrong{}", 'type mismatch: unexpected type name "Object.spec.wrong", expected "Object.spec.nested", which matches field name path from root Object type'),
        ("labels: {'a': Object.x{}}", 'type mismatch: unexpected type name "Object.x", expected "Object.spec.labels", which matches field name path from root Object type'),
    ],
)  # fmt: skip
def test_configurations_that_do_not_fit_fail(crd: CustomResourceDefinition, fields: str, problem: str) -> None:
    with pytest.raises(FailedMutationError) as caught:
        patches.apply(f"Object{{spec: Object.spec{{{fields}}}}}", crd, thing(any={"n": None}))

    assert str(caught.value) == problem


def test_maps_with_other_keys_at_the_top_are_no_objects(crd: CustomResourceDefinition) -> None:
    with pytest.raises(FailedMutationError, match=r"^invalid return type: \*dynamic.ObjectVal$"):
        patches.apply("Object{spec: {1: 'a'}}", crd, thing())


def test_objects_that_do_not_fit_fail(crd: CustomResourceDefinition) -> None:
    problem = "failed to convert original object to typed object: .spec.size: expected numeric"
    with pytest.raises(FailedMutationError, match=problem):
        patches.apply("Object{spec: Object.spec{color: 'x'}}", crd, thing(size="x"))


def test_another_kind_has_no_type(crd: CustomResourceDefinition) -> None:
    with pytest.raises(FailedMutationError, match=r"no corresponding type for ns\.example\.com/v1, Kind=Other"):
        patches.apply("Object{}", crd, {**thing(), "kind": "Other"})


def test_values_of_libraries_are_unsupported(crd: CustomResourceDefinition) -> None:
    with pytest.raises(UnsupportedExpressionError, match="Quantity in an object of a mutation"):
        patches.apply("Object{spec: Object.spec{size: quantity('1')}}", crd, thing())
