"""The quick check of case files gives the verdicts of jsonschema."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from pytest_crd.cases import caseformat, formcheck, formvalidator

SCHEMA: Final = caseformat.schema()
FILE: Final = """\
crd: a.example.com
version: v1
x-anchors: {a: 1}
pruning:
- {name: a, input: {spec: {a: 1}}, expected: {spec: {}}, pruned: [spec.a]}
create:
- {name: b, input: {}, accepted: true, warnings: [a], marks: [slow]}
- {name: c, inputFile: a.yaml, document: 2, errors: [{field: spec, type: Invalid, message: "no"}]}
update:
- {name: d, old: {}, oldCRD: {patch: [{op: remove, path: /spec}]}, input: {}, error: "no"}
apply:
- {name: e, steps: [{manager: m, input: {}}], accepted: true}
"""
OTHERS: Final[tuple[Any, ...]] = (None, True, 0, -1, 1.5, "", "::", "x", [], [1], {}, {"a": 1})


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container below *value* with each of its keys."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(item)


def _changed(document: Any) -> Iterator[Any]:
    """Yield copies with one change each: a value replaced or removed, or an unknown key."""
    for index in range(len([*_places(document)])):
        for wrong in OTHERS:
            changed = copy.deepcopy(document)
            holder, key = [*_places(changed)][index]
            holder[key] = wrong
            yield changed
        changed = copy.deepcopy(document)
        holder, key = [*_places(changed)][index]
        if isinstance(holder, dict):
            holder["unknown"] = holder.pop(key)
        else:
            del holder[key]
        yield changed


def _is_quickly_valid(document: Any) -> bool:
    return formcheck.is_valid(SCHEMA, document, SCHEMA["$defs"])


def test_a_valid_file_is_valid_at_once() -> None:
    document = yaml.safe_load(FILE)

    assert not [error.message for error in formvalidator.get().iter_errors(document)]
    assert _is_quickly_valid(document)


@pytest.mark.long
def test_changed_files_have_the_verdict_of_jsonschema() -> None:
    verdicts = [
        (_is_quickly_valid(changed), formvalidator.get().is_valid(changed))
        for changed in _changed(yaml.safe_load(FILE))
    ]

    assert {quick for quick, _ in verdicts} == {False, True}
    assert [index for index, (quick, valid) in enumerate(verdicts) if quick != valid] == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"maxLength": 1}, "a"),
        ({"not": {"type": "integer"}}, "a"),
        ({"if": {"maxLength": 1}, "then": {}}, 1),
        ({"additionalProperties": {"maxLength": 1}}, {"a": ""}),
        ({"type": "integer"}, 1.0),
    ],
)
def test_unknown_keywords_and_integral_floats_are_left_to_jsonschema(schema: Any, value: Any) -> None:
    assert not formcheck.is_valid(schema, value, {})


@pytest.mark.parametrize("value", [1, "a", [], None])
def test_keywords_of_objects_and_lists_leave_other_values_alone(value: Any) -> None:
    schema = {
        "required": ["a"],
        "minProperties": 1,
        "properties": {"a": {}},
        "additionalProperties": False,
        "dependentSchemas": {"a": {}},
        "items": {},
    }

    assert formcheck.is_valid(schema, value, {})
