"""Objects that reach missing points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.covered import version_of

from pytest_crd import coverage, engine
from pytest_crd.coverage.reachingobjects import Suggestions

TEXT = {"type": "string"}
BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"


def _suggest_all(version: engine.CrdVersion) -> dict[str, Any]:
    suggestions = Suggestions(version)
    return {point.id: suggestions.suggest(point) for point in coverage.points(version)}


@pytest.mark.parametrize("name", ["v1", "v1alpha1"])
def test_every_point_of_a_usual_crd_has_a_suggestion(name: str) -> None:
    [crd] = engine.load([BACKUPS])
    version = crd.version(name)

    suggestions_by_id = _suggest_all(version)

    assert [id_ for id_, suggestion in suggestions_by_id.items() if suggestion is None] == []
    assert {
        suggestion.subresource
        for id_, suggestion in suggestions_by_id.items()
        if id_.startswith("properties/status/") and suggestion
    } <= {"status"}


SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "class": {**TEXT, "maxLength": 9, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
                "low": {"type": "integer", "maximum": 9},
                "high": {"type": "integer", "exclusiveMinimum": True, "minimum": 1, "multipleOf": 2},
                "kind": {**TEXT, "allOf": [{"maxLength": 3}, {"pattern": "^a"}]},
                "either": {**TEXT, "anyOf": [{"pattern": "^a"}, {"enum": ["b"]}]},
                "one": {**TEXT, "oneOf": [{"maxLength": 1}, {"minLength": 3}]},
                "never": {**TEXT, "not": {"enum": ["x"]}},
                "set": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": TEXT}}},
                "open": {**TEXT, "nullable": True},
                "name": {**TEXT, "pattern": "^[a-z]+$"},
            },
            "x-kubernetes-validations": [
                {
                    "rule": "!has(self.low) || !has(self.high) || self.low < self.high",
                    "messageExpression": "self.low > 3 ? 'high is low' : 'low is high'",
                }
            ],
        }
    },
}


def test_each_object_reaches_its_point() -> None:
    suggestions_by_id = _suggest_all(version_of(SCHEMA))

    assert [id_ for id_, suggestion in suggestions_by_id.items() if suggestion is None] == []


def test_an_update_is_suggested_with_its_old_object() -> None:
    suggestions_by_id = _suggest_all(version_of(SCHEMA))

    refused = suggestions_by_id["properties/spec/properties/class/x-kubernetes-validations/0:false"]
    allowed = suggestions_by_id["properties/spec/properties/class/x-kubernetes-validations/0:true"]
    assert refused.old["spec"]["class"] != refused.sent["spec"]["class"]
    assert allowed.old == allowed.sent


def test_a_status_update_is_suggested_for_the_subresource() -> None:
    phase = {**TEXT, "maxLength": 9, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    schema = {
        "type": "object",
        "properties": {"spec": TEXT, "status": {"type": "object", "properties": {"phase": phase}}},
    }

    suggestions_by_id = _suggest_all(version_of(schema, subresources={"status": {}}))

    refused = suggestions_by_id["properties/status/properties/phase/x-kubernetes-validations/0:false"]
    assert refused.subresource == "status"
    assert refused.old["status"] != refused.sent["status"]


def test_unreachable_points_have_no_suggestion() -> None:
    schema = {"type": "object", "properties": {"a": {**TEXT, "enum": ["x"], "maxLength": 9, "pattern": "^x$"}}}
    version = version_of({**schema, "x-kubernetes-validations": [{"rule": "true"}]})

    nowhere = {id_ for id_, suggestion in _suggest_all(version).items() if suggestion is None}

    assert nowhere == {
        "properties/spec/x-kubernetes-validations/0:false",
        "properties/spec/properties/a/maxLength:held",
    }


def test_variants_that_no_object_shows_have_no_suggestion() -> None:
    fields = {"a": TEXT, "b": TEXT, "no": {**TEXT, "pattern": "^[a-z]+$", "format": "ipv4"}}
    rules = [{"rule": "has(self.a) || has(self.b)"}]
    version = version_of({"type": "object", "required": ["a"], "properties": fields, "x-kubernetes-validations": rules})

    suggestions_by_id = _suggest_all(version)

    assert suggestions_by_id["properties/spec/x-kubernetes-validations/0:operand-1"] is None
    assert suggestions_by_id["properties/spec/properties/no/pattern:unlike ^[a-y]+$"] is None


def test_points_of_impossible_values_have_no_suggestion() -> None:
    nothing = {**TEXT, "allOf": [{"maxLength": 3}], "x-kubernetes-validations": [{"rule": "false"}]}
    few = {**TEXT, "allOf": [{"pattern": "^"}, {"enum": ["a"]}]}

    suggestions_by_id = _suggest_all(version_of({"type": "object", "properties": {"no": nothing, "few": few}}))

    assert suggestions_by_id["properties/spec/properties/no:set"] is None
    assert suggestions_by_id["properties/spec/properties/no/allOf/0/maxLength:held"] is None
    assert suggestions_by_id["properties/spec/properties/few/allOf/0/pattern:broken"] is None
    assert suggestions_by_id["properties/spec/properties/few/allOf/1/enum:broken"] is not None


def test_a_version_without_an_accepted_object_has_no_suggestions() -> None:
    version = version_of({**TEXT, "x-kubernetes-validations": [{"rule": "false"}]})
    needed = version_of(
        {
            "type": "object",
            "required": ["spec"],
            "properties": {"spec": {**TEXT, "x-kubernetes-validations": [{"rule": "false"}]}},
        }
    )

    # An object without the field is such an object.
    assert _suggest_all(version)["properties/spec/x-kubernetes-validations/0:true"] is None
    assert set(_suggest_all(needed).values()) == {None}
