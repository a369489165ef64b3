"""A CRD that the server refuses has no custom resources: questions about them fail with the server's message."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.sessions import CASES

if TYPE_CHECKING:
    from support.sessions import Project

FILE = "config/crd/bases/gardens.yaml"
REFUSED = 'config/crd/bases/gardens.yaml:1: the server refuses this CRD: spec.scope: Unsupported value: "Namespacd"'
REASONS = [
    pytest.param("scope: Namespaced", "scope: Namespacd", "spec.scope: Unsupported value", id="an unknown scope"),
    pytest.param("storage: true", "storage: false", "must have exactly one version marked as storage", id="no storage"),
    pytest.param(
        "label: {type: string}", "label: {type: string, default: 1}", "must be of type string", id="a wrong default"
    ),
    pytest.param("label: {type: string}", "label: {}", "type: Required value", id="a schema that is not structural"),
]
BETA = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  version: v1
  scope: Namespaced
  preserveUnknownFields: false
  names: {plural: gardens, kind: Garden}
  validation:
    openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
"""
BETA_CASES = """\
crd: gardens.stories.example.com
pruning:
- {name: unknown fields go, input: {spec: {bogus: x}}, expected: {spec: {}}}
"""


def _break(project: Project, old: str = "scope: Namespaced", new: str = "scope: Namespacd", file: str = FILE) -> Path:
    path = project.path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(("old", "new", "words"), REASONS)
def test_cases_about_a_refused_crd_are_an_error(gardener: Project, old: str, new: str, words: str) -> None:
    _break(gardener, old, new)

    result = gardener.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{FILE}:1: the server refuses this CRD:*"])
    assert words in result.stdout.str()


def test_each_reason_for_a_refusal_has_a_line(gardener: Project) -> None:
    _break(gardener)
    _break(gardener, "storage: true", "storage: false")

    result = gardener.run()

    result.stdout.fnmatch_lines(
        [
            f"*{FILE}:1: the server refuses this CRD:",
            "*  spec.scope: Unsupported value*",
            "*  spec.versions: Invalid value*",
            "*storedCRD: true*",
        ]
    )


def test_declared_cases_of_a_python_test_are_an_error(gardener: Project) -> None:
    _break(gardener)
    gardener.cases(name="cases/garden.yaml")
    gardener.write(
        "test_it.py",
        'import pytest\n\n@pytest.mark.crd_cases("cases/*.yaml")\ndef test_it(crd_case):\n    crd_case.check()\n',
    )

    result = gardener.run("test_it.py")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{REFUSED}*"])


def test_a_case_file_that_declares_the_crd_stored_is_run(gardener: Project) -> None:
    _break(gardener, "label: {type: string}", "label: {type: string, default: 1}")
    cases = f"storedCRD: true\n{CASES.replace('{spec: {size: 3, ', '{spec: {size: 3, label: 1, ')}"
    gardener.cases(cases)
    gardener.cases(cases, name="test_again.crd.yaml")

    gardener.run().assert_outcomes(passed=6)


def test_a_crd_that_the_settings_call_stored_is_run(gardener: Project) -> None:
    _break(gardener)
    gardener.ini("crd_stored = gardens.stories.example.com")
    gardener.write("test_it.py", "def test_it(crd_version):\n    assert crd_version.create({}).accepted\n")

    gardener.run().assert_outcomes(passed=4)


def test_one_stored_crd_does_not_excuse_another(gardener: Project) -> None:
    _break(gardener)
    gardener.ini("crd_stored = ponds.stories.example.com")

    gardener.run().assert_outcomes(errors=1)


@pytest.mark.parametrize(
    "ask",
    [
        "create({})",
        "update({}, old={})",
        "update_status({}, old={})",
        "prune({})",
        "default({})",
    ],
)
@pytest.mark.parametrize(
    "way", ["crd_version", "crd.versions[0]", "crds[0].version('v1')", "crd.under('1.36').versions[0]"]
)
def test_questions_about_objects_of_a_refused_crd_fail(project: Project, ask: str, way: str) -> None:
    _break(project)
    fixture = way.partition(".")[0].partition("[")[0]
    project.write("test_it.py", f"def test_it({fixture}):\n    {way}.{ask}\n")

    result = project.run("--tb=short")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E   *{REFUSED}*"])
    assert "version.py" not in result.stdout.str()


def test_questions_about_a_refused_crd_itself_are_answered(project: Project) -> None:
    _break(project)
    project.write(
        "test_it.py",
        "def test_it(crd, crd_version):\n"
        "    assert crd.response.code == 422\n"
        "    assert crd.response.errors[0].field == 'spec.scope'\n"
        "    assert crd_version.structural_errors == ()\n"
        "    crd_version.assert_structural()\n",
    )

    project.run().assert_outcomes(passed=1)


def test_a_v1beta1_crd_is_judged_as_by_the_last_server_that_accepted_it(empty: Project) -> None:
    empty.write(FILE, BETA)
    empty.cases(BETA_CASES)

    empty.run().assert_outcomes(passed=1)

    _break(empty, "scope: Namespaced", "scope: Namespacd")
    result = empty.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{REFUSED}*"])


@pytest.mark.parametrize("stored", [False, True])
def test_an_old_crd_that_no_server_accepted_is_an_error(project: Project, *, stored: bool) -> None:
    project.crd("old.yaml")
    _break(project, file="old.yaml")
    case = "{name: a, old: {spec: {}}, oldCRD: {path: old.yaml}, input: {spec: {}}, accepted: true}"
    head = "storedCRD: true\n" if stored else ""
    project.cases(f"{head}crd: gardens.stories.example.com\nupdate:\n- {case}\n")

    result = project.run()

    if stored:
        result.assert_outcomes(passed=1)
    else:
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(
            ["*test_garden.crd.yaml:3: a server refuses the old CRD: spec.scope: Unsupported value*"]
        )
