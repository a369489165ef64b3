"""JSON patches of mutations."""

from __future__ import annotations

from typing import Any

import pytest
from support import patches

from pytest_crd.admission.patches import jsonpatching
from pytest_crd.admission.patches.patchvalues import FailedMutationError
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.registry.requestbody import RefusedError

_NO_JSON = "JSONPath valueExpression evaluated to a type that could not marshal to JSON"
_REQUEST = {"userInfo": {"groups": ["a"]}, "kind": {"kind": "Thing"}, "options": {"x": {}}}
_NAMESPACE = {"metadata": {"labels": {"a": "b"}}, "status": {"conditions": [{"type": "x"}]}}


def thing(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


def change(expression: str, **spec: Any) -> Any:
    resource = thing(**spec)
    crd: Any = None
    return patches.apply(expression, crd, resource, request=_REQUEST, namespaceObject=_NAMESPACE)["spec"]


def add(value: str, **spec: Any) -> Any:
    return change(f"[JSONPatch{{op: 'add', path: '/spec/any', value: {value}}}]", **spec)["any"]


# A list that contains another one twice, at many depths.
DOUBLED = f"[1]{'.map(a, [a, a])' * 30}"


@pytest.mark.parametrize("value", [DOUBLED, f"Object.x{{a: {DOUBLED}}}", f"{{'a': {DOUBLED}}}", f"{DOUBLED} + [[]]"])
def test_a_value_that_doubles_at_each_depth_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(workload, "MOST", 200_000)

    with pytest.raises(UnsupportedExpressionError, match="visit more than"):
        add(f"dyn({value})" if value.endswith("[[]]") else value)


@pytest.mark.parametrize(
    ("value", "json"),
    [
        ("{'a': [1], 'b': [2]}", {"a": [1], "b": [2]}),
        ("9007199254740993", "9007199254740993"),
        ("[dyn(1), dyn(2.0), dyn(1e21), dyn(b'abc'), dyn(3u), dyn(duration('90s')), dyn(null)]", [1, 2, 1e21, "YWJj", 3, "90s", None]),
        ("[optional.of(1)]", [1]),
        ("object.spec", {"size": 1}),
        ("Object.spec.any{i: 9007199254740993, d: 1.5, b: true, u: 3u, y: b'abc', l: ['a'], m: {'a': 'b'}, o: Object.spec.any.o{x: -1}, n: optional.none()}",
         {"i": 9007199254740992, "d": 1.5, "b": True, "u": 3, "y": "YWJj", "l": ["a"], "m": {"a": "b"}, "o": {"x": -1}, "n": None}),
        ("{'a': dyn([Object.any{b: 1}])}", {"a": [{"b": 1}]}),
        ("request.options", {"x": {}}),
        ("Object.x{groups: request.userInfo.groups}", {"groups": ["a"]}),
    ],
)  # fmt: skip
def test_values_become_json(value: str, json: Any) -> None:
    assert add(value, size=1) == json


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("{1: 'a'}", "unsupported type conversion from 'int' to string"),
        ("type(1)", "type conversion not supported for 'type'"),
        ("optional.none()", "optional.none() dereference"),
        ("quantity('1')", "type conversion error from 'Quantity' to '*structpb.Value'"),
        ("ip('1.2.3.4')", "type conversion error from 'IP' to '*structpb.Value'"),
        ("Object.x{a: null}", "proto: invalid type: structpb.NullValue"),
        ("Object.x{a: [[1]]}", "proto: invalid type: []ref.Val"),
        ("Object.x{a: [{'b': 1}]}", "proto: invalid type: map[ref.Val]ref.Val"),
        ("Object.x{a: duration('1h')}", "proto: invalid type: time.Duration"),
        ("Object.x{a: {1: 2}}", "fail to convert field \"a\": map key '\\x01' is of type types.Int, not string"),
        ("request.userInfo.groups", "type conversion error from 'list(dyn)' to '*structpb.Value'"),
        ("request.kind", "type conversion error from struct type v1.GroupVersionKind to *structpb.Value"),
        ("namespaceObject.metadata.labels", "type conversion error from 'map(dyn, dyn)' to '*structpb.Value'"),
        ("namespaceObject.status.conditions[0]", "type conversion error from struct type v1.NamespaceCondition to *structpb.Value"),
    ],
)  # fmt: skip
def test_values_without_json_fail(value: str, problem: str) -> None:
    with pytest.raises(FailedMutationError) as caught:
        add(value)

    assert str(caught.value) == f"{_NO_JSON}: {problem}"


def test_objects_are_named_after_their_path() -> None:
    with pytest.raises(
        FailedMutationError, match=r'^type mismatch: unexpected type name "Object\.y", expected "Object\.x\.a"'
    ):
        add("Object.x{a: Object.y{}}")


@pytest.mark.parametrize(
    ("tests", "is_changed"),
    [
        ("JSONPatch{op: 'test', path: '/spec/size', value: 1}", True),
        ("JSONPatch{op: 'test', path: '/spec/size', value: 2}", False),
        ("JSONPatch{op: 'test', path: '/spec/null', value: null}", False),
        ("JSONPatch{op: 'test', path: '/spec/missing', value: null}", False),
        ("JSONPatch{op: 'test', path: '/spec/missing'}", True),
        (
            "JSONPatch{op: 'add', path: '/spec/a', value: null}, JSONPatch{op: 'test', path: '/spec/a', value: null}",
            True,
        ),
    ],
)
def test_a_failing_test_leaves_the_object(tests: str, *, is_changed: bool) -> None:
    changed = change(f"[{tests}, JSONPatch{{op: 'add', path: '/spec/any', value: [1]}}]", size=1, null=None, items=[[]])

    assert ("any" in changed) is is_changed
    assert changed.get("a") is None


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        ("path: '/spec/a'", "JSON Patch: Unexpected kind: "),
        ("op: 'add', value: 1", 'JSON Patch: add operation does not apply: doc is missing path: "": missing value'),
        ("op: 'add', path: '/spec/a\\u0001'", "JSON Patch: add operation failed to decode path: missing value"),
        ("op: 'move', from: '/spec/a', path: '/spec/b'", "JSON Patch: error in move for path: 'a': Unable to remove nonexistent key: a: missing value"),
    ],
)  # fmt: skip
def test_operations_that_do_not_apply_fail(operation: str, problem: str) -> None:
    with pytest.raises(FailedMutationError) as caught:
        change(f"[JSONPatch{{{operation}}}]")

    assert str(caught.value) == problem


def test_a_result_without_a_kind_is_an_internal_error() -> None:
    with pytest.raises(RefusedError) as caught:
        change("[JSONPatch{op: 'remove', path: '/kind'}]")

    assert caught.value.refusal.code == 500
    assert "Object 'Kind' is missing in" in caught.value.refusal.message


@pytest.mark.parametrize("patch", ["JSONPatch{}", "[dyn(1)]"])
def test_other_values_than_lists_of_operations_are_unsupported(patch: str) -> None:
    value = patches.evaluate(patch).value
    with pytest.raises(UnsupportedExpressionError):
        jsonpatching.apply(value, Origins(), thing(), None, patches.NEWEST)


def test_patches_over_which_the_server_panics_are_unsupported() -> None:
    with pytest.raises(UnsupportedExpressionError, match="panics"):
        change("[JSONPatch{op: 'replace', path: ''}]")
