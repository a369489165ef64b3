"""Errors of list types and map types, in the words of recorded servers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import listtypekeywords
from pytest_crd.engine.fieldpath import FieldPath

STRING = {"type": "string"}
S = FieldPath(("s",))


def find_errors(schema: Any, *, version: str = "1.37", **options: Any) -> list[str]:
    errors = listtypekeywords.validate(schema, S, ValidationOptions(**options), profile=profile.named(version))
    return [str(error) for error in errors]


def list_map(item: Any, *keys: str) -> dict[str, Any]:
    keyed = {"x-kubernetes-list-map-keys": list(keys)} if keys else {}
    return {"type": "array", "x-kubernetes-list-type": "map", "items": item} | keyed


def item(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def set_of(items: Any) -> dict[str, Any]:
    return {"type": "array", "x-kubernetes-list-type": "set", "items": items}


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param(
            {"x-kubernetes-map-type": "atomic"},
            ["s.type: Required value: must be object if x-kubernetes-map-type is specified"],
            id="a map type without a type",
        ),
        pytest.param(
            {"type": "array", "x-kubernetes-map-type": "granular"},
            ['s.type: Invalid value: "array": must be object if x-kubernetes-map-type is specified'],
            id="a map type of a list",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-map-type": ""},
            ['s.x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"'],
            id="an empty map type is none",
        ),
        pytest.param(
            {"x-kubernetes-list-type": "atomic"},
            ["s.type: Required value: must be array if x-kubernetes-list-type is specified"],
            id="a list type without a type",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-list-type": "set"},
            ['s.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
            id="a list type of an object",
        ),
        pytest.param(
            {"type": "array", "x-kubernetes-list-type": "bag", "items": STRING},
            ['s.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"'],
            id="a list type that is none",
        ),
        pytest.param(
            {"type": "array", "x-kubernetes-list-map-keys": ["a"]},
            ["s.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
            id="keys without a list type",
        ),
        pytest.param(
            set_of(STRING) | {"x-kubernetes-list-map-keys": ["a"]},
            ['s.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
            id="keys of a set",
        ),
        pytest.param({"type": "array", "x-kubernetes-list-map-keys": []}, [], id="no keys need no map"),
        pytest.param(set_of(STRING), [], id="a set of scalars"),
        pytest.param(set_of({"type": "array", "items": STRING}), [], id="a set of lists, which are atomic"),
        pytest.param(
            set_of({"type": "array", "x-kubernetes-list-type": "map"}),
            [
                (
                    's.items.x-kubernetes-list-type: Invalid value: "map": '
                    "must be atomic as item of a list with x-kubernetes-list-type=set"
                )
            ],
            id="a set of list-maps",
        ),
        pytest.param(set_of({"type": "object", "x-kubernetes-map-type": "atomic"}), [], id="a set of atomic objects"),
        pytest.param(
            set_of({"type": "object"}),
            [
                (
                    "s.items.x-kubernetes-map-type: Invalid value: null: "
                    "must be atomic as item of a list with x-kubernetes-list-type=set"
                )
            ],
            id="a set of granular objects",
        ),
        pytest.param(
            set_of({"type": "string", "nullable": True}),
            ["s.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
            id="a set of nulls",
        ),
        pytest.param({"type": "array", "x-kubernetes-list-type": "set"}, [], id="a set of nothing"),
        pytest.param(list_map(item(a=STRING), "a"), [], id="a list-map"),
        pytest.param(
            {"type": "array", "x-kubernetes-list-type": "map"},
            [
                "s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
                "s.items: Required value: must have a schema if x-kubernetes-list-type is map",
            ],
            id="a list-map of nothing",
        ),
        pytest.param(
            list_map(STRING, "a"),
            ['s.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
            id="a list-map of scalars",
        ),
        pytest.param(
            list_map({}, "a"),
            ['s.items.type: Invalid value: "": must be object if parent array\'s x-kubernetes-list-type is map'],
            id="a list-map of untyped items",
        ),
        pytest.param(
            list_map([], "a"),
            [
                (
                    's.items: Invalid value: {"Schema":null,"JSONSchemas":[]}: '
                    "must only have a single schema if x-kubernetes-list-type is map"
                )
            ],
            id="a list-map of a list of schemas",
        ),
        pytest.param(
            list_map(item(a={"type": "array"}, b={"type": "object"}), "a", "b"),
            [
                (
                    's.items.properties[a].type: Invalid value: "object": '
                    "must be a scalar type if parent array's x-kubernetes-list-type is map"
                ),
                (
                    's.items.properties[b].type: Invalid value: "object": '
                    "must be a scalar type if parent array's x-kubernetes-list-type is map"
                ),
            ],
            id="keys that are no scalars, with the type of the item",
        ),
        pytest.param(
            list_map(item(a=STRING), "a", "x", "a"),
            [
                (
                    's.x-kubernetes-list-map-keys: Invalid value: ["a","x","a"]: '
                    "entries must all be names of item properties"
                ),
                's.x-kubernetes-list-map-keys: Invalid value: ["a","x","a"]: must not contain duplicate entries',
            ],
            id="keys that are no properties, and keys that come twice",
        ),
        pytest.param(
            list_map({"type": "object", "nullable": True, "properties": {"a": STRING}}, "a"),
            [
                "s.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
                (
                    "s.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, "
                    "so it must have a default or be a required property"
                ),
            ],
            id="items that may be null, and keys that may be absent",
        ),
        pytest.param(
            list_map({"type": "object", "properties": {"a": STRING | {"default": "x", "nullable": True}}}, "a"),
            [
                (
                    "s.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, "
                    "so it cannot be nullable"
                )
            ],
            id="a key with a default that may be null",
        ),
    ],
)
def test_list_and_map_types_are_validated(schema: Any, errors: list[str]) -> None:
    assert find_errors(schema) == errors


def test_older_servers_print_nothing_as_a_text_and_lists_in_go_syntax() -> None:
    """Errors are printed as JSON only since 1.33 or later."""
    [error] = find_errors(set_of({"type": "object"}), version="1.32")
    assert error.startswith('s.items.x-kubernetes-map-type: Invalid value: "null": ')
    [error] = find_errors(list_map(item(), "a"), version="1.32")
    assert error.startswith('s.x-kubernetes-list-map-keys: Invalid value: []string{"a"}: ')


def test_requirements_that_the_old_crd_does_not_meet_are_waived() -> None:
    nullable = set_of({"type": "object", "nullable": True})
    assert len(find_errors(nullable)) == 2
    assert find_errors(nullable, require_atomic_set_type=False, require_map_list_keys_map_set_validation=False) == []


@pytest.mark.parametrize(
    ("schema", "is_atomic"),
    [
        pytest.param(set_of({"type": "object"}), False, id="granular objects"),
        pytest.param(set_of(STRING), True, id="scalars"),
        pytest.param(set_of([STRING]), True, id="a list of schemas"),
        pytest.param({"type": "array", "items": {"type": "object"}}, True, id="no set"),
    ],
)
def test_atomic_items_of_sets_are_detected(schema: Any, *, is_atomic: bool) -> None:
    assert listtypekeywords.has_atomic_items(schema) is is_atomic


def test_nullable_items_and_optional_keys_are_detected() -> None:
    assert [*listtypekeywords.validate_presence({"type": "array", "items": {"nullable": True}}, S)] == []
    assert [*listtypekeywords.validate_presence(set_of([STRING]), S)] == []
    assert len([*listtypekeywords.validate_presence(set_of({"nullable": True}), S)]) == 1


SOUND = list_map(item(name=STRING), "name")


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(list_map(item(name=STRING)), id="no key"),
        pytest.param(list_map(item(name=STRING), "name", "name"), id="a key twice"),
        pytest.param(list_map(item(name=STRING), "other"), id="a key that is no property"),
        pytest.param(list_map({"type": "object"}, "name"), id="no properties"),
        pytest.param(list_map(item(name={"type": "array"}), "name"), id="a key that is a list"),
        pytest.param(list_map(item(name=STRING | {"nullable": True}), "name"), id="a key that may be null"),
        pytest.param(list_map(item(name=STRING) | {"required": []}, "name"), id="a key that may be absent"),
        pytest.param(list_map(item(name=STRING) | {"nullable": True}, "name"), id="items that may be null"),
        pytest.param(list_map(item(name=STRING) | {"type": "string"}, "name"), id="items that are texts"),
        pytest.param(list_map([item(name=STRING)], "name"), id="a list of items"),
        pytest.param(SOUND | {"type": "object"}, id="an object"),
        pytest.param(SOUND | {"x-kubernetes-map-type": "atomic"}, id="a map type"),
    ],
)
def test_a_list_map_with_an_error_is_never_sound(schema: Any) -> None:
    """`is_sound` decides whether `validate` runs at all."""
    assert find_errors(schema, require_map_list_keys_map_set_validation=True)
    assert not listtypekeywords.is_sound(schema)


def test_a_list_map_with_a_required_scalar_as_its_key_is_sound() -> None:
    assert find_errors(SOUND, require_map_list_keys_map_set_validation=True) == []
    assert listtypekeywords.is_sound(SOUND)
