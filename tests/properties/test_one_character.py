"""
Cases with one changed character: the verdict changes, the file is invalid, or the change does not touch a stated field.

No change may go unnoticed in a stated part of the answer or in a lost field.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd.cases import caserunner, comparison, loader, unreachable
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition, FieldError, InputError

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.letters.example.com}
spec:
  group: letters.example.com
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - name: v1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: &spec {
      type: object,
      required: [soil],
      properties: {
        size: {type: integer, default: 3, maximum: 10},
        soil: {type: string, enum: [clay, sand]},
        label: {type: string, maxLength: 5},
        note: {type: string},
        beds: {type: array, items: {type: object, properties: {plant: {type: string}, rows: {type: integer, default: 1}}}}
      }}}}}
  - name: v2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {
      type: object,
      properties: {
        size: {type: integer},
        soil: {type: string},
        label: {type: string},
        beds: {type: array, items: {type: object, properties: {plant: {type: string}, rows: {type: integer}}}}
      }}}}}
"""
CASES: dict[str, list[dict[str, Any]]] = {
    "pruning": [
        {"input": {"spec": {"soil": "clay", "x": 1}}, "expected": {"spec": {"soil": "clay"}}, "pruned": ["spec.x"]},
        {"input": {"spec": {"soil": "clay", "size": 1}}, "contains": {"spec": {"size": 1}}, "absent": ["spec.label"]},
    ],
    "defaulting": [
        {"input": {"spec": {"beds": [{"plant": "a"}]}}, "defaulted": ["spec.beds[0].rows", "spec.size"]},
        {"input": {"spec": {"label": None}}, "nullsDropped": ["spec.label"], "expected": {"spec": {"size": 3}}},
    ],
    "create": [
        {"input": {"spec": {"soil": "sand", "size": 7}}, "accepted": True},
        {"input": {"spec": {"soil": "sand", "label": "a"}}, "contains": {"spec": {"label": "a"}}},
        {"input": {"spec": {"soil": "sand", "note": "gone"}}, "lost": ["spec.note"]},
        {"input": {"spec": {"soil": "loam", "label": "toolong"}}, "error": "supported values"},
        {"input": {"spec": {"size": 11}}, "errors": [{"field": "spec.size"}, {"field": "spec.soil", "type": "Required"}]},
        {"input": {"spec": {"soil": "sand", "bogus": 1}}, "warnings": ['unknown field "spec.bogus"']},
    ],
    "update": [
        {"old": {"spec": {"soil": "sand"}}, "input": {"spec": {"soil": "clay"}}, "contains": {"spec": {"soil": "clay"}}},
        {"old": {"spec": {"soil": "sand"}}, "input": {"spec": {"soil": "peat"}}, "containsErrors": [{"field": "spec.soil"}]},
    ],
}  # fmt: skip
EVERY = [(section, case) for section, cases in CASES.items() for case in cases]
SUBJECT = CaseSubject(CustomResourceDefinition.from_manifest(yaml.safe_load(CRD)).version("v1"))
LETTERS = "abeilnostz019X_"


def _case(section: str, stated: dict[str, Any]) -> AnyCase:
    """
    Return a case as a session collects it.

    Raises:
        InputError: The case file is invalid.
    """
    text = json.dumps({"crd": "x", section: [{"name": "a", **stated}]})
    (case_file,) = loader.load(text, source="f")
    (case,) = case_file.cases
    for mistake in unreachable.find_mistakes(case, SUBJECT, SUBJECT):
        raise InputError([mistake])
    return case


def _holds(section: str, stated: dict[str, Any]) -> bool:
    """Return True if the case passes, False if it fails or is invalid."""
    try:
        return caserunner.run(_case(section, stated), SUBJECT).holds
    except InputError:
        return False


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every text, number and key; the path of a key ends with True."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key, True)
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield path


def _edit_text(text: str, data: st.DataObject) -> str:
    """Return *text* with one character inserted, removed or replaced, or unchanged."""
    at: int = data.draw(st.integers(0, len(text)), label="at")
    letter: str
    letter, removed = data.draw(st.sampled_from(["", *LETTERS])), data.draw(st.integers(0, 1))
    return text[:at] + letter + text[at + removed :]


def _change(stated: dict[str, Any], path: tuple[Any, ...], data: st.DataObject) -> dict[str, Any]:
    """Return the mapping of a case with one character changed at *path*."""
    changed = copy.deepcopy(stated)
    is_key = path[-1] is True
    *above, last = path[:-1] if is_key else path
    node: Any = changed
    for step in above:
        node = node[step]
    if is_key:
        items = [(_edit_text(key, data) if key == last else key, item) for key, item in node.items()]
        node.clear()
        node.update(items)
    elif isinstance(node[last], int):
        edited = _edit_text(str(node[last]), data)
        node[last] = int(edited) if edited.isdigit() else edited
    else:
        node[last] = _edit_text(node[last], data)
    return changed


@dataclass(frozen=True)
class Answer:
    """Everything that a case can state about the answer to its input."""

    accepted: bool
    value: Any
    paths: dict[str, frozenset[str]]
    errors: tuple[FieldError, ...] = ()
    message: str = ""

    @property
    def dropped(self) -> frozenset[str]:
        return self.paths["pruned"] | self.paths.get("lost", frozenset())

    def part(self, stated: dict[str, Any]) -> list[Any]:
        """Return the parts of the answer that the keys of *stated* cover."""
        parts: list[Any] = [self.accepted]
        parts += [self.paths[key] for key in self.paths if key in stated]
        if "expected" in stated:
            parts.append({key: value for key, value in (self.value or {}).items() if key != "metadata"})
        if "contains" in stated:
            parts.append(_select(self.value, stated["contains"]))
        parts += [[*comparison.find_values(self.value, path)] for path in stated.get("absent", ())]
        for key in ("errors", "containsErrors"):
            wanted = {error["field"] for error in stated.get(key, ())}
            parts.append(sorted(error.field for error in self.errors if key == "errors" or error.field in wanted))
        part = stated.get("error", "")
        return [*parts, isinstance(part, str) and part in self.message]  # a list means a misspelt `errors`


def _select(value: Any, part: Any) -> Any:
    """Return the fields of *value* that *part* has, at every level."""
    if isinstance(value, dict) and isinstance(part, dict):
        return {key: _select(value.get(key), item) for key, item in part.items()}
    return value


def _answer(section: str, stated: dict[str, Any]) -> Answer:
    """
    Return the answer to a case.

    Raises:
        ValueError: The version rejects the call.
    """
    version, sent = SUBJECT.version, stated["input"]
    if section == "pruning":
        pruned = version.prune(sent)
        return Answer(accepted=True, value=pruned.value, paths={"pruned": frozenset(pruned.paths)})
    if section == "defaulting":
        defaulted = version.default(sent)
        unknown = frozenset(version.prune(sent).paths)
        paths = {"pruned": unknown, "defaulted": frozenset(defaulted.paths), "nullsDropped": frozenset(defaulted.nulls)}
        return Answer(accepted=True, value=defaulted.value, paths=paths)
    answer = version.create(sent) if section == "create" else version.update(sent, old=stated["old"])
    lists = {"pruned": answer.pruned, "lost": answer.lost, "defaulted": answer.defaulted, "warnings": answer.warnings}
    paths = {key: frozenset(items) for key, items in lists.items()}
    return Answer(answer.accepted, answer.stored_if_accepted, paths, answer.errors, answer.message)


def test_every_case_passes() -> None:
    assert [case for section, case in EVERY if not _holds(section, case)] == []


@pytest.mark.parametrize(("section", "stated"), EVERY)
@given(st.data())
@examples(40)
def test_a_changed_input_that_still_passes_changes_no_stated_field(
    section: str, stated: dict[str, Any], data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from([*_places(stated["input"])]), label="path")
    changed = {**stated, "input": _change(stated["input"], path, data)}
    if _holds(section, changed):
        before, after = _answer(section, stated), _answer(section, changed)
        assert after.part(stated) == before.part(stated)
        gone = [
            path_
            for path_ in after.dropped - before.dropped
            if [*comparison.find_values(changed["input"], path_)] != [None]
        ]
        # `expected` states the whole object, so it covers dropped fields too.
        assert not gone or ("expected" in stated and section != "defaulting")


@pytest.mark.parametrize(("section", "stated"), EVERY)
@given(st.data())
@examples(40)
def test_a_case_with_a_changed_expectation_fails(section: str, stated: dict[str, Any], data: st.DataObject) -> None:
    expected = {key: value for key, value in stated.items() if key not in ("input", "old")}
    path = data.draw(st.sampled_from([*_places(expected)]), label="path")
    changed = _change(expected, path, data)
    if changed != expected and not ("error" in changed and changed["error"] in _answer(section, stated).message):
        objects = {key: value for key, value in stated.items() if key in ("input", "old")}
        assert not _holds(section, {**objects, **changed})
