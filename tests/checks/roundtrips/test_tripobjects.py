"""Objects for round trips: samples, the smallest and the fullest object, other values of all fields at once, and each field alone."""

from __future__ import annotations

from typing import Any

import pytest
from checks.roundtrips.roundtripcrds import NUMBER, TEXT, make_crd, version

from pytest_crd.checks.roundtrips import tripobjects
from pytest_crd.checks.roundtrips.tripobjects import RoundTripObjects
from pytest_crd.engine import CrdVersion
from pytest_crd.synthesis import NoExampleError

STATUS: dict[str, Any] = {"subresources": {"status": {}}}
PHASE = {"type": "object", "properties": {"phase": TEXT}}


def _version(properties: Any, *required: str, **more: Any) -> CrdVersion:
    return make_crd(version("v1", properties, *required, **more)).version("v1")


def _find(crd_version: CrdVersion, *names: str) -> list[Any]:
    """Return the named parts of the objects."""
    resources = [item.accepted.resource for item in RoundTripObjects(crd_version, []).candidates]
    return [{name: resource[name] for name in names if name in resource} for resource in resources]


def test_the_smallest_and_the_fullest_object_come_first() -> None:
    candidates = RoundTripObjects(_version({"name": TEXT, "count": NUMBER}, "name"), []).candidates

    assert [item.accepted.resource.get("spec") for item in candidates if item.is_first] == [
        None,
        {"name": "a", "count": 0},
    ]


def test_the_fullest_object_has_a_status_if_the_server_takes_it() -> None:
    never = {"type": "object", "properties": {"phase": {**TEXT, "enum": ["a"], "pattern": "b"}}, "required": ["phase"]}

    assert {"status": {"phase": "a"}} in _find(_version({}, others={"status": PHASE}, **STATUS), "status")
    assert _find(_version({}, others={"status": never}, **STATUS), "status") == [{}] * 3


def test_a_start_has_the_defaults_and_the_metadata_of_the_server() -> None:
    fields = {"name": {**TEXT, "default": "a"}, "count": NUMBER}
    starts = [item.accepted.stored for item in RoundTripObjects(_version(fields), []).candidates]

    assert starts[0]["metadata"].keys() == {"name", "namespace", "uid", "creationTimestamp", "generation"}
    assert {"name": "a", "count": 0} in [start.get("spec") for start in starts]


def test_all_values_of_an_enum_are_tried_together() -> None:
    enum = {**TEXT, "enum": ["a", "b", "c"]}

    specs = _find(_version({"first": enum, "second": enum}), "spec")

    assert {"spec": {"first": "b", "second": "b"}} in specs
    assert {"spec": {"first": "c", "second": "c"}} in specs


def test_values_that_exclude_each_other_are_tried_alone() -> None:
    enum = {**TEXT, "enum": ["a", "b"]}
    crd_version = _version({"first": enum, "second": enum})
    rule = {"rule": "!has(self.first) || !has(self.second) || self.first != 'b' || self.second != 'b'"}
    schema = crd_version.crd.manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    schema["x-kubernetes-validations"] = [rule]
    ruled = make_crd(
        {
            **version("v1", {"first": enum, "second": enum}),
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
        }
    ).version("v1")

    specs = _find(ruled, "spec")

    assert any(spec.get("spec", {}).get("first") == "b" for spec in specs)
    assert any(spec.get("spec", {}).get("second") == "b" for spec in specs)


def test_a_value_that_the_server_takes_in_no_object_is_left_out() -> None:
    odd = {**TEXT, "enum": ["a", "b"], "pattern": "a"}

    assert not any(spec.get("spec", {}).get("name") == "b" for spec in _find(_version({"name": odd}), "spec"))


def test_lists_and_maps_get_more_items() -> None:
    items = {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}}
    keys = {"type": "object", "additionalProperties": NUMBER}

    specs = [spec.get("spec", {}) for spec in _find(_version({"items": items, "keys": keys}), "spec")]

    assert 2 in [len(spec.get("items", ())) for spec in specs]
    assert {"key": 0, "another": 0} in [spec.get("keys") for spec in specs]


def test_long_texts_are_left_out() -> None:
    specs = _find(_version({"name": {**TEXT, "maxLength": 5000}}), "spec")

    assert max(len(spec.get("spec", {}).get("name", "")) for spec in specs) < 1000


def test_values_that_cannot_be_combined_leave_the_fullest_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tripobjects, "_MOST_ATTEMPTS", 0)

    specs = _find(_version({"name": {**TEXT, "enum": ["a", "b"]}}), "spec")

    assert specs[-2:] == [{"spec": {"name": "a"}}, {"spec": {"name": "b"}}]


def test_the_number_of_values_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tripobjects, "_BUDGET", 10)

    assert len(_find(_version({"name": TEXT, "count": NUMBER}), "spec")) == 3


def test_a_field_without_an_accepted_value_is_in_no_object() -> None:
    never = {**TEXT, "enum": ["a"], "pattern": "b"}

    assert not any("name" in spec.get("spec", {}) for spec in _find(_version({"name": never}), "spec"))


def test_without_a_fullest_object_the_smallest_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none(_version: CrdVersion, *, full: bool) -> Any:
        raise NoExampleError(str(full))

    monkeypatch.setattr(tripobjects, "example", find_none)

    assert _find(_version({"name": TEXT}), "spec")[:2] == [{}, {}]


def test_a_small_object_is_found_for_a_place() -> None:
    never = {**TEXT, "enum": ["a"], "pattern": "b"}
    objects = RoundTripObjects(_version({"name": TEXT, "never": never}), [])
    unknown = version("v1", {"never": never}, "never")
    unknown["schema"]["openAPIV3Schema"]["required"] = ["spec"]

    resource = objects.find_object(("spec", "name"))

    assert resource is not None
    assert "name" in resource["spec"]
    assert objects.find_object(("spec", "never")) is None
    assert RoundTripObjects(make_crd(unknown).version("v1"), []).find_object(("spec",)) is None
