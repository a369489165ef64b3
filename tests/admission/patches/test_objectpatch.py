"""Patches of mutating webhooks."""

from __future__ import annotations

import json

import pytest
from support.admissions import NEWEST, OBJECT

from pytest_crd.admission.patches import objectpatch
from pytest_crd.admission.patches.objectpatch import PatchFailedError, UndecodablePatchError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue


def apply(*operations: JSONValue) -> JSONObject:
    return objectpatch.apply(objectpatch.decode(json.dumps(operations).encode()), OBJECT, NEWEST)


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        (b"{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        (b"5", "json: cannot unmarshal number into Go value of type jsonpatch.Patch"),
        (b'["x"]', "json: cannot unmarshal string into Go value of type jsonpatch.Operation"),
        (b"[", "unexpected end of JSON input"),
        (b"\xff", "invalid character 'ÿ' looking for beginning of value"),
        (
            b'[{"op":"add","path":"/x","value":1e999}]',
            "json: cannot unmarshal number 1e999 into Go value of type float64",
        ),
    ],
)
def test_patches_that_are_no_list_of_objects_are_refused(patch: bytes, problem: str) -> None:
    with pytest.raises(UndecodablePatchError) as error:
        objectpatch.decode(patch)
    assert str(error.value) == problem


@pytest.mark.parametrize("patch", [b"null", b"[]"])
def test_empty_patches_have_no_operations(patch: bytes) -> None:
    assert objectpatch.decode(patch) == []


def test_a_patch_leaves_the_object_as_it_was() -> None:
    patched = apply({"op": "add", "path": "/spec/y", "value": 1.5})
    assert patched["spec"] == {"x": 1, "y": 1.5}
    assert OBJECT["spec"] == {"x": 1}


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (None, "Unexpected kind: unknown"),
        (
            {"op": "remove", "path": "/z"},
            "error in remove for path: '/z': Unable to remove nonexistent key: z: missing value",
        ),
        (
            {"op": "test", "path": ""},
            "the server panics over operation 0: a test of the whole document without a value",
        ),
        ({"op": "replace", "path": "", "value": {"a": 1}}, "Object 'Kind' is missing in '{\"a\":1}'"),
        (
            {"op": "replace", "path": "", "value": [1]},
            "couldn't get version/kind; json parse error: json: cannot unmarshal",
        ),
        ({"op": "replace", "path": "/kind", "value": 1}, "couldn't get version/kind; json parse error: json: cannot"),
        ({"op": "replace", "path": "/apiVersion", "value": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
    ],
)
def test_results_that_are_no_objects_are_refused(operation: JSONValue, problem: str) -> None:
    with pytest.raises(PatchFailedError) as error:
        apply(operation)
    assert str(error.value).startswith(problem)
