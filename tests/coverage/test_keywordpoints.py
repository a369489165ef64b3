"""The points of keywords, and the objects that reach them."""

from __future__ import annotations

from typing import Any

import pytest
from support.covered import reached, reached_in_spec, version_of

from pytest_crd import coverage

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
LIST = {"type": "array", "items": {"type": "string"}}
MAP = {"type": "object", "additionalProperties": {"type": "string"}}


def _sides_of(keyword: str, result: set[str]) -> set[str]:
    """Return the sides of a keyword that are among points."""
    return {id_.rpartition(":")[2] for id_ in result if id_.rpartition(":")[0] == keyword}


@pytest.mark.parametrize(
    ("schema", "keyword", "value", "sides"),
    [
        # sizes: at the boundary, beyond and inside
        ({**TEXT, "minLength": 2}, "minLength", "ab", {"held"}),
        ({**TEXT, "minLength": 2}, "minLength", "abc", set()),
        ({**TEXT, "minLength": 2}, "minLength", "a", {"broken"}),
        ({**TEXT, "maxLength": 2}, "maxLength", "ab", {"held"}),
        ({**TEXT, "maxLength": 2}, "maxLength", "a", set()),
        ({**TEXT, "maxLength": 2}, "maxLength", "abc", {"broken"}),
        ({**LIST, "minItems": 1}, "minItems", ["a"], {"held"}),
        ({**LIST, "minItems": 1}, "minItems", [], {"broken"}),
        ({**LIST, "maxItems": 1}, "maxItems", ["a"], {"held"}),
        ({**LIST, "maxItems": 1}, "maxItems", ["a", "b"], {"broken"}),
        ({**MAP, "minProperties": 1}, "minProperties", {"a": "b"}, {"held"}),
        ({**MAP, "minProperties": 1}, "minProperties", {}, {"broken"}),
        ({**MAP, "maxProperties": 1}, "maxProperties", {"a": "b"}, {"held"}),
        ({**MAP, "maxProperties": 1}, "maxProperties", {"a": "b", "c": "d"}, {"broken"}),
        # null as an item
        (LIST, "items/type", [None], {"null-refused"}),
        (LIST, "items/type", ["a"], set()),
        (LIST, "items/type", [1], {"type-refused"}),
        (
            {**LIST, "items": {"x-kubernetes-int-or-string": True}},
            "items/x-kubernetes-int-or-string",
            [None],
            {"null-refused"},
        ),
        ({**LIST, "items": {**TEXT, "nullable": True}}, "items/nullable", [None], {"null-kept"}),
        ({**LIST, "items": {**TEXT, "nullable": True}}, "items/type", [1], {"type-refused"}),
        # the other type of an int-or-string
        (TEXT, "type", 1, {"type-refused"}),
        (TEXT, "type", "a", set()),
        (TEXT, "type", True, set()),
        (INTEGER, "type", "a", {"type-refused"}),
        ({**LIST, "items": {**TEXT, "enum": ["a"]}}, "items/type", [1], {"type-refused"}),
        # numbers: the nearest valid number is at the boundary
        ({**INTEGER, "minimum": 2}, "minimum", 2, {"held"}),
        ({**INTEGER, "minimum": 2}, "minimum", 3, set()),
        ({**INTEGER, "minimum": 2}, "minimum", 1, {"broken"}),
        ({**INTEGER, "maximum": 2}, "maximum", 2, {"held"}),
        ({**INTEGER, "maximum": 2}, "maximum", 1, set()),
        ({**INTEGER, "maximum": 2}, "maximum", 3, {"broken"}),
        ({**INTEGER, "minimum": 2, "exclusiveMinimum": True}, "minimum", 3, {"held"}),
        ({**INTEGER, "minimum": 2, "exclusiveMinimum": True}, "minimum", 4, set()),
        ({**INTEGER, "minimum": 2, "exclusiveMinimum": True}, "minimum", 2, {"broken"}),
        ({**INTEGER, "maximum": 2, "exclusiveMaximum": True}, "maximum", 1, {"held"}),
        ({**INTEGER, "maximum": 2, "exclusiveMaximum": True}, "maximum", 2, {"broken"}),
        ({**INTEGER, "maximum": 10, "multipleOf": 3}, "maximum", 9, {"held"}),
        ({**INTEGER, "maximum": 10, "multipleOf": 3}, "maximum", 6, set()),
        ({**NUMBER, "minimum": 1.5}, "minimum", 1.5, {"held"}),
        ({**NUMBER, "minimum": 1.5}, "minimum", 1.6, set()),
        ({**NUMBER, "minimum": 1.5}, "minimum", 1.4, {"broken"}),
        # beyond any number near an open boundary there is a nearer one
        ({**NUMBER, "minimum": 1.5, "exclusiveMinimum": True}, "minimum", 7, {"held"}),
        ({**NUMBER, "minimum": 1.5, "exclusiveMinimum": True}, "minimum", 1.5, {"broken"}),
        ({**INTEGER, "multipleOf": 5}, "multipleOf", 10, {"held"}),
        ({**INTEGER, "multipleOf": 5}, "multipleOf", 11, {"broken"}),
        ({**NUMBER, "multipleOf": 0.5}, "multipleOf", 2.5, {"held"}),
        ({**NUMBER, "multipleOf": 0.5}, "multipleOf", 2.4, {"broken"}),
        # texts
        ({**TEXT, "pattern": "^a"}, "pattern", "ab", {"held"}),
        ({**TEXT, "pattern": "^a"}, "pattern", "b", {"broken"}),
        ({**TEXT, "format": "date"}, "format", "2024-02-29", {"held"}),
        ({**TEXT, "format": "date"}, "format", "2023-02-29", {"broken"}),
        ({**INTEGER, "format": "int32"}, "format", 1, {"held"}),
        ({**INTEGER, "format": "int32"}, "format", 2**31, {"broken"}),
        # enums
        ({**TEXT, "enum": ["a", "b"]}, "enum/1", "b", {"used"}),
        ({**TEXT, "enum": ["a", "b"]}, "enum/0", "b", set()),
        ({**TEXT, "enum": ["a", "b"]}, "enum", "c", {"broken"}),
        ({**TEXT, "enum": ["a", "b"]}, "enum", "a", set()),
        # lists
        ({**LIST, "x-kubernetes-list-type": "set"}, "x-kubernetes-list-type", ["a", "a"], {"broken"}),
        ({**LIST, "x-kubernetes-list-type": "set"}, "x-kubernetes-list-type", ["a", "b"], set()),
        # junctors
        ({**TEXT, "anyOf": [{"minLength": 2}, {"pattern": "^a"}]}, "anyOf/0", "ab", {"taken"}),
        ({**TEXT, "anyOf": [{"minLength": 2}, {"pattern": "^a"}]}, "anyOf/1", "ab", {"taken"}),
        ({**TEXT, "anyOf": [{"minLength": 2}, {"pattern": "^a"}]}, "anyOf/0", "a", set()),
        ({**TEXT, "anyOf": [{"minLength": 2}, {"pattern": "^a"}]}, "anyOf", "b", {"broken"}),
        ({**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "^a"}]}, "oneOf/0", "bb", {"taken"}),
        ({**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "^a"}]}, "oneOf/0", "ab", set()),
        ({**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "^a"}]}, "oneOf", "ab", {"broken"}),
        ({**TEXT, "not": {"enum": ["a"]}}, "not", "b", {"held"}),
        ({**TEXT, "not": {"enum": ["a"]}}, "not", "a", {"broken"}),
        ({**TEXT, "nullable": True, "not": {"enum": ["a"]}}, "not", None, set()),
        ({**TEXT, "nullable": True, "anyOf": [{"minLength": 2}]}, "anyOf/0", None, set()),
        # keywords in allOf always count
        ({**TEXT, "allOf": [{"maxLength": 2}, {"minLength": 1}]}, "allOf/0/maxLength", "ab", {"held"}),
        ({**TEXT, "allOf": [{"maxLength": 2}, {"minLength": 1}]}, "allOf/1/minLength", "", {"broken"}),
        ({**INTEGER, "allOf": [{"maximum": 2}]}, "allOf/0/maximum", 1, set()),
    ],
)
def test_an_object_reaches_the_side_of_a_keyword_that_it_is_on(
    schema: Any, keyword: str, value: Any, sides: set[str]
) -> None:
    assert _sides_of(keyword, reached_in_spec(schema, value)) == sides


@pytest.mark.parametrize(
    "schema",
    [
        {**TEXT, "minLength": 0},
        {**LIST, "minItems": 0},
        {**MAP, "minProperties": 0},
        {**TEXT, "format": "password"},
        {**TEXT, "format": "no-such"},
        {**INTEGER, "format": "int64"},
        {**NUMBER, "format": "double"},
        {**LIST, "x-kubernetes-list-type": "atomic"},
        {**TEXT, "enum": []},
    ],
)
def test_keywords_that_cannot_be_violated_have_no_points(schema: Any) -> None:
    kinds = {point.kind for point in coverage.points(version_of(schema))}

    assert kinds <= {"property", "pruning", "null", "type"}


def test_a_format_has_points_if_the_kubernetes_version_checks_it() -> None:
    schema = {**TEXT, "format": "k8s-short-name"}

    kinds = [
        {point.kind for point in coverage.points(version_of(schema, version))} & {"format"}
        for version in ("1.32", "1.37")
    ]

    assert kinds == [set(), {"format"}]


def test_null_in_an_enum_has_no_point() -> None:
    points = coverage.points(version_of({**TEXT, "nullable": True, "enum": ["a", None]}))

    assert [point.id for point in points if point.side == "used"] == ["properties/spec/enum/0:used"]


def test_equal_values_of_different_types_are_distinct() -> None:
    schema = {"type": "number", "enum": [1, 2]}

    assert {"enum/0:used"} <= reached_in_spec(schema, 1)
    assert not reached_in_spec({"type": "boolean", "enum": [True]}, 1) & {"enum/0:used"}


def test_the_branches_of_an_int_or_string_are_its_types_alone() -> None:
    schema = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}

    ids = {point.id for point in coverage.points(version_of(schema)) if point.kind == "junctor"}

    assert ids == {"properties/spec/anyOf/0:taken", "properties/spec/anyOf/1:taken"}
    assert reached_in_spec(schema, "a") == {"anyOf/1:taken"}


@pytest.mark.parametrize(("number", "side"), [(3, "held"), (2, "broken")])
def test_a_limit_counts_for_the_numbers_of_an_int_or_string(number: int, side: str) -> None:
    schema = {"x-kubernetes-int-or-string": True, "minimum": 3}

    assert reached_in_spec(schema, number, "text") == {f"minimum:{side}"}


def test_a_missing_required_field_reaches_its_point() -> None:
    inner = {"type": "object", "required": ["b"], "properties": {"b": TEXT}}
    schema = {
        "type": "object",
        "required": ["a", "d"],
        "properties": {
            "a": inner,
            "m": {"type": "object", "additionalProperties": inner},
            "d": {**TEXT, "default": "x"},
        },
    }

    assert {"required/0:missing"} == {id_ for id_ in reached_in_spec(schema, {}) if "required" in id_}
    assert {"properties/a/required/0:missing"} <= reached_in_spec(schema, {"a": {}})
    assert {"properties/m/additionalProperties/required/0:missing"} <= reached_in_spec(schema, {"m": {"x.y": {}}})
    # The default is set before validation.
    assert "properties/spec/required/1:missing" not in {point.id for point in coverage.points(version_of(schema))}


def test_a_missing_field_required_in_all_of_reaches_its_point() -> None:
    schema = {
        "type": "object",
        "properties": {"a": TEXT, "b": {**TEXT, "default": "x"}},
        "allOf": [{"required": ["a", "b"]}, {"properties": {"a": {"maxLength": 1}}}],
    }

    ids = {point.id for point in coverage.points(version_of(schema)) if point.side == "missing"}

    assert ids == {"properties/spec/allOf/0/required/0:missing"}
    assert {"allOf/0/required/0:missing"} <= reached_in_spec(schema, {})
    assert {"allOf/1/properties/a/maxLength:broken"} <= reached_in_spec(schema, {"a": "ab"})


def test_the_items_of_all_of_are_looked_at() -> None:
    lists = {"type": "array", "items": TEXT, "allOf": [{"items": {"maxLength": 1}}]}

    assert {"allOf/0/items/maxLength:broken"} <= reached_in_spec(lists, ["ab"])


def test_a_second_item_with_the_same_keys_reaches_the_map() -> None:
    item = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
    lists = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": item}
    schema = {"type": "object", "additionalProperties": {"type": "object", "properties": {"l": lists}}}

    twice = reached_in_spec(schema, {"some.key": {"l": [{"name": "a"}, {"name": "a"}]}})
    once = reached_in_spec(schema, {"some.key": {"l": [{"name": "a"}, {"name": "b"}]}})

    assert set(twice - once) == {"additionalProperties/properties/l/x-kubernetes-list-type:broken"}


def test_unreported_failures_reach_no_point() -> None:
    schema = {**TEXT, "maxLength": 1, "pattern": "^a"}

    # If several fields are missing, the server reports the first.
    assert reached_in_spec(schema, "bb") == {"maxLength:broken"}


@pytest.mark.parametrize("version", ["1.21", "1.32", "1.37"])
def test_unchanged_values_of_an_update_break_nothing(version: str) -> None:
    manifest = version_of({"type": "object", "properties": {"a": {**TEXT, "maxLength": 1}, "b": TEXT}}, "1.37")
    served = manifest.crd.under(version).version("v1")

    def update(a: str) -> set[str]:
        return reached(served, lambda served: served.update({"spec": {"a": a}}, old={"spec": {"a": "long", "b": "x"}}))

    assert "properties/spec/properties/a/maxLength:broken" in update("longer")
    ratchets = version != "1.21"
    assert ("properties/spec/properties/a/maxLength:broken" in update("long")) is not ratchets


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_items_are_found_however_the_server_names_them(version: str) -> None:
    manifest = version_of({"type": "array", "items": {**TEXT, "maxLength": 1}})

    result = reached(manifest.crd.under(version).version("v1"), lambda served: served.create({"spec": ["a", "bb"]}))

    assert {"properties/spec/items/maxLength:held", "properties/spec/items/maxLength:broken"} <= result


def test_a_number_on_which_the_server_panics_reaches_nothing() -> None:
    version = version_of({**INTEGER, "multipleOf": 0.5}).crd.under("1.21").version("v1")

    result = reached(version, lambda version: version.create({"spec": 2}))

    assert result == {"properties/spec:set"}


def test_keys_with_separators_are_escaped_in_ids() -> None:
    schema = {"type": "object", "properties": {"a/b": TEXT, "a~1b": TEXT}}

    ids = {point.id for point in coverage.points(version_of(schema))}

    assert {"properties/spec/properties/a~1b:set", "properties/spec/properties/a~01b:set"} <= ids


def test_long_values_are_shortened_in_words() -> None:
    [used, _] = [point for point in coverage.points(version_of({**TEXT, "enum": ["x" * 100]})) if point.kind == "enum"]

    assert used.text == f'spec: the value "{"x" * 58}… of enum is never used'


def test_type_and_metadata_have_no_missing_point() -> None:
    root = {
        "type": "object",
        "required": ["metadata", "spec"],
        "properties": {"spec": TEXT, "metadata": {"type": "object"}},
    }

    missing = [point.text for point in coverage.points(version_of(root)) if point.kind == "required"]

    assert missing == ["the required field spec is never missing"]


def test_an_unchanged_invalid_value_breaks_nothing() -> None:
    version = version_of({**TEXT, "not": {"enum": ["a"]}})

    assert "properties/spec/not:broken" not in reached(
        version, lambda served: served.update({"spec": "a"}, old={"spec": "a"})
    )
    assert "properties/spec/not:broken" in reached(
        version, lambda served: served.update({"spec": "a"}, old={"spec": "b"})
    )


def test_a_duplicate_error_of_a_rule_does_not_count_for_the_list_type() -> None:
    item = {
        **TEXT,
        "maxLength": 3,
        "x-kubernetes-validations": [{"rule": "self != 'b'", "reason": "FieldValueDuplicate"}],
    }
    schema = {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": item}

    result = reached_in_spec(schema, ["a", "b"])

    assert "items/x-kubernetes-validations/0:false" in result
    assert "x-kubernetes-list-type:broken" not in result
