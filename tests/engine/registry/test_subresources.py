"""Subresources: protection of the status, and validation of the scale."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import subresources
from pytest_crd.engine.registry.subresources import Scale, Subresources

SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}
WITH_STATUS = Subresources(has_status=True)
WITHOUT_STATUS = Subresources()
WITH_SCALE = Subresources(scale=SCALE)

SPEC_ERROR = ".spec.replicas: Invalid value: 0: .spec.replicas accessor error"
STATUS_ERROR = ".status.replicas: Invalid value: 0: .status.replicas accessor error"
SELECTOR_ERROR = '.status.selector: Invalid value: "": .status.selector accessor error'
OBJECT = "map[string]interface{}"

NEW: dict[str, Any] = {"metadata": {"name": "new"}, "spec": 1, "status": "new"}
OLD: dict[str, Any] = {"metadata": {"name": "old"}, "spec": 2, "status": "old"}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        pytest.param({}, WITHOUT_STATUS, id="none"),
        pytest.param({"status": None, "scale": None}, WITHOUT_STATUS, id="null"),
        pytest.param({"status": {}}, WITH_STATUS, id="an empty status is one"),
        pytest.param({"status": None, "scale": SCALE}, WITH_SCALE, id="scale alone"),
    ],
)
def test_declared_subresources_exist(declared: JSONValue, expected: Subresources) -> None:
    assert subresources.from_declared(declared) == expected


def test_create_drops_a_status_that_is_a_subresource() -> None:
    assert WITH_STATUS.prepare_create(NEW) == {"metadata": {"name": "new"}, "spec": 1}
    assert WITHOUT_STATUS.prepare_create(NEW) == NEW


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        pytest.param(NEW, OLD, NEW | {"status": "old"}, id="the old one is kept"),
        pytest.param({"spec": 1}, OLD, {"spec": 1, "status": "old"}, id="even if the new object has none"),
        pytest.param(NEW, {"spec": 2}, {"metadata": {"name": "new"}, "spec": 1}, id="or the lack of one"),
        pytest.param({"spec": 1}, {"spec": 2, "status": None}, {"spec": 1, "status": None}, id="null is one"),
    ],
)
def test_update_keeps_a_status_that_is_a_subresource(new: JSONValue, old: JSONValue, expected: JSONValue) -> None:
    assert WITH_STATUS.prepare_update(new, old) == expected
    assert WITHOUT_STATUS.prepare_update(new, old) == new


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        pytest.param(NEW, OLD, OLD | {"status": "new"}, id="all but the status is that of the old object"),
        pytest.param({"spec": 1}, OLD, {"metadata": {"name": "old"}, "spec": 2}, id="a status may be removed"),
        pytest.param(
            {"metadata": {"managedFields": [1], "labels": {}}, "status": 1},
            {"metadata": {"managedFields": [2], "uid": "u"}},
            {"metadata": {"managedFields": [1], "uid": "u"}, "status": 1},
            id="managed fields are those of the new object",
        ),
        pytest.param(
            {"metadata": None, "status": 1},
            {"metadata": {"managedFields": [2]}},
            {"metadata": {}, "status": 1},
            id="or none",
        ),
    ],
)
def test_status_update_changes_the_status_alone(new: JSONValue, old: JSONValue, expected: JSONValue) -> None:
    assert WITH_STATUS.prepare_status_update(new, old) == expected


def test_preparation_modifies_neither_object() -> None:
    new, old = {"metadata": {}, "status": 1}, {"metadata": {"managedFields": [1]}, "status": 2}
    for prepared in (WITH_STATUS.prepare_create(new), WITHOUT_STATUS.prepare_create(new)):
        assert prepared is not new
    WITH_STATUS.prepare_update(new, old)
    WITH_STATUS.prepare_status_update(new, old)
    assert (new, old) == ({"metadata": {}, "status": 1}, {"metadata": {"managedFields": [1]}, "status": 2})


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        pytest.param({}, [], id="nothing is there"),
        pytest.param({"spec": {"replicas": 2**31 - 1}, "status": {"replicas": 0, "selector": "a=b"}}, [], id="right"),
        pytest.param({"spec": None, "status": {"replicas": 1}}, [], id="null on the way"),
        pytest.param(
            {"spec": {"replicas": -1}},
            [".spec.replicas: Invalid value: -1: should be a non-negative integer"],
            id="negative",
        ),
        pytest.param(
            {"status": {"replicas": 2**31}},
            [".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
            id="beyond int32",
        ),
        pytest.param(
            {"spec": {"replicas": "x"}},
            [f"{SPEC_ERROR}: x is of the type string, expected int64"],
            id="a text",
        ),
        pytest.param(
            {"spec": {"replicas": 1.5}},
            [f"{SPEC_ERROR}: 1.5 is of the type float64, expected int64"],
            id="a fraction",
        ),
        pytest.param(
            {"spec": {"replicas": None}},
            [f"{SPEC_ERROR}: <nil> is of the type <nil>, expected int64"],
            id="null",
        ),
        pytest.param(
            {"spec": [1, {"b": "x y", "a": None}, False, True]},
            [f"{SPEC_ERROR}: [1 map[a:<nil> b:x y] false true] is of the type []interface {{}}, expected {OBJECT}"],
            id="a list on the way",
        ),
        pytest.param(
            {"spec": True, "status": 1},
            [
                f"{SPEC_ERROR}: true is of the type bool, expected {OBJECT}",
                f"{STATUS_ERROR}: 1 is of the type int64, expected {OBJECT}",
                f"{SELECTOR_ERROR}: 1 is of the type int64, expected {OBJECT}",
            ],
            id="all of them, spec first",
        ),
        pytest.param(
            {"status": {"selector": {}}},
            [f"{SELECTOR_ERROR}: map[] is of the type map[string]interface {{}}, expected string"],
            id="a selector that is no text",
        ),
    ],
)
def test_fields_of_the_scale_are_validated(resource: JSONValue, expected: list[str]) -> None:
    assert list(map(str, WITH_SCALE.validate_scale(resource))) == expected
    of_status = [error for error in expected if not error.startswith(".spec")]
    assert list(map(str, WITH_SCALE.validate_status_scale(resource))) == of_status


def test_fields_are_not_validated_without_a_scale() -> None:
    resource = {"spec": {"replicas": -1}, "status": {"replicas": -1}}
    assert WITHOUT_STATUS.validate_scale(resource) == WITHOUT_STATUS.validate_status_scale(resource) == []


@pytest.mark.parametrize(
    ("subresources_", "stored", "answer"),
    [
        (WITH_SCALE, {"spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "a=b"}}, Scale(3, 2, "a=b")),
        (WITH_SCALE, {"spec": {"replicas": 3}}, Scale(3, 0, "")),
        (
            Subresources(scale={"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}),
            {"spec": {"replicas": 3}},
            Scale(3, 0, ""),
        ),
        (WITHOUT_STATUS, {"spec": {"replicas": 3}}, refusal.NOT_SERVED),
        (
            WITH_SCALE,
            {"spec": {}},
            Refusal(
                500,
                "InternalError",
                'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
                problem='the spec replicas field ".spec.replicas" does not exist',
            ),
        ),
    ],
)
def test_a_scale_is_read(subresources_: Subresources, stored: dict[str, Any], answer: Scale | Refusal) -> None:
    assert subresources_.read_scale(stored) == answer


def test_a_label_selector_is_optional() -> None:
    scale = {"specReplicasPath": "spec.n", "statusReplicasPath": ".status.n"}
    errors = Subresources(scale=scale).validate_scale({"spec": {"n": -1}, "status": {"selector": 1}})
    assert [error.field for error in errors] == ["spec.n"]
