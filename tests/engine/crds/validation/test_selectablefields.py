"""Fields by which custom resources can be selected."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.internalspec import SelectableField
from pytest_crd.engine.crds.validation import selectablefields
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

PATH = FieldPath(("spec", "selectableFields"))
LEAVES = {name: {"type": "string"} for name in "abcdefghi"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
        "n": {"type": "number"},
        "any": {"type": "object", "additionalProperties": True},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "i": {"type": "integer"},
        **LEAVES,
    },
}
PREFIX = "spec.selectableFields[0].jsonPath: "


def _errors(*paths: str, schema: Any = SCHEMA, allow_too_many: bool = False) -> list[str]:
    fields: list[SelectableField] = [{"jsonPath": path} if path else {} for path in paths]
    declared = None if schema is None else OpenAPISchema(schema, profile.named("1.37"))
    errors = selectablefields.validate(fields, declared, PATH, allow_too_many=allow_too_many)
    return [str(error) for error in errors]


def test_texts_integers_and_entries_of_maps_can_be_selected() -> None:
    assert _errors(".a", ".i", ".map.x") == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "Required value"),
        ("a", 'Invalid value: "a": is an invalid path: expected [ or . but got: a'),
        (".nope", 'Invalid value: ".nope": is an invalid path: does not refer to a valid field'),
        (".['a']", "Invalid value: \".['a']\": is an invalid path: does not refer to a valid field"),
        ("['a']", "Invalid value: \"['a']\": is an invalid path: array notation is not allowed"),
        (".metadata.name", 'Invalid value: ".metadata.name": must not point to fields in metadata'),
        (".n", f'Invalid value: ".n": {selectablefields._WRONG_TYPE}'),
        (".any.x", f'Invalid value: ".any.x": {selectablefields._WRONG_TYPE}'),
        (".any.x.y", f"Internal error: {selectablefields._NO_ANSWER}"),
    ],
)
def test_paths_must_lead_to_selectable_fields(path: str, message: str) -> None:
    assert _errors(path) == [PREFIX + message]


def test_a_field_can_be_selected_once() -> None:
    assert _errors(".a", ".a") == ['spec.selectableFields[1].jsonPath: Duplicate value: ".a"']


def test_at_most_eight_fields_are_allowed_unless_the_old_crd_had_more() -> None:
    paths = [f".{name}" for name in LEAVES]
    assert _errors(*paths[:8]) == []
    assert _errors(*paths) == ["spec.selectableFields: Too many: 9: must have at most 8 items"]
    assert _errors(*paths, allow_too_many=True) == []


def test_on_a_schema_without_structural_form_the_server_breaks_off() -> None:
    assert _errors(".a", schema={"additionalItems": True}) == [
        "spec.schema.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'additionalItems' is not supported",
        f"{PREFIX}Internal error: {selectablefields._NO_ANSWER}",
    ]
    assert _errors("a", schema=None) == [f'{PREFIX}Invalid value: "a": is an invalid path: expected [ or . but got: a']
