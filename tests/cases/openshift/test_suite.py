"""Suites of openshift/api are read unchanged, and anything that their own runner ignores is a mistake."""

from __future__ import annotations

import textwrap

import pytest

from pytest_crd.cases import loader
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.openshift.suite import Suite, SuiteUpdate
from pytest_crd.cases.parts import OldCRD
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document

SUITE = """\
apiVersion: apiextensions.k8s.io/v1 # Hack because controller-gen complains if we don't have this
name: "Garden"
crdName: gardens.suites.example.com
featureGates: [Sprinklers, -Gnomes]
version: v1
tests:
  onCreate:
  - name: Should create a::b [c]
    initial: |
      apiVersion: suites.example.com/v1
      kind: Garden
      metadata: {namespace: other, labels: {a: b}}
      spec: {class: a}
    expected: |
      apiVersion: suites.example.com/v1
      kind: Garden
      metadata: {name: any, labels: {a: b}}
      spec: {class: a, size: 3}
  - name: Should create a::b [c]
    initial: |
      spec: {class: c}
    expectedError: 'spec.class: Unsupported value: "c"'
    expected: ""
  onUpdate:
  - name: Should update
    initialCRDPatches: &patches
    - {op: remove, path: /spec/x}
    initial: |
      spec: {class: a}
    updated: |
      spec: {class: b}
      status: {phase: b}
    expectedStatusError: phase
"""


def _suite(text: str) -> Suite:
    loaded = loader.load_any(textwrap.dedent(text), source="s.yaml")
    assert isinstance(loaded, Suite)
    return loaded


def test_a_suite_is_read() -> None:
    suite = _suite(SUITE)
    first, second, update = suite.cases

    assert (suite.crd, suite.version, suite.feature_gates) == (
        "gardens.suites.example.com",
        "v1",
        ("Sprinklers", "-Gnomes"),
    )
    assert [item.case.name for item in suite.cases] == [
        "Should create a:b (c)",
        "Should create a:b (c) #2",
        "Should update",
    ]
    assert [(item.case.section, item.case.line) for item in suite.cases] == [
        ("create", 8),
        ("create", 19),
        ("update", 25),
    ]
    assert first.case.input["metadata"] == {"generateName": "test-", "labels": {"a": "b"}}
    assert first.case.expected["metadata"] == {"labels": {"a": "b"}}
    assert (second.case.error, second.case.expected) == ('spec.class: Unsupported value: "c"', None)
    assert isinstance(update, SuiteUpdate)
    assert update.case.old == {"metadata": {"generateName": "test-"}, "spec": {"class": "a"}}
    assert update.case.old_crd == OldCRD(patch=({"op": "remove", "path": "/spec/x"},), place=("initialCRDPatches",))
    assert (update.case.error, update.status_case.error) == (None, "phase")


def test_a_case_file_is_no_suite() -> None:
    loaded = loader.load_any("crd: x\npruning: [{name: a, input: {}, pruned: []}]\n", source="s.yaml")

    assert not isinstance(loaded, Suite)


CASE = "  - {name: a, initial: '{spec: {}}', expectedError: x}\n"
HEAD = "crdName: x\ntests:\n  onCreate:\n"


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        pytest.param(
            f"featureGate: [A]\n{HEAD}{CASE}",
            ["s.yaml:1: unknown key 'featureGate'; did you mean 'featureGates'?"],
            id="a key that is near to another",
        ),
        pytest.param(
            f"zzz: 1\n{HEAD}{CASE}",
            ["s.yaml:1: unknown key 'zzz'; known are apiVersion, name, crdName, featureGates, version, tests"],
            id="a key that is near to nothing",
        ),
        pytest.param(
            f"{HEAD}{CASE}onUpdate: []\n",
            ["s.yaml:5: unknown key 'onUpdate'; it belongs below `tests:`"],
            id="a table in the wrong place",
        ),
        pytest.param(
            f"{HEAD}{CASE}  onDelete: []\n",
            ["s.yaml:5: unknown key 'onDelete'; did you mean 'onUpdate'?"],
            id="a table that there is not",
        ),
        pytest.param(
            f"{HEAD}{CASE}  onCreate:\n{CASE}",
            ["s.yaml:6: key 'onCreate' is set twice, and only the last value would count; remove one"],
            id="a table twice",
        ),
        pytest.param(
            "crdName: x\ntests: []\n",
            ["s.yaml:1: 'tests' is missing", "s.yaml:2: 'tests' must be a mapping"],
            id="a list",
        ),
        pytest.param("tests: {onCreate: [a]}\n", None, id="no name of a CRD"),
        pytest.param(
            "crdName: x\ntests: {onCreate: }\n",
            ["s.yaml:2: the suite has no cases; add `onCreate:` or `onUpdate:` below `tests:`"],
            id="no cases",
        ),
        pytest.param(
            f"featureGates: [5]\n{HEAD}{CASE}", ["s.yaml:1: 'featureGates' must be a list of names"], id="a gate"
        ),
        pytest.param(f"{HEAD}  - a\n", ["s.yaml:4: a case of onCreate must be a mapping"], id="a case that is a text"),
        pytest.param(
            f"{HEAD}  - {{name: a, initial: {{spec: {{}}}}, expectedError: x}}\n",
            ["s.yaml:4: 'initial' must be text"],
            id="an object that is no text",
        ),
        pytest.param(
            f"{HEAD}  - {{name: a, initial: '{{spec: {{}}}}'}}\n",
            ["s.yaml:4: the case expects nothing; leave one of expectedError, expectedStatusError, expected"],
            id="a case that expects nothing",
        ),
        pytest.param(
            f"{HEAD}  - {{name: a, initial: '{{spec: {{}}}}', expected: '{{spec: {{}}}}', expectedError: x}}\n",
            [
                (
                    "s.yaml:4: the case has expectedError and expected, of which only the first is looked at; leave one of "
                    "expectedError, expectedStatusError, expected"
                )
            ],
            id="a case that expects two things",
        ),
        pytest.param(
            f"{HEAD}  - {{initial: '{{spec: {{}}}}', expectedError: x}}\n",
            ["s.yaml:4: 'name' is missing"],
            id="no name",
        ),
        pytest.param(
            f"{HEAD}  - {{name: a, initial: 'x', expectedError: x}}\n",
            ["s.yaml:4: 'initial' must be the text of an object"],
            id="a text",
        ),
        pytest.param(
            f"{HEAD}  - {{name: a, initial: 'metadata: x', expectedError: x}}\n",
            ["s.yaml:4: 'initial' must be the text of an object"],
            id="metadata that is a text",
        ),
        pytest.param(
            "crdName: x\ntests:\n  onUpdate:\n  - {name: a, initial: 'spec: {}', updated: 'spec: {}', expectedStatusError: x}\n",
            ["s.yaml:4: 'expectedStatusError' is never looked at, as 'updated' has no status"],
            id="an error of a status that is not sent",
        ),
        pytest.param(
            f"{HEAD}{CASE}...\nmore: 1\n",
            ["s.yaml:6: Kubernetes reads nothing between `...` and the next `---`; remove `...`, or add `---` here"],
            id="what is not read",
        ),
        pytest.param(
            f"{HEAD}{CASE}---\n{HEAD}{CASE}",
            [f"s.yaml:{line}: a suite of openshift/api is the only document of its file" for line in (1, 6)],
            id="two suites",
        ),
    ],
)
def test_keys_ignored_by_the_runner_of_openshift_are_mistakes(text: str, mistakes: list[str] | None) -> None:
    with pytest.raises(CaseFileError) as caught:
        loader.load_any(text, source="s.yaml")

    actual = str(caught.value).splitlines()
    assert actual == (mistakes or ["s.yaml:1: 'crdName' is missing", "s.yaml:1: a case of onCreate must be a mapping"])


def test_an_object_that_cannot_be_read_is_a_mistake() -> None:
    with pytest.raises(CaseFileError, match=r"^s\.yaml:4: 'initial' cannot be read: <text>:\d: did not find"):
        loader.load_any(f"{HEAD}  - {{name: a, initial: 'spec: [', expectedError: x}}\n", source="s.yaml")


def test_a_key_that_overrides_a_merge_is_none() -> None:
    text = f"x: &x {{name: b}}\n{HEAD}  - {{<<: *x, name: a, initial: 'spec: {{}}', expectedError: x}}\n"

    with pytest.raises(CaseFileError) as caught:
        loader.load_any(text, source="s.yaml")

    assert [mistake.line for mistake in caught.value.mistakes] == [1]


def test_each_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    read_one = yamlreader.read_one

    def noted(text: str) -> Document:
        read.append(text)
        return read_one(text)

    monkeypatch.setattr(yamlreader, "read_one", noted)

    _suite(f"{HEAD}  - {{name: a, initial: 'spec: {{a: 1}}', expected: 'spec: {{a: 2}}'}}\n")

    assert read == ["spec: {a: 1}", "spec: {a: 2}"]
