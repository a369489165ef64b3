"""The map of a schema: places and their schemas."""

from __future__ import annotations

from typing import Any

import pytest
from support import crds

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode

TEXT = {"type": "string"}
PART = {"type": "object", "properties": {"min": {"type": "integer"}, "metadata": {"type": "object"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object", "properties": {"name": TEXT}},
        "parts": {
            "type": "array",
            "items": PART,
            "allOf": [{"items": {"required": ["min"]}}, {"properties": {"x": {}}}],
        },
        "labels": {"type": "object", "additionalProperties": TEXT},
        "any": {"type": "object", "additionalProperties": True},
        "pod": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "properties": {"kind": TEXT, "metadata": {"type": "object"}, "spec": TEXT},
        },
        "open": {"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": {"type": "object"}},
    },
}
MAP = SchemaNode(SCHEMA)


def at(*place: str | Each) -> SchemaNode:
    node = MAP.at(place)
    assert node is not None
    return node


def test_every_place_is_listed_once_outer_ones_first() -> None:
    assert [node.path for node in MAP] == [
        *(
            "",
            "metadata",
            "metadata.name",
            "parts",
            "parts[*]",
            "parts[*].min",
            "parts[*].metadata",
            "labels",
            "labels[*]",
        ),
        *("any", "pod", "pod.kind", "pod.metadata", "pod.spec", "open", "open[*]"),
    ]


@pytest.mark.parametrize(
    ("place", "steps", "text"),
    [
        ((), (), ""),
        (("a", Each.ITEM, "b"), ("properties", "a", "items", "properties", "b"), "a[*].b"),
        ((Each.VALUE, "items"), ("additionalProperties", "properties", "items"), "[*].items"),
    ],
)
def test_a_place_has_steps_in_the_schema_and_one_spelling(place: Place, steps: tuple[str, ...], text: str) -> None:
    assert schemamap.steps_of(place) == steps
    assert schemamap.place_of(steps) == place
    assert schemamap.spelled(place) == text


def test_a_node_has_steps_and_parents() -> None:
    node = at("parts", Each.ITEM, "min")

    assert node.steps == ("properties", "parts", "items", "properties", "min")
    assert node.schema == {"type": "integer"}
    assert [parent.path for parent in node.around] == ["parts[*]", "parts", ""]
    assert repr(node) == "<SchemaNode parts[*].min>"
    assert repr(MAP) == "<SchemaNode .>"
    assert repr(Each.ITEM) == "Each.ITEM"


@pytest.mark.parametrize("place", [("absent",), ("parts", Each.VALUE), ("any", Each.VALUE), ("absent", "deeper")])
def test_other_places_have_no_node(place: Place) -> None:
    assert MAP.at(place) is None


def test_the_path_of_a_value_leads_to_its_node() -> None:
    assert MAP.of_path(("parts", 3, "min")) is at("parts", Each.ITEM, "min")
    assert MAP.of_path(("labels", "a.b/c")) is at("labels", Each.VALUE)
    assert MAP.of_path(("parts", "x", "y")) is None


def test_the_nodes_of_a_value_are_listed_in_order() -> None:
    value = {"parts": [{"min": 1, "x": 1}, {}], "labels": {"a": "b"}, "unknown": [1], "any": {"a": 1}}

    paths = [node.path for node in MAP.in_value(value)]

    assert paths == ["", "parts", "parts[*]", "parts[*].min", "parts[*]", "labels", "labels[*]", "any"]


def test_metadata_of_whole_and_embedded_resources_is_recognized() -> None:
    of_resources = {node.path: node.meta_of for node in MAP if node.meta_of is not None}

    assert of_resources == {
        "metadata": MAP,
        "metadata.name": MAP,
        "pod.kind": at("pod"),
        "pod.metadata": at("pod"),
    }


def test_branches_of_junctors_have_the_place_of_their_parent() -> None:
    parts = at("parts")
    items, fields = parts.branches("allOf")

    assert (items.place, items.steps) == (("parts",), ("properties", "parts", "allOf", 0))
    assert items.structure is parts
    assert not items.is_structural
    assert items.meta_of is None
    [inner] = items.children
    assert inner.structure is parts.items
    assert inner.steps == (*items.steps, "items")
    assert fields.properties["x"].structure is None  # a list has no fields
    assert SchemaNode({}, parent=fields.properties["x"], branch=True).structure is None
    assert SchemaNode({}, ("a",), parent=fields.properties["x"]).structure is None
    assert parts.branches("anyOf") == ()
    assert parts.is_structural
    assert MAP.is_structural


def test_schemas_drop_or_keep_unknown_fields() -> None:
    assert MAP.drops_unknown_fields
    assert not at("labels").drops_unknown_fields
    assert not at("parts").drops_unknown_fields
    assert at("open").keeps_unknown_fields
    assert at("open", Each.ITEM).keeps_unknown_fields
    assert not at("open", Each.ITEM).drops_unknown_fields


def test_a_key_is_a_field_if_any_schema_has_a_property_for_it() -> None:
    second = SchemaNode({"properties": {"labels": {"properties": {"named": TEXT}}}})

    assert schemamap.place_in(("labels", "a"), MAP, second) == ("labels", Each.VALUE)
    assert schemamap.place_in(("labels", "named"), MAP, second) == ("labels", "named")
    assert schemamap.place_in(("parts", 0, "min"), MAP, second) == ("parts", Each.ITEM, "min")
    assert schemamap.place_in(("unknown", "deeper"), MAP, second) == ("unknown", "deeper")


def test_a_node_has_its_declared_rules() -> None:
    assert SchemaNode({"x-kubernetes-validations": [{"rule": "true"}]}).rules == [{"rule": "true"}]
    assert not MAP.rules


def test_a_version_without_a_schema_has_an_empty_map() -> None:
    manifest = crds.manifest({"type": "object", "properties": {"spec": TEXT}})
    version = CustomResourceDefinition.from_manifest(manifest).versions[0]
    bare = CustomResourceDefinition.from_manifest(
        {**manifest, "apiVersion": "apiextensions.k8s.io/v1", "spec": {**manifest["spec"], "versions": [
            {"name": "v1", "served": True, "storage": True}]}}
    ).versions[0]  # fmt: skip

    assert [node.path for node in version.schema_map] == ["", "spec"]
    assert [node.path for node in bare.schema_map] == [""]
