"""New names of generated cases after a changed answer; names given by people are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import crds

from pytest_crd.cases import caserunner, loader, objectsources
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.generation import casenames, removedfields

SPEC = """
    type: object
    required: [must]
    x-kubernetes-validations:
    - {rule: "!has(self.low) || self.low < 9", message: low is below nine}
    - {rule: "!has(self.text) || self.text.size() < 30"}
    - {rule: "!has(self.at) || self.list[0] == 'a'", message: the first is a}
    properties:
      must: {type: string}
      low: {type: integer, minimum: 1, maximum: 20, multipleOf: 1}
      text: {type: string, minLength: 2, maxLength: 40, pattern: "^a"}
      kind: {type: string, enum: [a, b]}
      at: {type: string, format: date}
      list: {type: array, minItems: 1, maxItems: 2, items: {type: string}}
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      map: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string}}
      parts: {type: array, items: {type: object, properties: {a: {type: string}}}}
      any: {x-kubernetes-preserve-unknown-fields: true}
      nullable: {type: string, nullable: true}
      size: {type: string, default: a}
"""


def _version() -> CrdVersion:
    text = crds.text("plural: jars, kind: Jar", "type: object\nproperties:\n  spec:" + SPEC)
    return CustomResourceDefinition.from_manifest(yamlreader.read_one(text).value).version("v1")


VERSION = _version()


def _run(name: str, section: str, keys: str) -> tuple[AnyCase, CaseResult]:
    text = f"crd: jars.example.com\n{section}:\n- {{name: {json.dumps(name)}, {keys}}}\n"
    (part,) = loader.load(text, source="a.yaml")
    (case,) = part.cases
    return case, caserunner.run(case, CaseSubject(VERSION))


def _rename(name: str, keys: str, section: str = "create") -> str | None:
    case, result = _run(name, section, keys)
    return casenames.rename_case(case.name, case.section, result)


def _sent(spec: str) -> str:
    return f"input: {{spec: {{must: a, {spec}}}}}, accepted: true"


@pytest.mark.parametrize(
    ("name", "spec", "new"),
    [
        ('spec.kind: "c" is allowed', "kind: c", 'spec.kind: "c" is not allowed'),
        ('spec.kind: "c" is not allowed', "kind: c", 'spec.kind: "c" is not allowed'),
        ('spec.kind: "a" is not allowed', "kind: a", 'spec.kind: "a" is allowed'),
        ("spec.kind: may be set", "kind: c", 'spec.kind: "c" is not allowed'),
        ("spec.low: 0 is large enough", "low: 0", "spec.low: 0 is too small"),
        ("spec.low: 0 is large enough (2)", "low: 0", "spec.low: 0 is too small"),
        ("spec.low: 2 is too small", "low: 2", "spec.low: 2 is large enough"),
        ("spec.low: 2 is too large", "low: 2", "spec.low: 2 is small enough"),
        ("spec.low: 0 is too small", "low: 0", "spec.low: 0 is too small"),
        ("spec.low: 21 is too small", "low: 21", "spec.low: 21 is too large"),
        ("spec.low: 10 is small enough", "low: 10", "spec.low: 10 is refused"),
        ("spec.text: 1 character is long enough", "text: a", "spec.text: 1 character is too short"),
        ('spec.text: "ab" does not match the pattern', "text: ab", 'spec.text: "ab" matches the pattern'),
        ('spec.at: "b" is a valid date', "at: b, list: [a]", 'spec.at: "b" is no valid date'),
        ("spec.list: 2 items are too many", "list: [a, b]", "spec.list: 2 items are few enough"),
        ("spec.map: 2 fields are too many", "map: {a: b, c: d}", "spec.map: 2 fields are few enough"),
        ("spec.set: the same item twice is refused", "set: [a]", "spec.set: the same item twice is allowed"),
        ("spec: values of a wrong type", "low: 1", "spec: values of another type are allowed"),
        ("spec: values of a wrong type", "low: a", "spec: values of a wrong type"),
        ("spec: kind is missing", "low: 1", "spec: kind may be left out"),
        ("spec: kind, low are missing", "low: 1", "spec: kind, low may be left out"),
        ("spec: low must not be null", "low: 1", "spec: low may be null"),
        ("spec: breaks the rule 'low is below nine'", "low: 1", "spec: keeps the rule 'low is below nine'"),
        ("spec: breaks the rule 'another'", "low: 1", 'spec: {"must": "a", "low": 1} is allowed'),
        ("spec: breaks the rule 'another'", "low: 9", "spec: breaks the rule 'low is below nine'"),
        ("spec: keeps the rule 'low is below nine'", "low: 9", "spec: breaks the rule 'low is below nine'"),
        (
            "spec: keeps the rule 'the first is a'",
            "at: '2024-01-01'",
            "spec: cannot evaluate the rule 'the first is a'",
        ),
        ('spec.size: "x" is no valid date', "size: x", 'spec.size: "x" is allowed'),
        ("spec.nullable: may be set", "low: 0", "spec.nullable: what is sent is refused"),
        ("spec.list: breaks the rule 'a'", "low: 1", "spec.list: what is sent is allowed"),
        ("the smallest object is accepted", "low: 0", "the smallest object is refused"),
        ("the smallest object of v1 is accepted", "low: 0", "the smallest object of v1 is refused"),
        ("the fullest object is refused", "low: 1", "the fullest object is accepted"),
    ],
)
def test_request_cases_are_renamed_after_their_answer(name: str, spec: str, new: str) -> None:
    assert _rename(name, _sent(spec)) == new


def test_a_missing_required_field_is_named() -> None:
    assert _rename("spec: may be set", "input: {spec: {}}, accepted: true") == "spec: must is missing"


@pytest.mark.parametrize(
    "name",
    [
        "a name",
        "spec.kind: what we had in production",
        "nowhere: may be set",
        'spec.kind: "b" is allowed',
        "spec.nullable: 1 is allowed",
        "spec: unknown fields are dropped",
    ],
)
def test_names_given_by_people_are_kept(name: str) -> None:
    assert _rename(name, _sent("kind: c")) is None


@pytest.mark.parametrize(
    ("section", "name", "keys", "new"),
    [
        (
            "pruning",
            "spec: unknown fields are dropped",
            "input: {spec: {any: {a: 1}}}, pruned: []",
            "spec: unknown fields are kept",
        ),
        (
            "pruning",
            "spec: unknown fields are kept",
            "input: {spec: {a: 1}}, pruned: [spec.a]",
            "spec: unknown fields are dropped",
        ),
        (
            "pruning",
            "spec: unknown fields are kept",
            "input: {spec: {any: {a: 1}}}, pruned: []",
            "spec: unknown fields are kept",
        ),
        (
            "defaulting",
            "spec: null is dropped",
            "input: {spec: {nullable: null}}, nullsDropped: []",
            "spec: null is kept",
        ),
        (
            "defaulting",
            "spec: null is dropped",
            "input: {spec: {low: null}}, nullsDropped: []",
            "spec: null is dropped",
        ),
        ("defaulting", "spec: size has a default", "input: {spec: {}}, defaulted: []", "spec: size has a default"),
    ],
)
def test_pass_cases_are_renamed_after_their_result(section: str, name: str, keys: str, new: str) -> None:
    assert _rename(name, keys, section) == new


def test_apply_cases_keep_their_name() -> None:
    """The name states the requests, not the outcome."""
    steps = "steps: [{manager: a, input: {spec: {must: a, set: [a]}}}, {manager: b, input: {spec: {set: [b]}}}]"
    name = "spec.set: two managers apply"

    assert _rename(name, f"{steps}, accepted: true", "apply") == name
    assert _rename("spec.set: may be set", f"{steps}, accepted: true", "apply") is None


def test_without_an_answer_there_is_no_name() -> None:
    assert _rename("spec: null is dropped", "input: {kind: Other}, nullsDropped: []", "defaulting") is None


@pytest.mark.parametrize(
    ("section", "name", "keys", "is_about"),
    [
        ("create", "spec.old.a: 1 is allowed", _sent("old: {a: 1}"), True),
        ("create", "spec.old.*: 1 is allowed", _sent("old: [1]"), True),
        ("create", "spec.*.b: 1 is allowed", _sent("old: {b: 1}"), True),
        ("create", "spec: old is missing", _sent("low: 1"), True),
        ("create", "spec: must is missing", _sent("low: 1"), False),
        ("create", "spec.low: 1 is allowed", _sent("low: 1"), False),
        ("create", "spec.old: 1 is allowed", _sent("low: 1"), False),
        ("create", "spec.old: as in the field", _sent("old: 1"), False),
        ("create", "may be set", _sent("old: 1"), False),
        (
            "apply",
            "spec.old: two managers apply",
            "steps: [{manager: a, input: {spec: {must: a, any: 1}}}, {manager: b, input: {spec: {old: 1}}}], error: old",
            True,
        ),
        ("apply", "spec.old: may be set", "steps: [{manager: a, input: {spec: {old: 1}}}], error: old", False),
        ("defaulting", "spec.old: null is dropped", "input: {spec: {old: null}}, nullsDropped: []", True),
        (
            "update",
            "spec.old: may be set",
            "old: {spec: {must: a, any: 1}}, input: {spec: {must: a, old: 1}}, accepted: true",
            True,
        ),
    ],
)
def test_cases_about_removed_fields_are_recognized(section: str, name: str, keys: str, *, is_about: bool) -> None:
    case, _ = _run(name, section, keys)

    assert removedfields.is_about_removed_field(case, VERSION) is is_about


@pytest.mark.parametrize(
    ("keys", "key", "value"),
    [
        pytest.param(_sent("low: a, old: 1"), "input", {"spec": {"must": "a", "low": "a"}}, id="a field"),
        pytest.param(
            _sent("any: [{a: 1}], list: [a], old: 1"),
            "input",
            {"spec": {"must": "a", "any": [{"a": 1}], "list": ["a"]}},
            id="beside others",
        ),
        pytest.param(
            _sent("parts: [{a: b, old: 1}, {a: c}]"),
            "input",
            {"spec": {"must": "a", "parts": [{"a": "b"}, {"a": "c"}]}},
            id="in a list",
        ),
        pytest.param(
            f"{_sent('old: 1')}, pruned: [metadata.odd, spec.old]".replace("{spec", "{metadata: {odd: 1}, spec"),
            "input",
            {"metadata": {"odd": 1}, "spec": {"must": "a"}},
            id="not what no schema says of metadata",
        ),
        pytest.param(_sent("low: a"), "", None, id="none is gone"),
        pytest.param("input: {old: 1}, accepted: true", "", None, id="nothing is left"),
    ],
)
def test_removed_fields_are_trimmed_from_a_case(keys: str, key: str, value: object) -> None:
    trimmed = removedfields.trim_case(*_run("spec: values of a wrong type", "create", keys))

    assert (trimmed.key, trimmed.value) == (key, value) if trimmed else not key


def _resolved(keys: str) -> tuple[AnyCase, CaseResult]:
    (part,) = loader.load(f"crd: jars.example.com\ncreate:\n- {{name: 'spec: may be set', {keys}}}\n", source="a.yaml")
    content = b"spec: {must: a, old: 1}"
    case = objectsources.resolve(part.cases[0], Path(), read=lambda _: content)
    return case, caserunner.run(case, CaseSubject(VERSION))


def test_removed_fields_are_trimmed_from_a_patch() -> None:
    patched = "input: {spec: {must: a}}, patch: {spec: {old: 1, low: 1}}, accepted: true"

    trimmed = removedfields.trim_case(*_resolved(patched))

    assert trimmed is not None
    assert (trimmed.key, trimmed.value, trimmed.case.input) == (
        "patch",
        {"spec": {"low": 1}},
        {"spec": {"must": "a", "low": 1}},
    )


@pytest.mark.parametrize(
    "keys",
    [
        "inputFile: b.yaml, accepted: true",
        "input: {spec: {must: a}}, patch: [{op: add, path: /spec/old, value: 1}], accepted: true",
        "input: {spec: {must: a, old: 1}}, patch: {spec: {low: 1}}, accepted: true",
    ],
)
def test_removed_fields_in_files_and_other_patches_are_not_trimmed(keys: str) -> None:
    assert removedfields.trim_case(*_resolved(keys)) is None


def test_cases_named_by_people_are_not_trimmed() -> None:
    assert removedfields.trim_case(*_run("spec: a note", "create", _sent("old: 1"))) is None
    assert (
        removedfields.trim_case(*_run("spec: null is dropped", "defaulting", "input: {spec: {old: 1}}, defaulted: []"))
        is None
    )
