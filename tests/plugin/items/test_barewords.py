"""Words that the server reads as booleans are named: in a failure, with -v in notes, and in the header for a CRD."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_garden.crd.yaml"
HEAD = "crd: gardens.stories.example.com\n"


def _notes(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "the server reads" in line]


def test_a_failure_names_the_words_of_its_objects(project: Project) -> None:
    project.cases(f"{HEAD}create:\n- name: a\n  input: {{spec: {{soil: on}}}}\n  accepted: yes\n")

    result = project.run()

    assert _notes(result) == [f"{NAME}:4: spec.soil: the server reads `on` as true; quote it where a text is meant"]


def test_a_decoding_error_names_the_words(project: Project) -> None:
    project.cases(f"{HEAD}create:\n- name: a\n  input: {{metadata: {{labels: {{a: yes}}}}}}\n  accepted: true\n")

    assert _notes(project.run()) == [
        f"{NAME}:4: metadata.labels.a: the server reads `yes` as true; quote it where a text is meant"
    ]


def test_the_words_of_a_passing_case_are_named_once_with_v(project: Project) -> None:
    free = "{spec: {free: {mode: on}}}"
    case = f"- name: NAME\n  input: &free {free}\n  expected: *free\n"
    project.cases(f"{HEAD}pruning:\n{case.replace('NAME', 'a')}{case.replace('NAME', 'b')}")

    quiet, verbose = project.run(), project.run("-v")

    quiet.assert_outcomes(passed=2)
    assert not _notes(quiet)
    assert _notes(verbose) == [
        f"crd: {NAME}:{line}: spec.free.mode: the server reads `on` as true; quote it where a text is meant"
        for line in (4, 7)
    ]


def test_words_at_boolean_fields_are_not_named(project: Project) -> None:
    crd = project.crd()
    crd.write_text(
        crd.read_text(encoding="utf-8").replace("label: {type: string}", "label: {type: boolean}"), encoding="utf-8"
    )
    project.cases(
        f"{HEAD}create:\n- name: a\n  input: {{spec: {{label: yes}}}}\n  contains: {{spec: {{label: off}}}}\n"
    )

    result = project.run("-v")

    result.assert_outcomes(failed=1)
    assert not _notes(result)


def test_keys_that_are_read_as_booleans_are_mistakes_of_a_case_and_its_files(project: Project) -> None:
    project.write("object.yaml", "on: 1\nspec:\n  soil: no\n")
    project.cases(
        f"{HEAD}update:\n- name: a\n  old: {{spec: {{}}}}\n  oldPatch: {{spec: {{free: {{y: 1}}}}}}\n  inputFile: object.yaml\n  accepted: true\n"
    )

    assert _notes(project.run("-rN")) == [
        f'{NAME}:5: the server reads the key `y` of spec.free as "true"; quote it',
        'object.yaml:1: the server reads the key `on` of the object as "true"; quote it',
    ]


@pytest.mark.parametrize("comment", ["", "# crd: refused spec.soil\n"])
def test_a_failing_sample_names_its_words(project: Project, comment: str) -> None:
    head = f"{comment}apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {{name: a}}\n"
    project.write("config/samples/a.yaml", f"{head}spec: {{soil: off}}\n")

    result = project.run("--crd-checks", *(["-v"] if comment else []))

    (line,) = _notes(result)
    place = f"config/samples/a.yaml:{5 if comment else 4}"
    assert line.endswith(f"{place}: spec.soil: the server reads `off` as false; quote it where a text is meant")


def test_each_sample_of_a_list_names_its_own_words(project: Project) -> None:
    item = "- {apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: NAME}, spec: {soil: off}}\n"
    project.write(
        "config/samples/a.yaml", f"kind: List\nitems:\n{item.replace('NAME', 'a')}{item.replace('NAME', 'b')}"
    )

    assert [line.partition(" spec.soil")[0].strip() for line in _notes(project.run("--crd-checks", "-v"))] == [
        "config/samples/a.yaml:3:",
        "config/samples/a.yaml:4:",
    ]


def test_a_sample_of_an_unknown_version_names_no_words(project: Project) -> None:
    project.write(
        "config/samples/a.yaml",
        "apiVersion: stories.example.com/v9\nkind: Garden\nmetadata: {name: a}\nspec: {soil: on}\n",
    )

    result = project.run("--crd-checks")

    result.assert_outcomes(failed=1, passed=5, skipped=1)
    assert not _notes(result)


def test_the_header_names_the_properties_of_a_crd(project: Project) -> None:
    crd = project.crd()
    crd.write_text(crd.read_text(encoding="utf-8").replace("label: {type", "on: {type"), encoding="utf-8")
    project.cases()

    result = project.run()

    result.assert_outcomes(passed=3)
    assert _notes(result) == [
        'crd: config/crd/bases/gardens.yaml:21: the server reads the property `on` of spec as "true"; quote it'
    ]
    assert not _notes(project.run("-q"))
