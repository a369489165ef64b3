"""Laws that hold for every schema and every object."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd import engine
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, DecodeError, UnsupportedConstructError, jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

# Few names, so that schemas and objects share fields.
NAMES = st.sampled_from(["a", "ab", "b", "spec", "kind", "apiVersion", "metadata"])
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from([0.5, -1.5]) | st.text("ab", max_size=2)
VALUES: st.SearchStrategy[JSONValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
# Metadata has its own laws; malformed metadata ends every pass with an error.
RESOURCES = st.dictionaries(NAMES.filter(lambda name: name != "metadata"), VALUES, max_size=5)
ANY_RESOURCES = st.dictionaries(NAMES, VALUES, max_size=5)


def _schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "properties": st.dictionaries(NAMES, inner, max_size=4),
        "items": inner,
        "additionalProperties": inner | st.booleans(),
        "default": VALUES,
        "nullable": st.booleans(),
        "x-kubernetes-preserve-unknown-fields": st.just(value=True),
        "x-kubernetes-int-or-string": st.booleans(),
        "allOf": st.lists(inner, max_size=2),
        "not": inner,
    }
    types = st.sampled_from(["object", "array", "string", "integer", ""])
    return st.fixed_dictionaries({"type": types}, optional=keywords)


LEAVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["object", "string", "integer"])},
    optional={"default": VALUES, "nullable": st.booleans(), "pattern": st.sampled_from(["^a", "("])},
)
SCHEMAS = st.recursive(LEAVES, _schema, max_leaves=6)
# Malformed embedded metadata raises DecodeError; only the law about errors generates it.
WILD_SCHEMAS = st.recursive(
    LEAVES | st.just({"type": "object", "x-kubernetes-embedded-resource": True}) | st.just({"$ref": "a"}),
    _schema,
    max_leaves=6,
)


def _version(schema: dict[str, Any], api_version: str = "apiextensions.k8s.io/v1") -> CrdVersion:
    crd = CustomResourceDefinition.from_manifest(
        {
            "apiVersion": api_version,
            "kind": "CustomResourceDefinition",
            "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
        }
    )
    return crd.version("v1")


def _read_and_stored(read: dict[str, Any], stored: dict[str, Any]) -> CrdVersion:
    """Return version `v1`, with spec properties *read*, of a CRD whose storage version has spec properties *stored*."""
    versions = []
    for name, properties in (("v1", read), ("v2", stored)):
        spec = {"type": "object", "properties": properties}
        schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
        versions.append({"name": name, "served": True, "storage": name == "v2", "schema": schema})
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "tabs", "kind": "Tab"},
            "scope": "Cluster",
            "versions": versions,
        },
    }
    return CustomResourceDefinition.from_manifest(crd).version("v1")


def _spelled_leaves(value: JSONValue, path: str = "") -> dict[str, JSONValue]:
    """Return every value in a tree by its path, spelled as in warnings."""
    values = {path: value}
    if isinstance(value, dict):
        for key, item in value.items():
            values.update(_spelled_leaves(item, f"{path}.{key}" if path else key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            values.update(_spelled_leaves(item, f"{path}[{index}]"))
    return values


def _is_below(path: str, parent: str) -> bool:
    """Return True if *path* is below *parent*: `spec.ab` is not below `spec.a`."""
    return path.startswith((f"{parent}.", f"{parent}["))


@given(SCHEMAS, RESOURCES)
def test_pruning_twice_is_pruning_once(schema: dict[str, Any], resource: dict[str, Any]) -> None:
    version = _version(schema)
    once = version.prune(resource).value
    again = version.prune(once)
    assert jsonvalue.equal(again.value, once)
    assert again.paths == ()


@given(SCHEMAS, RESOURCES)
def test_defaulting_twice_is_defaulting_once(schema: dict[str, Any], resource: dict[str, Any]) -> None:
    version = _version(schema)
    once = version.default(resource).value
    again = version.default(once)
    assert jsonvalue.equal(again.value, once)
    assert not again.nulls


@given(SCHEMAS, RESOURCES)
def test_no_pass_changes_its_input(schema: dict[str, Any], resource: dict[str, Any]) -> None:
    schema_before, before = copy.deepcopy((schema, resource))
    version = _version(schema)
    version.prune(resource)
    version.default(resource)
    assert jsonvalue.equal(resource, before)
    assert jsonvalue.equal(schema, schema_before)


@given(SCHEMAS, RESOURCES)
def test_pruned_paths_are_exactly_the_removed_fields(schema: dict[str, Any], resource: dict[str, Any]) -> None:
    """Each removed field is a pruned path or below one; the remaining fields keep their values."""
    pruned = _version(schema).prune(resource)
    before, after = _spelled_leaves(resource), _spelled_leaves(pruned.value)
    gone = before.keys() - after.keys()
    outermost = {path for path in gone if not any(_is_below(path, parent) for parent in gone)}
    assert after.keys() <= before.keys()
    assert len(pruned.paths) == len(set(pruned.paths))
    assert set(pruned.paths) == outermost
    for path, value in after.items():
        if not isinstance(value, dict | list):
            assert jsonvalue.equal(value, before[path])


@given(SCHEMAS, RESOURCES)
def test_defaulting_removes_only_nulls(schema: dict[str, Any], resource: dict[str, Any]) -> None:
    defaulted = _version(schema).default(resource)
    before, after = _spelled_leaves(resource), _spelled_leaves(defaulted.value)
    assert before.keys() - after.keys() == set(defaulted.nulls)
    for path in after.keys() - before.keys():
        assert any(path == parent or _is_below(path, parent) for parent in defaulted.paths)
    assert all(before[path] is None for path in defaulted.nulls)


@given(VALUES, VALUES, VALUES)
def test_equality_is_an_equivalence(first: JSONValue, second: JSONValue, third: JSONValue) -> None:
    assert jsonvalue.equal(first, copy.deepcopy(first))
    assert jsonvalue.equal(first, second) == jsonvalue.equal(second, first)
    if jsonvalue.equal(first, second) and jsonvalue.equal(second, third):
        assert jsonvalue.equal(first, third)


NUMBERS = st.fixed_dictionaries(
    {"type": st.just("integer")}, optional={"default": st.integers(-5, 5), "nullable": st.booleans()}
)


@given(
    st.dictionaries(NAMES, NUMBERS, max_size=4),
    st.dictionaries(NAMES, NUMBERS, max_size=4),
    st.dictionaries(NAMES, st.none() | st.integers(-5, 5), max_size=5),
)
def test_only_fields_of_both_versions_survive_storage_in_another_version(
    read: dict[str, Any], stored: dict[str, Any], spec: dict[str, Any]
) -> None:
    version = _read_and_stored(read, stored)
    answer = version.create({"spec": spec})
    assert answer.accepted
    sent = version.default(version.prune({"spec": spec}).value).value["spec"]
    stored_spec = answer.stored["spec"]
    assert stored_spec.keys() <= read.keys() & stored.keys()
    assert set(answer.lost) == {f"spec.{name}" for name in sent.keys() - stored.keys()}
    for name in sent.keys() & stored.keys():
        if sent[name] is not None:
            assert jsonvalue.equal(stored_spec[name], sent[name])


# Values that are often equal, or nearly so.
TWINS = st.sampled_from([0, 0.0, False, "", None])


@given(st.lists(TWINS, max_size=2), st.lists(TWINS, max_size=2), st.lists(TWINS, max_size=2))
def test_equality_is_an_equivalence_among_look_alikes(
    first: list[JSONValue], second: list[JSONValue], third: list[JSONValue]
) -> None:
    test_of_types = [type(item) for item in first] == [type(item) for item in second]
    assert jsonvalue.equal(first, second) == jsonvalue.equal(second, first) == test_of_types
    if jsonvalue.equal(first, second):
        assert jsonvalue.equal(first, third) == jsonvalue.equal(second, third)


def _holds_null(value: JSONValue) -> bool:
    """Return True if an object in *value* has a null, found by a plain walk."""
    if isinstance(value, dict):
        return any(item is None or _holds_null(item) for item in value.values())
    return isinstance(value, list) and any(map(_holds_null, value))


def _containers(inner: st.SearchStrategy[JSONValue]) -> st.SearchStrategy[JSONValue]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=4)


@given(st.recursive(TWINS | st.text() | st.floats() | st.integers(), _containers, max_leaves=12))
def test_no_null_is_overlooked(value: JSONValue) -> None:
    assert jsonvalue.may_hold_null(value) or not _holds_null(value)


@given(st.recursive(st.sampled_from(["N", "NN", "s", 0x4E30, None, 1.5, True]), _containers, max_leaves=8))
def test_no_null_is_overlooked_among_look_alikes(value: JSONValue) -> None:
    assert jsonvalue.may_hold_null(value) or not _holds_null(value)


@pytest.mark.parametrize("text", ["some key", "ä key", "x" * 300, "ä" * 300])
@pytest.mark.parametrize("make", [str.lower, lambda text: sys.intern(text.lower())], ids=["new", "interned"])
@pytest.mark.parametrize("holders", [1, 2])
def test_a_null_before_any_key_is_found(text: str, make: Callable[[str], str], holders: int) -> None:
    # Python marshals a text differently if it is interned or has a second reference.
    value = {"n": None, make(text): 1}
    others = [dict.fromkeys(value)] * (holders - 1)
    assert jsonvalue.may_hold_null(value)
    assert len(others) == holders - 1


def test_values_without_nulls_are_recognized() -> None:
    assert not jsonvalue.may_hold_null({"a": [1, "None"], "b": "null", "c": {}})


@given(WILD_SCHEMAS, ANY_RESOURCES, st.sampled_from(["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"]))
def test_only_documented_errors_are_raised(schema: dict[str, Any], resource: dict[str, Any], api_version: str) -> None:
    """For any input the passes return data or raise an error that they document."""
    version = _version(schema, api_version)
    assert version.is_structural == (not version.structural_errors)
    assert [condition.type for condition in version.crd.conditions] == [
        *("NamesAccepted", "Established"),
        # A v1beta1 CRD preserves unknown fields unless it says otherwise.
        *([] if version.is_structural and api_version.endswith("/v1") else ["NonStructuralSchema"]),
    ]
    for ask in (version.prune, version.default):
        try:
            answer = ask(resource)
        except (DecodeError, UnsupportedConstructError):
            continue
        assert isinstance(answer, engine.Pruned | engine.Defaulted)
