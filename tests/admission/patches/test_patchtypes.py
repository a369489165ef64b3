"""Types of patches in the expressions of mutations."""

from __future__ import annotations

import pytest
from support import patches

from pytest_crd.admission.patches import patchtypes
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.policies.composition import Composition


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("Object{spec: Object.spec{size: 3}}.spec.size == 3", True),
        ("Object{a: 1}.b == null", True),
        ("has(Object{a: 1}.a) && !has(Object{a: 1}.b)", True),
        ("has(dyn(Object{a: 1}).a)", False),
        ("Object{a: 'x'}.?a.orValue('y') + Object{a: 'x'}.?b.orValue('y')", "yy"),
        ("optional.ofNonZeroValue(Object{}).hasValue() || !optional.ofNonZeroValue(Object{a: 1}).hasValue()", False),
        ("optional.ofNonZeroValue(JSONPatch{}).hasValue()", True),
        ("Object{a: 1} == Object{a: 1} && Object{a: 1} != Object{a: 2}", True),
        ("Object{a: 1} == Object{b: 1} || Object{a: 1} == dyn(1) || dyn(Object.x{}) == Object{}", False),
        ("Object{a: 1} == Object{a: 1.0}", False),
        ("Object{a: Object.a{b: 's'}} == Object{a: Object.a{b: 's'}}", True),
        ("JSONPatch{op: 'add', path: '/a', value: 1}.op", "add"),
        ("JSONPatch{op: 'add'}.value == null && JSONPatch{}.path == '' && JSONPatch{value: 2}.value == 2", True),
        ("has(JSONPatch{op: 'add'}.op) && !has(JSONPatch{}.from) && !has(JSONPatch{}.value)", True),
        ("JSONPatch{op: 'x', value: 1} == JSONPatch{op: 'x', value: 1} && JSONPatch{} == JSONPatch{}", True),
        (
            "JSONPatch{} == JSONPatch{value: 1} || JSONPatch{op: 'x'} == JSONPatch{} || dyn(JSONPatch{}) == dyn(1)",
            False,
        ),
        ("JSONPatch{?op: optional.of('x'), from: dyn(optional.of('y'))}.from", "y"),
        ("jsonpatch.escapeKey('a/b~c')", "a~1b~0c"),
        ("has(object.x)", False),
    ],
)
def test_objects_and_operations_have_fields(expression: str, value: object) -> None:
    assert patches.evaluate(expression).value == value


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("dyn(Object{a: 1}).a", "no such key: a"),
        ("Object{a: Object.a{b: 1}}.a.c", "no such key: c"),
        ("(object.x == 1 ? Object{a: 1} : null).a", 'cannot get field "a"'),
        ("(object.x == 1 ? JSONPatch{} : null).op", "no such key: op"),
        ("dyn(JSONPatch{}).wrong", "unsupported indexer: wrong"),
        ("has(dyn(JSONPatch{}).wrong)", "unsupported field: wrong"),
        ("JSONPatch{op: dyn(1)}", "unexpected type int64 for JSONPatchType 'op' field"),
        ("JSONPatch{path: dyn(null)}", "unexpected type structpb.NullValue for JSONPatchType 'path' field"),
    ],
)
def test_missing_fields_and_wrong_texts_fail(expression: str, problem: str) -> None:
    assert patches.evaluate(expression, {"x": 2}).problem == f"expression '{expression}' resulted in error: {problem}"


@pytest.mark.parametrize(
    "expression",
    [
        "JSONPatch{from: dyn([])}",
        "Object{a: [1]} == Object{a: [1]}",
        "Object{a: duration('1s')}.a == null",
    ],
)
def test_values_that_depend_on_addresses_are_unsupported(expression: str) -> None:
    with pytest.raises(UnsupportedExpressionError):
        patches.evaluate(expression)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("JSONPatch{wrong: 1}", "expected type of field 'wrong' is '' but provided type is 'int'"),
        ("JSONPatch{op: 1}", "expected type of field 'op' is 'string' but provided type is 'int'"),
        ("Other{a: 1}", "undeclared reference to 'Other'"),
        ("request.wrong", "undefined field 'wrong'"),
    ],
)
def test_wrong_fields_and_types_do_not_compile(expression: str, problem: str) -> None:
    assert problem in patches.compile(expression).problem


def test_types_are_no_values() -> None:
    for expression in ("Object.spec", "Object"):
        assert patches.compile(expression).problem == (
            f"program instantiation failed: reference to undefined type: {expression}"
        )


def test_other_expressions_have_no_patch_types() -> None:
    assert "undeclared reference to 'Object'" in Composition(patches.NEWEST).compile("Object{}", ()).problem


def test_types_print_their_names() -> None:
    assert str(patches.evaluate("Object.a{}").value) == "Object.a"
    assert str(patches.evaluate("JSONPatch{}").value) == patchtypes.JSON_PATCH.name
    assert patches.evaluate("size([Object{}])").value == 1
