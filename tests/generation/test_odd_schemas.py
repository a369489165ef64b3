"""Generated cases for unusual schemas."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine, synthesis
from pytest_crd.cases import loader
from pytest_crd.cases.model import AnyCase, CreateCase, UpdateCase
from pytest_crd.cases.objectsources import resolve
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.generation import Wanted, casefile, generate, proposedcases

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
OPEN = {"x-kubernetes-preserve-unknown-fields": True}
RULES = "x-kubernetes-validations"


def _cases(version: engine.CrdVersion) -> dict[str, AnyCase]:
    """Return the cases by name; the generator has run them already."""
    files = loader.load(generate([version]).text, source="generated")
    return {case.name: resolve(case, Path()) for file in files for case in file.cases}


# The schema of `spec`, other parts of the version, and names of cases that must be generated.
ODD: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "all unknown fields are kept": (
        fields(a=TEXT),
        {"root": OPEN},
        ["the object: unknown fields are kept", "spec: unknown fields are dropped"],
    ),
    "a status that nothing declares": (
        fields(a=TEXT),
        {"root": OPEN, "subresources": {"status": {}}},
        ["status: a create drops it", "status: an update leaves it alone"],
    ),
    "a status with a default": (
        fields(a=TEXT),
        {
            "root": {"properties": {"status": {**fields(n=NUMBER), "default": {"n": -1}}}},
            "subresources": {"status": {}},
        },
        ["status: a create replaces it by its default"],
    ),
    "metadata with a rule of its own": (
        fields(a=TEXT),
        {"root": {"properties": {"metadata": fields(name={**TEXT, "maxLength": 9})}}},
        ["the object: unknown fields are dropped"],
    ),
    "a value that a rule refuses": (
        fields(a={**TEXT, "enum": ["x", "y"], RULES: [{"rule": "self != 'y'"}]}),
        {},
        ["spec.a: keeps the rule 'self != 'y''"],
    ),
    "a branch that nothing fits": (
        fields(a={**TEXT, "anyOf": [{"pattern": "^b"}, {"maxLength": 0, "minLength": 1}]}),
        {},
        ['spec.a: "b" fits anyOf'],
    ),
    "null in each field gives way": (
        fields(a={**TEXT, "default": "x"}),
        {},
        ["spec: a has a default", "spec: null gives way to a default"],
    ),
    "many defaults": (
        fields(**{f"f{index}": {**NUMBER, "default": index} for index in range(6)}),
        {},
        ["spec: f0, f1, f2, f3 and 2 more have defaults"],
    ),
    "a resource in a resource": (
        fields(
            template={
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "properties": {"metadata": fields(), "spec": fields()},
            }
        ),
        {},
        ["spec: unknown fields are dropped"],
    ),
    "a field called unknown": (fields(unknown=TEXT), {}, ["spec: unknown fields are dropped"]),
    "a map of objects": (
        fields(m={"type": "object", "additionalProperties": fields(a_=TEXT)}),
        {},
        [
            "spec.m.*: a is missing",
            "spec.m.*: null is dropped",
            'spec.m.*: "a" is of the wrong type',
        ],
    ),
    "lists of lists": (
        fields(m={"type": "array", "items": {"type": "array", "items": NUMBER}}),
        {},
        ['spec.m.*.*: "a" is of the wrong type'],
    ),
    "open items": (
        fields(m={"type": "array", "items": {"type": "object", **OPEN}}),
        {},
        ["spec.m.*: unknown fields are kept"],
    ),
    "open values": (
        fields(m={"type": "object", "additionalProperties": {"type": "object", **OPEN}}),
        {},
        ["spec.m.*: unknown fields are kept"],
    ),
    "a junctor of the whole object": (
        fields(a=TEXT),
        {"root": {"properties": {"other": TEXT}, "anyOf": [{"required": ["spec"]}, {"required": ["other"]}]}},
        ["the object: spec is missing"],
    ),
    "one rule twice": (
        fields(
            a={**NUMBER, RULES: [{"rule": "self > 1", "message": "m"}, {"rule": "self < 9", "message": "m"}]}, b=TEXT
        ),
        {},
        ["spec.a: breaks the rule 'm'", "spec.a: breaks the rule 'm' (2)"],
    ),
    "a rule that is false": (
        {**fields(a=NUMBER), RULES: [{"rule": "self.a > 3", "message": "more"}]},
        {},
        ["spec: breaks the rule 'more'"],
    ),
    "a rule that never is": (
        {**fields(a=NUMBER), RULES: [{"rule": "self.a == self.a", "message": "itself"}]},
        {},
        ["spec: cannot evaluate the rule 'itself'"],
    ),
    "a field and a required one that rules keep apart": (
        {**fields(a_=TEXT, b_=TEXT), RULES: [{"rule": "size(self.a) < 3"}]},
        {},
        ["spec: a, b are missing"],
    ),
    "required fields of which one has a default": (
        fields(a_=TEXT, b_={**TEXT, "default": "x"}),
        {},
        ["spec: a is missing"],
    ),
    "an int-or-string with a pattern": (
        fields(a={"x-kubernetes-int-or-string": True, "pattern": "^a", "anyOf": [NUMBER, TEXT]}),
        {},
        ['spec.a: "a" is allowed', "spec.a: 0 is allowed"],
    ),
    "an open object in an open one": (
        fields(m={**fields(n={"type": "object", **OPEN}), **OPEN}),
        {},
        ["spec.m: unknown fields are kept"],
    ),
    "metadata that must be there": (
        fields(a_=TEXT),
        {"root": {"properties": {"metadata": fields()}, "required": ["metadata", "spec"]}},
        ["the object: spec must not be null"],
    ),
    "required fields of what may be null": (
        fields(m={**fields(a_=TEXT, b_=TEXT), "nullable": True, "default": None}),
        {},
        ["spec.m: a, b are missing"],
    ),
    "a map of what is left out": (
        fields(m={"type": "object", "additionalProperties": fields(limits=fields(), requests=fields())}),
        {},
        ["spec.m: null is dropped", "spec: null is dropped"],
    ),
    "no object can have it": (
        fields(a={**TEXT, RULES: [{"rule": "false"}]}, b=TEXT),
        {},
        ["the smallest object is accepted"],
    ),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_schemas_have_their_cases(odd: str) -> None:
    spec, version, names = ODD[odd]

    cases = _cases(versions.create_version(spec, **version))

    for name in names:
        assert name in cases, list(cases)


def test_null_of_a_required_field_without_a_default_is_refused() -> None:
    names = _cases(versions.create_version(fields(a_={**TEXT, "default": "x"}, b_=TEXT), required=False))

    assert "spec: b must not be null" in names
    assert "spec: a must not be null" not in names
    assert "spec: a must not be null" not in _cases(
        versions.create_version(fields(a_={**TEXT, "default": "x"}), required=False)
    )


def test_the_whole_result_is_stated_if_a_default_is_an_object() -> None:
    number = {**NUMBER, "default": 1}
    cases = _cases(versions.create_version(fields(a=number, m={**fields(n=number), "default": {}}), required=False))

    assert cases["spec: a, m have defaults"].declared["expected"] == {"spec": {"a": 1, "m": {"n": 1}}}
    assert cases["spec.m: n has a default"].declared["contains"] == {"spec": {"m": {"n": 1}}}


def test_fields_of_a_spec_may_have_the_names_of_root_fields() -> None:
    version = versions.create_version(fields(kind_=TEXT, status=NUMBER), required=False, subresources={"status": {}})
    cases = _cases(version)

    assert "spec: kind must not be null" in cases
    assert cases["spec: values of a wrong type"].objects[0] == {"spec": {"kind": 1, "status": "a"}}


def test_null_is_lost_from_objects_in_one_item() -> None:
    items = fields(a=TEXT, b=fields(c=TEXT))

    names = _cases(versions.create_version(fields(m={"type": "array", "items": items}), required=False))

    assert "null is dropped as spec.m.*.a, spec.m.*.b.c" in names


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ({**TEXT, "nullable": True}, "spec: null is kept as a"),
        ({**TEXT, "default": "x"}, "spec: null gives way to a default"),
        (TEXT, "spec: null is dropped"),
    ],
)
def test_a_whole_file_tests_null_in_each_field(field: dict[str, Any], name: str) -> None:
    files = loader.load(
        generate([versions.create_version(fields(a=field))], Wanted(is_whole=True)).text, source="generated"
    )

    assert [case.name for case in files[0].cases if case.name.startswith("spec: null")] == [name]


@pytest.mark.parametrize(
    ("of_first", "of_second", "name"),
    [
        ({}, OPEN, "lost"),
        ({}, {"properties": {"status": fields(phase=TEXT)}}, "lost"),
        (
            {"properties": {"status": fields(phase=TEXT)}},
            {"properties": {"status": fields(phase_=TEXT, other_=TEXT)}},
            "stored",
        ),
    ],
)
def test_fields_of_the_status_that_the_storage_version_does_not_have_are_lost(
    of_first: dict[str, Any], of_second: dict[str, Any], name: str
) -> None:
    stored = versions.create_version(fields(a=TEXT), required=False, root=of_first, subresources={"status": {}})
    manifest = copy.deepcopy(dict(stored.crd.manifest))
    (first,) = manifest["spec"]["versions"]
    schema = {"type": "object", **of_second}
    second = {**first, "name": "v2", "storage": False, "schema": {"openAPIV3Schema": schema}}
    manifest["spec"]["versions"] = [first, second]

    cases = _cases(engine.CustomResourceDefinition.from_manifest(manifest).version("v2"))

    names = [case for case in cases if case.startswith("status: an update of the status is ")]
    assert names == [f"status: an update of the status is {name}"]


def test_the_root_may_be_all_there_is() -> None:
    names = _cases(versions.create_version({"type": "object", **OPEN}, required=False))

    assert list(names) == [
        "the object: unknown fields are dropped",
        "spec: unknown fields are kept",
        "the object: null is dropped",
        "the smallest object is accepted",
        "the fullest object is accepted",
        "the object: values of a wrong type",
    ]


def test_a_transition_is_an_update() -> None:
    version = versions.create_version(fields(a_={**TEXT, RULES: [{"rule": "self == oldSelf", "message": "fixed"}]}))

    case = _cases(version)["spec.a: breaks the rule 'fixed'"]

    assert isinstance(case, UpdateCase)
    assert case.old["spec"] != case.input["spec"]


def test_a_value_that_a_junctor_forbids_has_a_create_case() -> None:
    """If fields of a wrong type hide each other's errors, each has its own case."""
    version = versions.create_version(fields(a={**fields(x=NUMBER), "not": {"required": ["x"]}}))

    assert isinstance(_cases(version)["spec.a: values of a wrong type"], CreateCase)


def test_without_a_fullest_object_there_is_no_case_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise synthesis.NoExampleError("none")

    version = versions.create_version(fields(a=TEXT))
    assert "the fullest object is accepted" in _cases(version)
    monkeypatch.setattr(synthesis, "example", refuse)

    assert "the fullest object is accepted" not in _cases(version)


def test_objects_that_cannot_be_stored_have_no_update_cases() -> None:
    """Objects are stored in a version that requires more fields."""
    status = {"type": "object", "properties": {"a": TEXT}}
    version = versions.create_version(fields(), root={"properties": {"status": status}}, subresources={"status": {}})
    assert "status: an update leaves it alone" in _cases(version)
    manifest: Any = copy.deepcopy(version.crd.manifest)
    served = manifest["spec"]["versions"][0]
    stored = copy.deepcopy(served)
    served["storage"] = False
    stored["name"] = "v2"
    stored["schema"]["openAPIV3Schema"]["properties"]["status"]["required"] = ["a"]
    manifest["spec"]["versions"].append(stored)
    changed = engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

    names = _cases(changed)

    assert "status: an update leaves it alone" not in names
    assert "status: a create drops it" in names


def test_a_large_smallest_object_stands_in_a_block() -> None:
    version = versions.create_version(fields(**{f"field{index}_": {**TEXT, "minLength": 10} for index in range(9)}))

    assert "x-smallest: &smallest\n  spec:\n    field0: aaaaaaaaaa\n" in generate([version]).text


@pytest.mark.parametrize(("longest", "count"), [(20, 21), pytest.param(200, 210, marks=pytest.mark.slow)])
def test_cases_with_many_lines_are_left_out(longest: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casefile, "_LONGEST_CASE", longest)
    inner = fields(**{f"field{index}": {**TEXT, "minLength": 10} for index in range(count)})

    left_out = generate([versions.create_version(fields(a=inner))]).left_out
    assert "types of spec.a: would make it too long" in left_out


def test_cases_without_room_are_counted() -> None:
    tags = {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}
    version = versions.create_version(fields(**{f"field{index}": tags for index in range(10)}))

    generated = generate([version], most_lines=60)

    assert any(
        line.startswith("list and map types of spec.field") and line.endswith(" more: would make it too long")
        for line in generated.left_out
    )
    assert any(re.match("# - and [0-9]+ more$", line) for line in generated.text.splitlines())


def test_values_are_found_at_places() -> None:
    resource = {"m": {"named": 1, "other": [{"a": 2}]}, "empty": {}, "none": []}
    declared: dict[Place, set[str]] = {("m",): {"named"}}

    assert proposedcases.at(resource, ("m", Each.VALUE, Each.ITEM, "a"), declared) == 2
    for place in (("empty", Each.VALUE), ("none", Each.ITEM), ("m", "named", "deeper"), ("absent",)):
        with pytest.raises(LookupError):
            proposedcases.at(resource, place, declared)
