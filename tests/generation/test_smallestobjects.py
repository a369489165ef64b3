"""Cases of objects that have only required fields: a newly required field and a new default are noticed at each level."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import pytest
from synthesis import versions

from pytest_crd import engine
from pytest_crd.cases import caserunner
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.generation import Wanted, casefile, generate, reach

TEXT: dict[str, Any] = {"type": "string"}
CERT: dict[str, Any] = {"type": "object", "properties": {"issuer": TEXT, "name": TEXT}, "required": ["name"]}
TLS: dict[str, Any] = {"type": "object", "properties": {"cert": CERT, "mode": TEXT}}
ITEM: dict[str, Any] = {"type": "object", "properties": {"a": TEXT, "tls": TLS}}
SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tls": TLS,
        "list": {"type": "array", "items": ITEM},
        "map": {"type": "object", "additionalProperties": ITEM},
    },
}
STATUS: dict[str, Any] = {"type": "object", "properties": {"phase": TEXT, "inner": TLS}}
ROOT: dict[str, Any] = {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}


def _version(root: dict[str, Any]) -> engine.CrdVersion:
    fields = root["properties"]
    status = {"properties": {"status": fields["status"]}}
    return versions.create_version(fields["spec"], required=False, root=status, subresources={"status": {}})


def _failing(cases: Iterable[AnyCase], version: engine.CrdVersion) -> list[str]:
    subject = CaseSubject(version)
    return [case.name for case in cases if _fails(case, subject)]


def _fails(case: AnyCase, subject: CaseSubject) -> bool:
    try:
        return not caserunner.run(case, subject).holds
    except engine.InputError:  # the old object is refused
        return True


def _objects(schema: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the paths of the object schemas with properties inside *schema*."""
    inner = [((*path, "properties", name), child) for name, child in schema.get("properties", {}).items()]
    inner += [((*path, key), schema[key]) for key in ("items", "additionalProperties") if key in schema]
    own = [path] if "properties" in schema else []
    return own + [found for steps, child in inner for found in _objects(child, steps)]


def _at(schema: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for step in path:
        schema = schema[step]
    return schema


@pytest.fixture(scope="module")
def generated() -> casefile.Generated:
    return generate([_version(ROOT)])


@pytest.fixture(scope="module")
def text(generated: casefile.Generated) -> str:
    return generated.text


@pytest.fixture(scope="module")
def cases(text: str) -> list[AnyCase]:
    """The cases without optional fields."""
    return [case for case in reach.parse_cases(text) if "optional fields may be left out" in case.name]


@pytest.mark.parametrize("change", ["required", "default"])
@pytest.mark.parametrize("path", [path for path in _objects(ROOT) if path], ids=".".join)
def test_a_new_field_that_changes_objects_is_noticed_at_each_level(
    cases: list[AnyCase], path: tuple[str, ...], change: str
) -> None:
    root = copy.deepcopy(ROOT)
    schema = _at(root, path)
    schema["properties"]["added"] = {**TEXT, "default": "x"} if change == "default" else TEXT
    if change == "required":
        schema["required"] = [*schema.get("required", ()), "added"]

    assert _failing(cases, _version(root))


def test_each_optional_field_is_left_out_of_a_stated_object(generated: casefile.Generated) -> None:
    assert [line for line in generated.missed if "left out" in line] == []


def test_objects_that_exclude_each_other_are_in_several_cases() -> None:
    rule = {"rule": "!(has(self.a) && has(self.b))", "message": "one of a and b"}
    spec = {"type": "object", "properties": {"a": TLS, "b": TLS}, "x-kubernetes-validations": [rule]}
    generated = generate([versions.create_version(spec)])

    assert generated.text.count("optional fields may be left out") >= 3
    assert generated.missed == ()


def test_lists_and_impossible_objects_are_no_obstacle() -> None:
    item = {"type": "object", "properties": {"a": {**TEXT, "pattern": "^[a-z]+$"}}}
    never = {**item, "x-kubernetes-validations": [{"rule": "false"}]}
    fields = {"list": {"type": "array", "items": item}, "never": never}
    version = versions.create_version({"type": "object", "required": ["list"], "properties": fields})

    generated = generate([version])

    assert not [line for line in generated.missed if line.startswith("spec.list") and "left out" in line]
    assert _failing(reach.parse_cases(generated.text), version) == []


def test_cases_of_chosen_paths_are_named_by_the_place_around_them() -> None:
    text = generate([_version(ROOT)], Wanted(("spec.tls", "spec.map"))).text

    assert '"spec: optional fields may be left out' in text


def test_a_large_object_that_is_stored_as_sent_is_written_once(text: str) -> None:
    assert "  input: &the-fullest-object-is-accepted\n" in text
    assert "  expected: *the-fullest-object-is-accepted\n" in text


def test_objects_that_are_too_long_together_are_in_several_cases() -> None:
    many = {f"object{number:02}": {"type": "object", "properties": {"text": TEXT}} for number in range(40)}
    default = {f"key{number:02}": "a text that takes its room" for number in range(40)}
    long = {
        "type": "object",
        "properties": {"texts": {"type": "object", "additionalProperties": TEXT, "default": default}},
    }
    spec = {"type": "object", "properties": {**many, "long": long}}
    version = versions.create_version(spec, required=False)

    names = [case.name for case in reach.parse_cases(generate([version]).text)]

    assert len([name for name in names if "optional fields may be left out" in name]) > 1
