"""The check `roundtrip`: objects that another version and the way back change, or that a conversion refuses."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from checks.roundtrips.roundtripcrds import NUMBER, TEXT, judge, keep, make_crd, texts, version
from support.webhooks import FixedWebhooks

from pytest_crd import engine
from pytest_crd.checks import samplefiles
from pytest_crd.checks.roundtrips import judging, planning, surveys
from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.discovery import samplepaths
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.webhooks.transport import WebhookError

V1, V2 = version("v1", {"seconds": NUMBER}), version("v2", {"minutes": NUMBER, "note": TEXT})
SAME = version("v1", {"name": TEXT, "note": TEXT}), version("v2", {"name": TEXT, "note": TEXT})


def _convert(resource: JSONObject, api_version: str) -> JSONObject:
    spec = resource.get("spec", {})
    if api_version.endswith("v1"):
        return {**resource, "spec": {"seconds": spec["minutes"] * 60} if "minutes" in spec else {}}
    return {**resource, "spec": {"minutes": spec["seconds"] // 60} if "seconds" in spec else {}}


def _change_spec(**changes: Any) -> Any:
    """Return a conversion that changes fields of the spec; a function gets the value, and None removes it."""

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = dict(resource.get("spec") or {})
        for name, change in changes.items():
            if name in spec:
                value = change(spec.pop(name))
                spec |= {} if value is None else {name: value}
        return {**resource, "spec": spec}

    return convert


def test_a_lost_and_a_changed_field_are_findings_with_their_smallest_objects() -> None:
    verdict = judge(make_crd(V1, V2, convert=_convert))

    assert verdict.heading == "objects differ after a round trip between versions"
    assert texts(verdict) == [
        "spec.seconds: 1 becomes 0 on the way v1 → v2 → v1",
        'spec.note: "a" is lost on the way v2 → v1 → v2',
    ]
    assert verdict.findings[0].details == (
        'v1  {"spec": {"seconds": 1}}',
        'v2  {"spec": {"minutes": 0}}',
        'v1  {"spec": {"seconds": 0}}',
    )
    assert verdict.findings[1].details == ('v2  {"spec": {"note": "a"}}', 'v1  {"spec": {}}', 'v2  {"spec": {}}')
    assert [finding.field for finding in verdict.findings] == ["spec.seconds", "spec.note"]


def test_a_conversion_without_losses_holds() -> None:
    verdict = judge(make_crd(*SAME, convert=keep))

    assert (verdict.findings, verdict.allowed, verdict.passed_over) == ((), (), "")
    assert verdict.notes == ("v1 → v2 → v1: 7 objects", "v2 → v1 → v2: 7 objects")


def test_a_finding_has_the_line_of_its_field(tmp_path: Path) -> None:
    lines = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, singular: tab, kind: Tab, listKind: TabList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {}}}}}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              note: {type: string}
"""
    path = tmp_path / "tabs.yaml"
    path.write_text(lines, encoding="utf-8")

    (finding,) = judge(engine.load(path)[0]).allowed

    assert finding.place == f"{path}:23"
    assert finding.text == 'spec.note: "a" is lost on the way v2 → v1 → v2'


def test_losses_of_the_strategy_none_are_warnings() -> None:
    verdict = judge(make_crd(V1, V2, strategy="None"))

    assert verdict.findings == ()
    assert [finding.text for finding in verdict.allowed] == [
        "spec.seconds: 1 is lost on the way v1 → v2 → v1",
        "spec: all fields are lost on the way v2 → v1 → v2",
    ]


def test_versions_that_differ_in_descriptions_lose_nothing_without_a_webhook() -> None:
    described = {"name": {**TEXT, "description": "a name", "enum": ["a"]}, "description": {**TEXT}}
    second = {"name": {**TEXT, "enum": ["a"]}, "description": {**TEXT, "description": "a text"}}

    verdict = judge(make_crd(version("v1", described), version("v2", second), strategy="None"))

    assert verdict == CheckVerdict()


def test_an_annotation_that_carries_the_lost_fields_is_understood() -> None:
    key = "example.com/conversion-data"

    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        annotations = dict(resource["metadata"].get("annotations") or {})
        spec = dict(resource.get("spec") or {})
        if api_version.endswith("v1"):
            annotations |= {key: spec.pop("note")} if "note" in spec else {}
        elif key in annotations:
            spec["note"] = annotations.pop(key)
        return {**resource, "metadata": {**resource["metadata"], "annotations": annotations}, "spec": spec}

    verdict = judge(
        make_crd(version("v1", {"name": TEXT}), version("v2", {"name": TEXT, "note": TEXT}), convert=convert)
    )

    assert texts(verdict) == []


def test_an_annotation_that_only_the_way_back_adds_is_a_note() -> None:
    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        if api_version.endswith("v1"):
            return resource
        metadata = resource["metadata"]
        return {
            **resource,
            "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), "x/data": "v1"}},
        }

    verdict = judge(make_crd(*SAME, convert=convert))

    assert texts(verdict) == ['metadata.annotations.x/data: "v1" is added on the way v1 → v2 → v1']
    assert "v2 → v1 → v2: x/data carries parts that v2 does not have" in verdict.notes


def test_a_refused_conversion_is_a_finding_with_the_field_that_causes_it() -> None:
    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = resource.get("spec") or {}
        if "note" in spec:
            spec["name"]
        return resource

    verdict = judge(make_crd(*SAME, convert=convert))

    assert texts(verdict) == [
        "spec.note: the conversion v1 → v2 is refused: conversion webhook failed: no 'name'",
        "spec.note: the conversion v2 → v1 is refused: conversion webhook failed: no 'name'",
    ]
    assert verdict.findings[0].details == ('v1  {"spec": {"note": "a"}}',)


def test_a_refused_way_back_is_told_with_the_converted_object() -> None:
    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        return resource if api_version.endswith("v2") else {**resource, "spec": {"name": resource["spec"]["name"]}}

    verdict = judge(make_crd(*SAME, convert=convert))

    assert texts(verdict)[:1] == ["the conversion v2 → v1 is refused: conversion webhook failed: no 'spec'"]
    assert verdict.findings[0].details == ("v1  {}", "v2  {}")


def test_a_failing_webhook_of_the_project_is_told_once_a_way() -> None:
    def convert(_resource: JSONObject, _api_version: str) -> JSONObject:
        raise WebhookError.at("conftest.py", "the function fails:\nKeyError")

    verdict = judge(make_crd(*SAME, convert=convert))

    assert len(verdict.findings) == 2
    assert "v1 → v2 is refused" in texts(verdict)[0]
    assert "the function fails:\nKeyError" in texts(verdict)[0]
    assert verdict.notes[0] == "v1 → v2 → v1: 7 objects"


def test_trips_end_when_all_conversions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "_MOST_REFUSED", 3)

    verdict = judge(make_crd(*SAME, convert=lambda resource, _: resource["spec"]["absent"]))

    assert verdict.notes == ("v1 → v2 → v1: 3 objects", "v2 → v1 → v2: 3 objects")


def test_a_converted_object_that_the_other_version_refuses_is_a_finding() -> None:
    first, second = version("v1", {"name": TEXT}), version("v2", {"name": {**TEXT, "maxLength": 3}, "id": TEXT}, "id")

    verdict = judge(make_crd(first, second, convert=keep))

    assert [text.partition(":")[2] for text in texts(verdict) if "v2 refuses" in text] == [
        " v2 refuses the converted object: spec.id: Required value",
    ]


def test_the_other_version_validates_the_status_as_well() -> None:
    status = {"type": "object", "properties": {"phase": TEXT}}
    short = {"type": "object", "properties": {"phase": {**TEXT, "enum": ["ready"]}}}
    more: Any = {"subresources": {"status": {}}}
    first = version("v1", {"name": TEXT}, others={"status": status}, **more)
    second = version("v2", {"name": TEXT}, others={"status": short}, **more)

    verdict = judge(make_crd(first, second, convert=keep))

    assert [text.partition(": Unsupported")[0] for text in texts(verdict)] == [
        "status.phase: v2 refuses the converted object: status.phase"
    ]


def test_a_conversion_that_differs_each_time_is_a_finding() -> None:
    numbers = itertools.count()

    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        return {**resource, "spec": {**(resource.get("spec") or {}), "name": f"n{next(numbers)}"}}

    verdict = judge(make_crd(*SAME, convert=convert))

    assert any("two conversions of the same object to v2 differ: " in text for text in texts(verdict))


def test_an_object_is_lost_as_a_whole_if_no_field_of_it_stays() -> None:
    part = {"type": "object", "properties": {"a": TEXT, "b": TEXT, "c": TEXT}}
    first, second = version("v1", {"name": TEXT, "part": part}), version("v2", {"name": TEXT})

    verdict = judge(make_crd(first, second, convert=keep))

    assert texts(verdict) == ["spec.part: all fields are lost on the way v1 → v2 → v1"]


def test_one_lost_field_of_an_object_is_named_alone() -> None:
    first = version("v1", {"part": {"type": "object", "properties": {"a": TEXT, "b": TEXT}}})
    second = version("v2", {"part": {"type": "object", "properties": {"a": TEXT}}})

    assert texts(judge(make_crd(first, second, convert=keep))) == ['spec.part.b: "a" is lost on the way v1 → v2 → v1']


def test_a_value_of_an_enum_that_the_conversion_changes_is_found() -> None:
    colours = {"colour": {**TEXT, "enum": ["red", "green", "blue"]}}
    convert = _change_spec(colour=lambda colour: "red" if colour == "blue" else colour)

    verdict = judge(make_crd(version("v1", colours), version("v2", colours), convert=convert))

    assert texts(verdict) == [
        'spec.colour: "blue" becomes "red" on the way v1 → v2 → v1',
        'spec.colour: "blue" becomes "red" on the way v2 → v1 → v2',
    ]


def test_a_field_that_the_conversion_adds_is_a_finding() -> None:
    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        return {**resource, "spec": {"note": "more", **(resource.get("spec") or {})}}

    verdict = judge(make_crd(*SAME, convert=convert))

    assert texts(verdict)[0] == 'spec.note: "more" is added on the way v1 → v2 → v1'
    assert len(verdict.findings) == 2


def test_a_default_of_the_other_version_is_added_without_a_webhook() -> None:
    port = {"port": {**NUMBER, "default": 80}}

    verdict = judge(make_crd(version("v1", {"port": NUMBER}), version("v2", port), strategy="None"))

    assert "spec.port: 80 is added on the way v1 → v2 → v1" in [finding.text for finding in verdict.allowed]


def test_zeros_that_structs_of_go_leave_out_are_one_warning() -> None:
    fields = {"on": {"type": "boolean"}, "count": NUMBER, "name": TEXT}
    convert = _change_spec(on=lambda value: value or None, count=lambda value: value or None)

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert verdict.findings == ()
    assert [finding.text for finding in verdict.allowed][:1] == [
        'false, 0 or "" is lost on the way v1 → v2 → v1, as by omitempty of Go: spec.count, spec.on'
    ]
    assert verdict.allowed[0].place == "tabs.yaml:1"


def test_a_lost_zero_counts_if_a_default_replaces_it() -> None:
    fields = {"count": {**NUMBER, "default": 3}}
    convert = _change_spec(count=lambda value: value or None)

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert "spec.count: 0 becomes 3 on the way v1 → v2 → v1" in texts(verdict)


def test_empty_values_are_notes() -> None:
    fields = {f"list{number}": {"type": "array", "items": TEXT} for number in range(7)}
    convert = _change_spec(**{name: lambda value: value or None for name in fields})

    verdict = judge(make_crd(version("v1", fields), version("v2", fields), convert=convert))

    assert verdict.findings == ()
    assert (
        "v1 → v2 → v1: empty values are lost or added, as by structs of Go: spec, spec.list0, spec.list1, "
        "spec.list2, spec.list3 and 3 more" in verdict.notes
    )


def test_quantities_that_are_spelled_otherwise_are_notes() -> None:
    quantity = {"cpu": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}}
    convert = _change_spec(cpu=str)

    verdict = judge(make_crd(version("v1", quantity), version("v2", quantity), convert=convert))

    assert verdict.findings == ()
    assert "v1 → v2 → v1: the same amounts are spelled otherwise: spec.cpu" in verdict.notes


def test_a_text_that_is_no_quantity_counts_as_changed() -> None:
    text = {
        "cpu": {
            "x-kubernetes-int-or-string": True,
            "pattern": "^[a-z]+$",
            "anyOf": [{"type": "integer"}, {"type": "string"}],
        }
    }
    convert = _change_spec(cpu=lambda value: f"{value}b")

    verdict = judge(make_crd(version("v1", text), version("v2", text), convert=convert))

    assert texts(verdict)[0] == 'spec.cpu: 0 becomes "0bb" on the way v1 → v2 → v1'


def test_a_loss_on_several_ways_is_one_finding() -> None:
    versions = [
        version("v1", {"name": TEXT, "note": TEXT}),
        version("v2", {"name": TEXT}),
        version("v3", {"name": TEXT}),
    ]

    (finding,) = judge(make_crd(*versions, convert=keep)).findings

    assert finding.text == 'spec.note: "a" is lost on the way v1 → v2 → v1'
    assert finding.details[-1] == "as well by way of v3"


def test_a_version_that_is_only_stored_validates_nothing() -> None:
    stored = {**version("v1", {"name": {**TEXT, "maxLength": 1}}), "served": False}
    crd = make_crd(stored, version("v2", {"name": {**TEXT, "minLength": 2}}), convert=keep)

    verdict = judge(crd)

    assert verdict.notes == ("v2 → v1 → v2: 11 objects",)
    assert verdict.findings == ()


def test_fewer_objects_are_tried_if_conversions_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_SECONDS", 0)

    verdict = judge(make_crd(*SAME, convert=keep))

    assert verdict.notes[:2] == ("v1 → v2 → v1: 2 objects", "v2 → v1 → v2: 2 objects")
    assert verdict.notes[2].startswith("v1 → v2 → v1: 2 of 7 objects, as a conversion takes ")
    assert verdict.notes[2].endswith(" ms: the time for round trips is spent")


def test_a_refused_crd_is_left_to_another_check() -> None:
    manifest = make_crd(*SAME, convert=keep).manifest
    manifest["spec"]["scope"] = "Everywhere"

    verdict = judge(engine.CustomResourceDefinition.from_manifest(manifest))

    assert verdict.passed_over == "the server refuses the CRD; another check says why"


def test_samples_are_objects_even_if_no_other_is_known(tmp_path: Path) -> None:
    rule = {"x-kubernetes-validations": [{"rule": "self.startsWith('r') && self.endsWith('quux') && self.size() == 9"}]}
    first = version("v1", {"name": {**TEXT, **rule, "maxLength": 9}, "note": TEXT}, "name")
    first["schema"]["openAPIV3Schema"]["required"] = ["spec"]
    crd = make_crd(first, version("v2", {"name": TEXT}), convert=keep)
    samples = tmp_path / "samples"
    samples.mkdir()
    (samples / "tab.yaml").write_text(
        "{apiVersion: example.com/v1, kind: Tab, metadata: {name: a}, spec: {name: rabcdquux, note: b}}\n",
        encoding="utf-8",
    )
    samples_found = samplefiles.read(samplepaths.files((), folder=tmp_path), samplefiles.group_crds([crd])).samples

    assert 'spec.note: "b" is lost on the way v1 → v2 → v1' in texts(judge(crd, samples_found))


def test_without_objects_nothing_is_said() -> None:
    never = {**TEXT, "x-kubernetes-validations": [{"rule": "self.size() > 2 && self.size() < 1"}], "maxLength": 9}
    versions = [version(name, {"name": never}, "name") for name in ("v1", "v2")]
    for item in versions:
        item["schema"]["openAPIV3Schema"]["required"] = ["spec"]

    verdict = judge(make_crd(*versions, convert=keep))

    assert verdict.passed_over == "no object of Tab is found that a server accepts"


def test_webhooks_that_cannot_be_called_are_not_judged() -> None:
    crd = make_crd(*SAME).with_webhooks(FixedWebhooks(None))

    assert not planning.is_known(crd)


def test_many_changes_by_the_conversion_none_are_one_warning() -> None:
    others = {f"field{number}": TEXT for number in range(6)}

    verdict = judge(make_crd(version("v1", {"name": TEXT}), version("v2", {"name": TEXT, **others}), strategy="None"))

    (warning,) = verdict.allowed
    assert warning.text == (
        "6 fields of Tab change on the way between versions, as the conversion is None: spec.field0, spec.field1, "
        "spec.field2, spec.field3, spec.field4 and 1 more (-v lists them)"
    )
    assert sum("is lost on the way" in note for note in verdict.notes) == 6
