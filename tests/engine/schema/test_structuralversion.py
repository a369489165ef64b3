"""Keywords of structure that depend on the Kubernetes version."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.schema import declaredschema, structural
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

STRING = {"type": "string", "example": "x", "externalDocs": {"url": "u"}}
SCHEMA = {
    "type": "object",
    "properties": {"a": STRING, "b": {"type": "array", "items": STRING}},
    "additionalProperties": STRING,
    "not": {"properties": {"a": STRING | {"additionalProperties": False}}},
    "anyOf": [STRING],
}
PLAIN = {"type": "string"}
WITHOUT_EXAMPLES = {
    "type": "object",
    "properties": {"a": PLAIN, "b": {"type": "array", "items": PLAIN}},
    "additionalProperties": PLAIN,
    "not": {"properties": {"a": PLAIN | {"additionalProperties": False}}},
    "anyOf": [PLAIN],
}


@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_examples_count(version: str) -> None:
    assert declaredschema.to_structural(SCHEMA, profile.named(version)) == structural.from_schema(SCHEMA)


@pytest.mark.parametrize("version", ["1.32", "1.35"])
def test_up_to_1_35_examples_do_not_count(version: str) -> None:
    structure = declaredschema.to_structural(SCHEMA, profile.named(version))
    assert structure == structural.from_schema(WITHOUT_EXAMPLES)


@pytest.mark.parametrize("version", ["1.21", "1.35", "1.37"])
@pytest.mark.parametrize("keyword", ["example", "externalDocs", "not", "allOf", "anyOf", "oneOf"])
def test_listing_the_keywords_first_does_not_change_the_form(version: str, keyword: str) -> None:
    closed = {"additionalProperties": False}
    value = {"example": "x", "externalDocs": {"url": "u"}, "not": closed}.get(keyword, [closed])
    schema = {"type": "object", "properties": {"a": {"type": "object", keyword: value}}}
    named = profile.named(version)
    assert OpenAPISchema(schema, named).structural == declaredschema.to_structural(schema, named)


def test_a_property_may_be_called_example() -> None:
    schema = {"type": "object", "properties": {"example": PLAIN}}
    assert declaredschema.to_structural(schema, profile.named("1.32")) == structural.from_schema(schema)


def test_in_1_21_false_additional_properties_count_as_true_inside_junctors() -> None:
    closed = {"type": "object", "additionalProperties": False}
    structure = declaredschema.to_structural(closed | {"not": {"additionalProperties": False}}, profile.named("1.21"))
    assert structure == structural.from_schema(closed | {"not": {"additionalProperties": True}})


def test_a_list_of_items_has_no_structure() -> None:
    with pytest.raises(structural.UnsupportedConstructError):
        declaredschema.to_structural({"type": "array", "items": [PLAIN]}, profile.named("1.21"))


def test_an_empty_list_of_items_is_no_items() -> None:
    structure = declaredschema.to_structural({"type": "array", "items": []}, profile.named("1.21"))
    assert structure == structural.Structural(type="array")
