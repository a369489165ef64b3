"""Strategic merge patches, as far as recorded answers do not show them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.crds.decoded import custom_resource_definition
from pytest_crd.engine.golang import converting
from pytest_crd.engine.registry.patching import strategicerrors, strategicmerge
from pytest_crd.engine.registry.patching.strategicerrors import StrategicError

CRD = custom_resource_definition("v1")
OWNERS = [{"uid": "1", "name": "a"}, {"uid": "2", "name": "b"}]


def _metadata(document: Any, patch: Any, *, cleans: bool = True) -> Any:
    return strategicmerge.merge({"metadata": document}, {"metadata": patch}, CRD, cleans=cleans)["metadata"]


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"finalizers": []}, {"finalizers": []}, {"finalizers": []}),
        ({"finalizers": ["a", "b", "a"]}, {"finalizers": ["b", "c"]}, {"finalizers": ["a", "b", "c"]}),
        ({"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": None}, {}),
        ({"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": "a"}, {"finalizers": ["a"]}),
        ({"finalizers": []}, {"$deleteFromPrimitiveList/finalizers": []}, {"finalizers": []}),
        ({}, {"$setElementOrder/finalizers": ["a"]}, {}),
        ({}, {"$setElementOrder/finalizers": ["b", "a"], "finalizers": ["b"]}, {"finalizers": ["b"]}),
        ({}, {"$setElementOrder/finalizers": [], "finalizers": ["b"]}, {"finalizers": ["b"]}),
        (
            {"ownerReferences": OWNERS},
            {"$setElementOrder/ownerReferences": [{"uid": "2"}, {"uid": "1"}]},
            {"ownerReferences": OWNERS[::-1]},
        ),
        ({"labels": {"a": "b"}}, {"labels": {"$retainKeys": ["c"], "c": "d"}}, {"labels": {"c": "d"}}),
        ({"labels": {"a": "b"}}, {"labels": {"$patch": "delete"}}, {"labels": {}}),
        ({}, {"labels": {"$patch": "delete"}}, {}),
        ({}, {"labels": {"a": {"$patch": "delete"}, "b": [{"$patch": "delete"}, None]}}, {"labels": {"b": [None]}}),
    ],
)
def test_strategic_merge_patches_are_applied(document: Any, patch: Any, result: Any) -> None:
    assert _metadata(document, patch) == result


def test_new_values_keep_nulls_and_directives_without_cleaning() -> None:
    patch = {"labels": {"a": None, "$patch": "odd"}, "$setElementOrder/finalizers": ["a"], "finalizers": ["a"]}
    assert _metadata({}, patch, cleans=False) == {"labels": {"a": None, "$patch": "odd"}, "finalizers": ["a"]}


@pytest.mark.parametrize(
    ("document", "patch", "code", "message"),
    [
        (
            {"labels": {"a": "b"}},
            {"labels": {"$retainKeys": ["c"], "d": "e"}},
            400,
            "invalid patch format of retainKeys",
        ),
        ({"labels": {"a": "b"}}, {"labels": {"$retainKeys": "c"}}, 400, "invalid patch format of retainKeys"),
        ({}, {"$setElementOrderfinalizers": []}, 400, "invalid patch format of setElementOrder list"),
        ({"finalizers": []}, {"finalizers": [["a"]]}, 422, "lists of lists are not supported"),
        (
            {},
            {"$setElementOrder/finalizers": [], "finalizers": 1.5},
            500,
            "expected a []interface {}, but received a float64",
        ),
        ({"finalizers": []}, {"$setElementOrder/finalizers": []}, 500, "no elements in any of the given slices"),
        ({}, {"$setElementOrder/labels": []}, 500, "expected slice or array type, but got: struct"),
        (
            {"ownerReferences": []},
            {"ownerReferences": [{"$patch": "odd"}]},
            500,
            "unknown patch type: odd in map: map[$patch:odd]",
        ),
        ({"finalizers": []}, {"finalizers": [{"a": None}]}, 500, "cannot merge lists without merge key for string"),
        (
            {"labels": {"a": {}}},
            {"labels": {"a": {"b": True}}},
            500,
            "merging an object in json but data type is not struct, instead is: map",
        ),
        (
            {},
            {"$setElementOrder/ownerReferences": [5], "ownerReferences": [{"uid": None, "a": [True]}]},
            500,
            "expected a map[string]interface {}, but received a int64",
        ),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(document: Any, patch: Any, code: int, message: str) -> None:
    with pytest.raises(StrategicError) as error:
        _metadata(document, patch)
    assert (error.value.refusal.code, str(error.value)) == (code, message)


def test_values_are_printed_as_go_prints_them() -> None:
    assert strategicerrors.printed({"b": [1, 1.5, None, True], "a": "x"}) == "map[a:x b:[1 1.5 <nil> true]]"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"metadata": {"labels": []}}, "cannot restore map from slice"),
        ({"metadata": {"finalizers": {}}}, "cannot restore slice from map"),
        ({"metadata": {"finalizers": ["a", True]}}, "unrecognized type: string"),
        ({"metadata": {"labels": {"a": 1}}}, "cannot convert int64 to string"),
        ({"metadata": {"generation": "x"}}, "unrecognized type: int64"),
        ({"metadata": {"creationTimestamp": 5}}, "json: cannot unmarshal number into Go value of type string"),
        (
            {"metadata": {"creationTimestamp": "noon"}},
            'parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"',
        ),
        ({"metadata": {"creationTimestamp": "2024-01-02T03:04:05Z"}}, ""),
        (
            {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "Y"}}}}},
            "error decoding from json: illegal base64 data at input byte 0",
        ),
        ({"metadata": {"generation": 1.5}}, "cannot convert float64 to int64"),
        ({"metadata": {"generation": 1}, "spec": None}, ""),
        ({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"maximum": "x"}}}]}}, "unrecognized type: float64"),
        ({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"maximum": 1, "default": {}}}}]}}, ""),
        ({"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": 5}}}}}, "cannot restore slice from int64"),
        ({"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "YQ=="}}}}}, ""),
    ],
)
def test_values_of_another_type_are_refused(value: Any, problem: str) -> None:
    if not problem:
        assert converting.convert(value, CRD) == value
        return
    with pytest.raises(converting.MistypedError) as error:
        converting.convert(value, CRD)
    assert str(error.value) == problem


def test_applied_directives_are_removed_from_the_patch() -> None:
    """Messages show the remaining patch."""
    patch: Any = {
        "$retainKeys": ["metadata"],
        "metadata": {
            "$setElementOrder/finalizers": ["b", "a"],
            "finalizers": ["b"],
            "labels": {"a": None, "b": {"$patch": "delete"}, "c": [{"$patch": "delete"}, None, "x"]},
        },
    }
    merged = strategicmerge.merge({"kind": "x", "metadata": {"finalizers": ["a"]}}, patch, CRD)

    assert merged == {"metadata": {"finalizers": ["b", "a"], "labels": {"c": [None, "x"]}}}
    assert patch == {"metadata": {"labels": {"c": [None, "x"]}}}


@pytest.mark.parametrize("key", [{"a": 1}, ["a"]])
def test_a_merge_key_that_is_not_a_scalar_makes_the_server_panic(key: Any) -> None:
    with pytest.raises(StrategicError, match="the server panics over a merge key that is no scalar") as error:
        _metadata({"ownerReferences": [{"uid": "a"}]}, {"ownerReferences": [{"uid": key}]})
    assert error.value.refusal.code == 500


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([{"uid": "2"}, {"x": "y"}], "map: map[x:y] does not contain declared merge key: uid"),
        (["1"], "value for key 0 is not a map"),
        ([{"uid": "1"}, {"uid": "2"}, "3"], "expected a map[string]interface {}, but received a string"),
    ],
)
def test_an_order_with_items_without_a_key_is_refused(order: Any, words: str) -> None:
    with pytest.raises(StrategicError) as error:
        _metadata({"ownerReferences": OWNERS}, {"$setElementOrder/ownerReferences": order})
    assert str(error.value) == words
