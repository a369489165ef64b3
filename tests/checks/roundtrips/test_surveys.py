"""Survey of one route: one finding a field, with the smallest object that shows it."""

from __future__ import annotations

from typing import Any

import pytest
from checks.roundtrips.roundtripcrds import NUMBER, TEXT, judge, keep, make_crd, texts, version

from pytest_crd.checks.roundtrips import surveys, tripobjects, trips
from pytest_crd.engine.jsonvalue import JSONObject


def _list_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def test_a_large_object_is_replaced_by_a_small_one_with_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tripobjects, "_BUDGET", 0)
    monkeypatch.setattr(surveys, "_LARGE", 0)
    monkeypatch.setattr(surveys, "_BUDGET", 0)
    fields = {"a": TEXT, "b": TEXT, "c": TEXT, "count": NUMBER}

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = {name: value for name, value in (resource.get("spec") or {}).items() if name != "c"}
        return {**resource, "spec": {**spec, "count": spec["count"] + 1} if "b" in spec else spec}

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    details = {finding.field: finding.details[0] for finding in verdict.findings if "way v1" in finding.text}
    assert details["spec.count"] == 'v1  {"spec": {"a": "a", "b": "a", "c": "a", "count": 0}}'
    assert details["spec.c"] == 'v1  {"spec": {"c": "a"}}'


def test_objects_are_not_shrunk_if_conversions_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trips, "_MOST_SECONDS", 0)
    fields = {"a": TEXT, "b": TEXT}
    versions = version("v1", fields, "a", "b"), version("v2", {"a": TEXT})
    versions[0]["schema"]["openAPIV3Schema"]["required"] = ["spec"]

    (finding,) = judge(make_crd(*versions, convert=keep)).findings[:1]

    assert finding.details[0] == 'v1  {"spec": {"a": "a", "b": "a"}}'


def test_one_field_that_refuses_a_conversion_is_told_once() -> None:
    fields = {
        "items": _list_of({"name": TEXT, "size": NUMBER}),
        "keys": {"type": "object", "additionalProperties": TEXT},
    }

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = resource.get("spec") or {}
        for item in spec.get("items") or ():
            if "size" in item:
                item["absent"]
        for key in spec.get("keys") or ():
            spec[f"no {key}"]
        return resource

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert [text.partition(" is refused")[0] for text in texts(verdict)] == [
        "spec.keys[*]: the conversion v1 → v2",
        "spec.items[*].size: the conversion v1 → v2",
        "spec.keys[*]: the conversion v2 → v1",
        "spec.items[*].size: the conversion v2 → v1",
    ]


def test_a_value_that_refuses_a_conversion_is_told_at_its_field() -> None:
    fields = {"size": {**NUMBER, "minimum": 1}}
    versions = [version(name, fields, "size") for name in ("v1", "v2")]
    for item in versions:
        item["schema"]["openAPIV3Schema"]["required"] = ["spec"]

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        return resource if resource["spec"]["size"] == 1 else resource["absent"]

    verdict = judge(make_crd(*versions, convert=convert))

    assert texts(verdict)[0] == "spec.size: the conversion v1 → v2 is refused: conversion webhook failed: no 'absent'"


def test_lost_items_are_fields_of_their_list() -> None:
    first = version("v1", {"name": TEXT, "items": _list_of({"a": TEXT, "b": TEXT})})

    assert texts(judge(make_crd(first, version("v2", {"name": TEXT}), convert=keep))) == [
        "spec.items: all fields are lost on the way v1 → v2 → v1"
    ]


def test_a_list_that_gets_shorter_is_changed() -> None:
    fields = {"items": {"type": "array", "items": TEXT, "minItems": 2}}

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = resource.get("spec") or {}
        return {**resource, "spec": {name: value[:2] + value[3:] for name, value in spec.items()}}

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert texts(verdict)[0] == 'spec.items: ["c", "c", "a"] becomes ["c", "c"] on the way v1 → v2 → v1'


def test_a_conversion_that_sometimes_leaves_a_field_out_is_unstable() -> None:
    calls: list[str] = []

    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        calls.append(api_version)
        return {**resource, "spec": {"name": "a"} if len(calls) % 2 else {}}

    verdict = judge(make_crd(*(version(name, {"name": TEXT}) for name in ("v1", "v2")), convert=convert))

    assert any('differ: "a", then absent' in text for text in texts(verdict))


def test_embedded_metadata_that_the_server_cannot_read_is_a_refusal() -> None:
    embedded = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"apiVersion": TEXT, "kind": TEXT, "metadata": {"type": "object"}},
    }

    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        spec = resource.get("spec") or {}
        if "template" not in spec or api_version.endswith("v1"):
            return resource
        return {**resource, "spec": {"template": {**spec["template"], "metadata": {"labels": ["a"]}}}}

    fields = {"template": embedded}
    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert "the conversion v1 → v2 is refused: " in texts(verdict)[0]
    assert "labels" in texts(verdict)[0]
