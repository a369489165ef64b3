"""The fields that the scale subresource names."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation import pathfields
from pytest_crd.engine.fieldpath import FieldPath

PATH = FieldPath(("s",))
VALID = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
DOT = "must be a simple json path starting with ."
EITHER = "should be a json path under either .spec or .status"


def _errors(scale: Any, kubernetes: str = "1.37") -> list[str]:
    return [str(error) for error in pathfields.validate_scale({"scale": scale}, PATH, profile.named(kubernetes))]


def test_status_and_a_valid_scale_are_accepted() -> None:
    assert list(pathfields.validate_scale(None, PATH, profile.named("1.37"))) == []
    assert list(pathfields.validate_scale({"status": {}}, PATH, profile.named("1.37"))) == []
    assert _errors(VALID) == []
    assert _errors(VALID | {"labelSelectorPath": ".spec.s"}) == []
    assert _errors(VALID | {"labelSelectorPath": ""}) == []


def test_both_replicas_are_required() -> None:
    assert _errors({}) == ["s.scale.specReplicasPath: Required value", "s.scale.statusReplicasPath: Required value"]


@pytest.mark.parametrize(
    ("field", "path", "detail"),
    [
        ("specReplicasPath", "spec.n", DOT),
        ("specReplicasPath", ".spec", "should be a json path under .spec"),
        ("statusReplicasPath", ".spec.n", "should be a json path under .status"),
        ("labelSelectorPath", "status.s", DOT),
        ("labelSelectorPath", ".metadata.s", EITHER),
    ],
)
def test_paths_must_be_under_spec_or_status(field: str, path: str, detail: str) -> None:
    assert _errors(VALID | {field: path}) == [f's.scale.{field}: Invalid value: "{path}": {detail}']


def test_new_servers_print_the_selector_as_json() -> None:
    selector = VALID | {"labelSelectorPath": ".<"}
    assert _errors(selector) == [f's.scale.labelSelectorPath: Invalid value: ".\\u003c": {EITHER}']
    assert _errors(selector, "1.32") == [f's.scale.labelSelectorPath: Invalid value: ".<": {EITHER}']
