"""Laws that hold for any case file, however broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd.cases import caseformat, casekeys, loader
from pytest_crd.cases.model import CaseFile
from pytest_crd.cases.sections import Section
from pytest_crd.engine.inputerror import InputError

TEXT = """\
crd: crontabs.stable.example.com
version: v1
kubernetesVersion: "1.36"
x-common: &common {spec: {replicas: 1}}
pruning:
- name: unknown fields are dropped
  input: {spec: {replicas: 1, bogus: x}}
  expected: *common
  pruned: [spec.bogus]
- name: text
  input: |
    spec: {a: 1}
  contains: {spec: {a: 1}}
  absent: [spec.b]
  marks: [slow]
create:
- name: refused
  input: {}
  errors: [{field: spec.class, type: Invalid, message: immutable}]
---
crd: b
update:
- name: the class cannot change
  old: {spec: {class: a}}
  oldCRD: {patch: [{op: remove, path: /spec/x}]}
  input: {spec: {class: b}}
  error: immutable
"""
DOCUMENT = yaml.safe_load(TEXT.partition("---\n")[0])
KEYS = [*casekeys.CASE_KEYS, *caseformat.FILE_KEYS, "field", "type", "matches", "op", "path", "x-a", "expcted", ""]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(KEYS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


def load(content: str | bytes) -> tuple[CaseFile, ...] | None:
    """Return the case files, or None if they have mistakes."""
    try:
        return loader.load(content, source="f")
    except InputError as error:
        explanation = error
    assert explanation.mistakes
    assert all(mistake.message for mistake in explanation.mistakes)
    for jargon in ("None", "is not of type", "$ref", "$defs", "additionalProperties"):
        assert jargon not in str(explanation)
    return None


def test_file_under_mutation_is_right() -> None:
    assert [len(item.cases) for item in load(TEXT) or ()] == [3, 1]


@given(st.data())
@examples(150)
def test_text_with_random_edits_is_loaded_or_explained(data: st.DataObject) -> None:
    text = TEXT
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.text(alphabet="ab:-[]{}&*<>|!#%'\"\n \t.5~,", max_size=6)) + text[end:]
    load(text)


@given(st.binary(max_size=60))
@examples(50)
def test_any_bytes_are_loaded_or_explained(content: bytes) -> None:
    load(content)


@given(st.data())
@examples(150)
def test_no_case_is_lost(data: st.DataObject) -> None:
    """A loaded file has every item of every section, in order."""
    document = json.loads(json.dumps(DOCUMENT))
    for _ in range(data.draw(st.integers(0, 2))):
        _mutate(document, data)
    loaded = load(json.dumps(document))
    if loaded is not None:
        names = [case["name"] for key, cases in document.items() if key in [*Section] for case in cases]
        assert [case.name for case in loaded[0].cases] == names
        assert len(loaded) == 1
        assert names


def _mutate(document: Any, data: st.DataObject) -> None:
    """Set, add or remove something somewhere."""
    node = document
    while True:
        children = [
            item
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, dict | list) and item
        ]
        if not children or data.draw(st.booleans()):
            break
        node = data.draw(st.sampled_from(children))
    existing = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = data.draw(st.sampled_from([*existing, *KEYS]) if isinstance(node, dict) else st.sampled_from(existing))
    if key in existing and data.draw(st.booleans()):
        del node[key]
    else:
        node[key] = data.draw(VALUES)


@given(VALUES)
@examples(100)
def test_any_value_is_loaded_or_explained(value: Any) -> None:
    load(json.dumps(value))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("crd: x\npruning: " + "[" * 300 + "]" * 300, id="deeply nested"),
        pytest.param(
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)),
            id="an alias bomb",
        ),
        pytest.param("crd: x\n" + "".join(f"k{n}: 1\n" for n in range(5000)), id="thousands of unknown keys"),
        pytest.param("crd: x\npruning:\n" + "- {name: a, inptu: {}}\n" * 500, id="hundreds of wrong cases"),
        pytest.param("crd: x\n" + "k" * 100_000 + ": 1\n", id="a huge key"),
        pytest.param(
            "crd: x\ncreate: [{name: a, input: {}, errors: [{matches: '" + "(a*)*" * 5000 + "('}]}]\n",
            id="a huge pattern",
        ),
    ],
)
def test_hostile_file_is_explained(text: str) -> None:
    assert load(text) is None
