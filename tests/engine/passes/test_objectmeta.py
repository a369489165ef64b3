"""Metadata coercion as in a 1.37 server; stored objects as in the Go package of 1.37."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.spelling import spelled

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath, SpelledPath
from pytest_crd.engine.golang import decoding
from pytest_crd.engine.passes import defaulting, objectmeta
from pytest_crd.engine.schema.structural import Structural

NEWEST = profile.named("1.37")
RESOURCE = Structural(type="object", x_embedded_resource=True, x_preserve_unknown_fields=True)
STRING = Structural(type="string")
SCHEMA = Structural(
    type="object",
    properties={
        "one": RESOURCE,
        "list": Structural(type="array", items=RESOURCE),
        "map": Structural(type="object", additional_properties=RESOURCE),
        "deep": Structural(type="object", properties={"list": Structural(type="array", items=RESOURCE), "x": STRING}),
        "plain": Structural(type="object", additional_properties=True, properties={"metadata": STRING}),
    },
)
EMPTY_OWNER = {"apiVersion": "", "kind": "", "name": "", "uid": ""}


def coerce(
    value: Any, schema: Structural = SCHEMA, path: FieldPath = objectmeta.ROOT, **options: Any
) -> objectmeta.Coerced:
    compiled = objectmeta.compile_embedded(schema, NEWEST, **options)
    assert compiled is not None
    unknown: list[SpelledPath] = []
    return objectmeta.Coerced(compiled(value, path, unknown), tuple(sorted(unknown)))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (5, "number into Go value of type v1.ObjectMeta"),
        ("x", "string into Go value of type v1.ObjectMeta"),
        ([], "array into Go value of type v1.ObjectMeta"),
        ({"name": 5}, "number into Go struct field ObjectMeta.name of type string"),
        ({"uid": 5}, "number into Go struct field ObjectMeta.uid of type types.UID"),
        ({"labels": 5}, "number into Go struct field ObjectMeta.labels of type map[string]string"),
        ({"labels": {"b": 1, "a": None}}, "number into Go struct field ObjectMeta.labels of type string"),
        ({"creationTimestamp": 5}, "number into Go struct field ObjectMeta.creationTimestamp of type string"),
        ({"generation": 1.5}, "number 1.5 into Go struct field ObjectMeta.generation of type int64"),
        (
            {"deletionGracePeriodSeconds": 9.223372036854775808e18},
            "number 9223372036854776000 into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64",
        ),
        ({"ownerReferences": 5}, "number into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference"),
        ({"ownerReferences": [5]}, "number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference"),
        (
            {"ownerReferences": [{"controller": "x"}]},
            "string into Go struct field OwnerReference.ownerReferences.controller of type bool",
        ),
        ({"finalizers": [None, 1]}, "number into Go struct field ObjectMeta.finalizers of type string"),
        (
            {"managedFields": [{"operation": 1}]},
            "number into Go struct field ManagedFieldsEntry.managedFields.operation of type v1.ManagedFieldsOperationType",
        ),
        (
            {"managedFields": [{"time": True}]},
            "bool into Go struct field ManagedFieldsEntry.managedFields.time of type string",
        ),
    ],
)
def test_metadata_of_the_wrong_type_is_refused_in_the_servers_words(metadata: Any, message: str) -> None:
    with pytest.raises(decoding.DecodeError) as refused:
        objectmeta.coerce_root(metadata, NEWEST)
    assert str(refused.value) == f"json: cannot unmarshal {message}"


def test_a_wrong_timestamp_is_refused_in_the_servers_words() -> None:
    message = r'\Aparsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"\Z'
    with pytest.raises(decoding.DecodeError, match=message):
        objectmeta.coerce_root({"creationTimestamp": "x"}, NEWEST)


@pytest.mark.parametrize(
    ("metadata", "coerced"),
    [
        pytest.param(None, {}, id="null metadata is empty metadata"),
        pytest.param({"name": None, "labels": None}, {}, id="null fields go"),
        pytest.param(
            {
                "name": "q",
                "generation": 0,
                "labels": {},
                "finalizers": [],
                "managedFields": [],
                "creationTimestamp": "0001-01-01T00:00:00Z",
            },
            {"name": "q"},
            id="empty fields go",
        ),
        pytest.param(
            {"deletionGracePeriodSeconds": 0}, {"deletionGracePeriodSeconds": 0}, id="a grace period of zero stays"
        ),
        pytest.param({"finalizers": [None, "a/b"]}, {"finalizers": ["", "a/b"]}, id="a null finalizer is an empty one"),
        pytest.param({"labels": {"a": None}}, {"labels": {"a": ""}}, id="a null label is an empty one"),
        pytest.param(
            {"ownerReferences": [None, {"name": "a", "controller": False}]},
            {"ownerReferences": [EMPTY_OWNER, {**EMPTY_OWNER, "name": "a", "controller": False}]},
            id="an owner reference has all that it must have, be it empty",
        ),
        pytest.param(
            {"managedFields": [{"fieldsV1": {}}, {"fieldsV1": "a", "manager": ""}, None]},
            {"managedFields": [{"fieldsV1": {}}, {"fieldsV1": "a"}, {}]},
            id="managed fields hold any JSON",
        ),
        pytest.param(
            {"creationTimestamp": "2020-01-01T00:00:00.5+01:00"},
            {"creationTimestamp": "2019-12-31T23:00:00Z"},
            id="times are in UTC",
        ),
    ],
)
def test_metadata_is_coerced_to_object_meta(metadata: Any, coerced: Any) -> None:
    assert objectmeta.coerce_root(metadata, NEWEST) == objectmeta.Coerced(coerced, ())


def test_unknown_metadata_fields_are_dropped_and_listed_by_sorted_keys() -> None:
    metadata = {
        "zz": 1,
        "ownerReferences": [{"zoo": 1}],
        "managedFields": [{"x.y": 1}],
        "Name": "a",
        "clusterName": "x",
    }
    coerced = objectmeta.coerce_root(metadata, NEWEST)
    assert coerced.value == {"ownerReferences": [EMPTY_OWNER], "managedFields": [{}]}
    assert coerced.unknown == (
        "metadata.Name",
        "metadata.clusterName",
        "metadata.managedFields[0].x.y",
        "metadata.ownerReferences[0].zoo",
        "metadata.zz",
    )


def test_malformed_fields_can_be_dropped_one_by_one() -> None:
    metadata = {"name": "a", "labels": {"a": "b", "c": 1}, "uid": 5, "foo": 1, "finalizers": ["x"]}
    coerced = objectmeta.coerce_root(metadata, NEWEST, drop_malformed=True)
    assert coerced == objectmeta.Coerced({"name": "a", "finalizers": ["x"]}, spelled("metadata.foo"))


@pytest.mark.parametrize(
    ("metadata", "go_type"),
    [(5, "int64"), (1.5, "float64"), (True, "bool"), ("a", "string"), ([], "[]interface {}")],
)
def test_metadata_that_is_not_an_object_cannot_be_dropped(metadata: Any, go_type: str) -> None:
    with pytest.raises(decoding.DecodeError) as refused:
        objectmeta.coerce_root(metadata, NEWEST, drop_malformed=True)
    assert str(refused.value) == f"invalid metadata: expected object, got {go_type}"


@pytest.mark.parametrize(("version", "kept"), [("1.21", {"clusterName"}), ("1.37", {"subresource"})])
def test_metadata_had_a_cluster_name_and_managed_fields_have_a_subresource(version: str, kept: set[str]) -> None:
    metadata = {"clusterName": "c", "managedFields": [{"subresource": "s"}]}
    coerced = objectmeta.coerce_root(metadata, profile.named(version))
    assert {*coerced.value, *coerced.value["managedFields"][0]} - {"managedFields"} == kept
    assert len(coerced.unknown) == 1


def test_older_versions_print_invalid_embedded_resources_in_go_syntax() -> None:
    compiled = objectmeta.compile_embedded(SCHEMA, profile.named("1.32"))
    assert compiled is not None
    with pytest.raises(objectmeta.EmbeddedError) as raised:
        compiled({"one": {"kind": {"a": None}}}, objectmeta.ROOT, [])
    printed = 'map[string]interface {}{"a":interface {}(nil)}'
    assert str(raised.value) == f"one.kind: Invalid value: {printed}: must be a string"


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(STRING, id="a scalar"),
        pytest.param(Structural(type="object", additional_properties=True), id="a free map"),
        pytest.param(Structural(type="array", items=Structural(properties={"a": STRING})), id="plain structure"),
    ],
)
def test_a_schema_without_embedded_resources_needs_no_coercion(schema: Structural) -> None:
    assert objectmeta.compile_embedded(schema, NEWEST) is None


def test_unknown_fields_of_embedded_metadata_have_map_keys_in_brackets_and_are_sorted_as_texts() -> None:
    resource = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a", "bar": 1}}
    clean = {**resource, "metadata": {"name": "a"}}
    value = {
        "one": resource,
        "map": {"k.a": resource, "k": resource},
        "list": [{}, resource],
        "deep": {"list": [resource]},
    }
    assert coerce(value) == objectmeta.Coerced(
        {"one": clean, "map": {"k.a": clean, "k": clean}, "list": [{}, clean], "deep": {"list": [clean]}},
        spelled(
            "deep.list[0].metadata.bar",
            "list[1].metadata.bar",
            "map[k.a].metadata.bar",
            "map[k].metadata.bar",
            "one.metadata.bar",
        ),
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"one": {"metadata": 5}},
            "one.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta",
        ),
        (
            {"map": {"k": {"metadata": {"labels": {"a": 5}, "name": "x<"}}}},
            (
                r'map[k].metadata: Invalid value: {"labels":{"a":5},"name":"x\u003c"}: '
                "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
            ),
        ),
        ({"list": [{"kind": None}]}, "list[0].kind: Invalid value: null: must be a string"),
        ({"one": {"apiVersion": 1.5, "kind": 5}}, "one.apiVersion: Invalid value: 1.5: must be a string"),
        ({"one": {"apiVersion": {"a": [1]}}}, 'one.apiVersion: Invalid value: {"a":[1]}: must be a string'),
    ],
)
def test_invalid_embedded_resources_are_refused_with_a_field_error(value: Any, message: str) -> None:
    with pytest.raises(objectmeta.EmbeddedError) as refused:
        coerce(value)
    assert str(refused.value) == str(refused.value.error) == message
    assert refused.value.error.type == "Invalid"


def test_the_first_of_several_errors_by_sorted_keys_is_raised() -> None:
    with pytest.raises(objectmeta.EmbeddedError, match=r"\Adeep\.list\[0\]\.kind: "):
        coerce({"one": {"metadata": 5}, "deep": {"list": [{"metadata": 5, "kind": 5}]}})


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"one": [{"metadata": 5}], "list": {"metadata": 5}, "map": [5]}, id="values of the wrong type"),
        pytest.param({"one": {"metadata": {"name": "a"}, "spec": {"metadata": 5}}, "list": [{}, 5]}, id="right ones"),
        pytest.param({"plain": {"metadata": 5, "a": {"metadata": 5}}}, id="what is no embedded resource"),
        pytest.param("text", id="a scalar"),
    ],
)
def test_a_value_without_changes_is_returned_itself(value: Any) -> None:
    assert coerce(value).value is value


def test_stored_embedded_resources_lose_malformed_fields() -> None:
    value = {
        "one": {"apiVersion": 5, "kind": "X", "metadata": {"name": 5, "uid": "u"}, "spec": 1},
        "list": [{"kind": None, "metadata": "text"}],
    }
    assert coerce(value, drop_malformed=True) == objectmeta.Coerced(
        {"one": {"kind": "X", "metadata": {"uid": "u"}, "spec": 1}, "list": [{"metadata": "text"}]}, ()
    )


def test_specified_nulls_are_dropped_before_embedded_metadata_is_coerced() -> None:
    """Other nulls stay for the pass that drops nulls everywhere."""
    labels = Structural(type="object", additional_properties=STRING)
    metadata = Structural(type="object", properties={"labels": labels})
    described = Structural(type="object", x_embedded_resource=True, properties={"kind": STRING, "metadata": metadata})
    schema = Structural(type="object", properties={"one": described, "other": RESOURCE})
    value = {
        "one": {"kind": None, "metadata": {"labels": {"a": None}}},
        "other": {"metadata": {"labels": {"a": None}}},
    }

    assert coerce(value, schema, drop_nulls=defaulting.compile_drop_nulls).value == {
        "one": {"kind": None, "metadata": {}},
        "other": {"metadata": {"labels": {"a": ""}}},
    }


def test_paths_begin_with_the_passed_path() -> None:
    coerced = coerce({"metadata": {"x": 1}}, RESOURCE, FieldPath(("spec", 0)))
    assert coerced.unknown == ("spec[0].metadata.x",)


def test_an_embedded_resource_within_one_is_coerced_too() -> None:
    schema = Structural(type="object", x_embedded_resource=True, properties={"inner": RESOURCE, "name": STRING})
    value = {"metadata": {"x": 1}, "inner": {"metadata": {"y": 1}}, "name": 5}
    assert coerce(value, schema) == objectmeta.Coerced(
        {"metadata": {}, "inner": {"metadata": {}}, "name": 5}, spelled("inner.metadata.y", "metadata.x")
    )


def test_entries_of_an_embedded_resource_beside_its_properties_are_coerced_too() -> None:
    schema = Structural(x_embedded_resource=True, additional_properties=RESOURCE, properties={"name": STRING})
    value = {"kind": "X", "name": {"metadata": {"x": 1}}, "other": {"metadata": {"y": 1}}}
    assert coerce(value, schema).unknown == ("[other].metadata.y",)


def test_lists_within_lists_and_list_roots_are_coerced() -> None:
    schema = Structural(type="array", items=Structural(type="array", items=RESOURCE))
    assert coerce([[{"metadata": {"x": 1}}], 5], schema).unknown == ("[0][0].metadata.x",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "2020-01-01T00:00:00Z"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["metadata", "kind", "one", "map", "list", "name", "labels", "x"]), below, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_coercion_is_idempotent_and_does_not_modify_its_input(value: Any, drop_malformed: bool) -> None:  # noqa: FBT001
    before = copy.deepcopy(value)
    try:
        once = coerce(value, drop_malformed=drop_malformed)
    except objectmeta.EmbeddedError:
        assert not drop_malformed
        assert value == before
        return
    assert value == before
    assert coerce(once.value, drop_malformed=drop_malformed) == objectmeta.Coerced(once.value, ())


@given(st.dictionaries(st.sampled_from(["name", "uid", "x", "y", "Labels"]), st.sampled_from(["a", "b"]), max_size=5))
def test_the_fields_listed_as_unknown_are_the_dropped_ones(metadata: dict[str, str]) -> None:
    coerced = objectmeta.coerce_root(metadata, NEWEST)
    assert {f"metadata.{field}" for field in metadata.keys() - coerced.value.keys()} == set(coerced.unknown)
