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


def test_a_failure_names_the_words_of_its_objects_and_a_passing_case_with_v_once(project: Project) -> None:
    """Words at boolean fields are meant."""
    free = "{spec: {free: {mode: on}}}"
    case = f"- name: NAME\n  input: &free {free}\n  expected: *free\n"
    project.cases(f"{HEAD}create:\n- name: a\n  input: {{spec: {{soil: on}}}}\n  accepted: yes\n", "test_1.crd.yaml")
    project.cases(
        f"{HEAD}create:\n- name: a\n  input: {{metadata: {{labels: {{a: yes}}}}}}\n  accepted: true\n",
        "test_2.crd.yaml",
    )
    project.cases(f"{HEAD}pruning:\n{case.replace('NAME', 'a')}{case.replace('NAME', 'b')}", "test_3.crd.yaml")
    ponds = project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    text = ponds.read_text(encoding="utf-8").replace("label: {type: string}", "label: {type: boolean}")
    ponds.write_text(text, encoding="utf-8")
    project.cases(
        "crd: ponds.stories.example.com\ncreate:\n- name: a\n  input: {spec: {label: yes}}\n"
        "  contains: {spec: {label: off}}\n",
        "test_4.crd.yaml",
    )
    failing = [
        "test_1.crd.yaml:4: spec.soil: the server reads `on` as true; quote it where a text is meant",
        "test_2.crd.yaml:4: metadata.labels.a: the server reads `yes` as true; quote it where a text is meant",
    ]

    quiet, verbose = project.run(), project.run("-v")

    quiet.assert_outcomes(passed=2, failed=3)
    assert _notes(quiet) == failing
    assert _notes(verbose) == [
        *failing,
        *(
            f"crd: test_3.crd.yaml:{line}: spec.free.mode: the server reads `on` as true; quote it where a text is meant"
            for line in (4, 7)
        ),
    ]


def test_a_failing_sample_names_its_words(project: Project) -> None:
    """A sample of an unknown version names none."""
    head = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: NAME}\n"
    item = "- {apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: NAME}, spec: {soil: off}}\n"
    samples = {
        "a": f"{head}spec: {{soil: off}}\n",
        "b": f"# crd: refused spec.soil\n{head}spec: {{soil: off}}\n",
        "c": f"kind: List\nitems:\n{item.replace('NAME', 'd')}{item.replace('NAME', 'e')}",
        "f": head.replace("v1", "v9") + "spec: {soil: on}\n",
    }
    for name, text in samples.items():
        project.write(f"config/samples/{name}.yaml", text.replace("NAME", name))

    result = project.run("--crd-checks", "-v", "-k", "samples")

    words = "spec.soil: the server reads `off` as false; quote it where a text is meant"
    assert all(line.endswith(words) for line in _notes(result))
    places = sorted(line.split()[-len(words.split()) - 1] for line in _notes(result))
    assert places == [f"config/samples/{place}:" for place in ("a.yaml:4", "b.yaml:5", "c.yaml:3", "c.yaml:4")]


def test_keys_that_are_read_as_booleans_are_mistakes_of_a_case_and_its_files_and_of_a_crd_in_the_header(
    project: Project,
) -> None:
    crd = project.crd()
    crd.write_text(crd.read_text(encoding="utf-8").replace("label: {type", "on: {type"), encoding="utf-8")
    project.write("object.yaml", "on: 1\nspec:\n  soil: no\n")
    project.cases(
        f"{HEAD}update:\n- name: a\n  old: {{spec: {{}}}}\n  oldPatch: {{spec: {{free: {{y: 1}}}}}}\n  inputFile: object.yaml\n  accepted: true\n"
    )
    project.cases(name="test_passing.crd.yaml")

    result = project.run("-rN")

    result.assert_outcomes(passed=3, failed=1)
    assert _notes(result) == [
        'crd: config/crd/bases/gardens.yaml:21: the server reads the property `on` of spec as "true"; quote it',
        f'{NAME}:5: the server reads the key `y` of spec.free as "true"; quote it',
        'object.yaml:1: the server reads the key `on` of the object as "true"; quote it',
    ]
