"""What is generated for schemas that are not of the usual make."""

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


def _cases(version: engine.Version) -> dict[str, AnyCase]:
    """Return the cases by name; the generator has run them all."""
    files = loader.load(generate([version]).text, source="generated")
    return {case.name: resolve(case, Path()) for file in files for case in file.cases}


# The schema of `spec`, what else the version has, and names of cases that it must have.
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

    found = _cases(versions.of(spec, **version))

    for name in names:
        assert name in found, list(found)


def test_null_is_refused_where_nothing_else_stands_for_it() -> None:
    names = _cases(versions.of(fields(a_={**TEXT, "default": "x"}, b_=TEXT), required=False))

    assert "spec: b must not be null" in names
    assert "spec: a must not be null" not in names
    assert "spec: a must not be null" not in _cases(versions.of(fields(a_={**TEXT, "default": "x"}), required=False))


def test_null_is_lost_from_objects_in_one_item() -> None:
    items = fields(a=TEXT, b=fields(c=TEXT))

    names = _cases(versions.of(fields(m={"type": "array", "items": items}), required=False))

    assert "null is dropped as spec.m.*.a, spec.m.*.b.c" in names


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ({**TEXT, "nullable": True}, "spec: null is kept as a"),
        ({**TEXT, "default": "x"}, "spec: null gives way to a default"),
        (TEXT, "spec: null is dropped"),
    ],
)
def test_what_becomes_of_null_is_said_of_each_field(field: dict[str, Any], name: str) -> None:
    files = loader.load(generate([versions.of(fields(a=field))], Wanted(is_whole=True)).text, source="generated")

    assert [case.name for case in files[0].cases if case.name.startswith("spec: null")] == [name]


def test_the_root_may_be_all_there_is() -> None:
    names = _cases(versions.of({"type": "object", **OPEN}, required=False))

    assert list(names) == [
        "the object: unknown fields are dropped",
        "spec: unknown fields are kept",
        "the object: null is dropped",
        "the smallest object is accepted",
        "the fullest object is accepted",
        "the object: values of a wrong type",
    ]


def test_a_transition_is_an_update() -> None:
    version = versions.of(fields(a_={**TEXT, RULES: [{"rule": "self == oldSelf", "message": "fixed"}]}))

    case = _cases(version)["spec.a: breaks the rule 'fixed'"]

    assert isinstance(case, UpdateCase)
    assert case.old["spec"] != case.input["spec"]


def test_a_value_that_a_junctor_forbids_is_tried_apart() -> None:
    """Where fields of a wrong type hide each other, each has its case."""
    version = versions.of(fields(a={**fields(x=NUMBER), "not": {"required": ["x"]}}))

    assert isinstance(_cases(version)["spec.a: values of a wrong type"], CreateCase)


def test_where_no_fullest_object_is_found_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise synthesis.NoExampleError("none")

    version = versions.of(fields(a=TEXT))
    assert "the fullest object is accepted" in _cases(version)
    monkeypatch.setattr(synthesis, "example", refuse)

    assert "the fullest object is accepted" not in _cases(version)


def test_what_no_server_has_stored_is_not_updated() -> None:
    """Objects are stored in another version, which asks for more."""
    status = {"type": "object", "properties": {"a": TEXT}}
    version = versions.of(fields(), root={"properties": {"status": status}}, subresources={"status": {}})
    assert "status: an update leaves it alone" in _cases(version)
    manifest: Any = copy.deepcopy(version.crd.manifest)
    served = manifest["spec"]["versions"][0]
    stored = copy.deepcopy(served)
    served["storage"] = False
    stored["name"] = "v2"
    stored["schema"]["openAPIV3Schema"]["properties"]["status"]["required"] = ["a"]
    manifest["spec"]["versions"].append(stored)
    other = engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

    names = _cases(other)

    assert "status: an update leaves it alone" not in names
    assert "status: a create drops it" in names


def test_a_large_smallest_object_stands_in_a_block() -> None:
    version = versions.of(fields(**{f"field{index}_": {**TEXT, "minLength": 10} for index in range(9)}))

    assert "x-smallest: &smallest\n  spec:\n    field0: aaaaaaaaaa\n" in generate([version]).text


@pytest.mark.parametrize(("longest", "count"), [(20, 21), pytest.param(200, 210, marks=pytest.mark.slow)])
def test_what_needs_many_lines_is_left_out(longest: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casefile, "_LONGEST_CASE", longest)
    inner = fields(**{f"field{index}": {**TEXT, "minLength": 10} for index in range(count)})

    left_out = generate([versions.of(fields(a=inner))]).left_out
    assert "types of spec.a: would make it too long" in left_out


def test_there_is_room_or_there_is_not() -> None:
    version = versions.of(fields(**{f"field{index}": {**NUMBER, "minimum": index} for index in range(60)}))

    generated = generate([version], most_lines=90)

    assert any(
        one.startswith("bounds of spec.field") and one.endswith(" more: would make it too long")
        for one in generated.left_out
    )
    assert any(re.match("# - and [0-9]+ more$", line) for line in generated.text.splitlines())


def test_what_is_at_a_place() -> None:
    resource = {"m": {"named": 1, "other": [{"a": 2}]}, "empty": {}, "none": []}
    named: dict[Place, set[str]] = {("m",): {"named"}}

    assert proposedcases.at(resource, ("m", Each.VALUE, Each.ITEM, "a"), named) == 2
    for place in (("empty", Each.VALUE), ("none", Each.ITEM), ("m", "named", "deeper"), ("absent",)):
        with pytest.raises(LookupError):
            proposedcases.at(resource, place, named)
