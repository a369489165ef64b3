"""Objects of cases that come from other files or are changed by a patch, so that a case states only the field under test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

HEAD = "crd: gardens.stories.example.com\n"
SAMPLE = "spec:\n  size: 5\n  label: roses\n"
STREAM = f"{SAMPLE}---\nkind: Garden\nmetadata: {{name: second}}\nspec: {{size: 7}}\n"


def _write_cases(project: Project, cases: Iterable[tuple[str, str]]) -> None:
    """Write a file for each of the cases, which are given with their sections, and samples."""
    project.write("samples/one.yaml", SAMPLE)
    project.write("samples/several.yaml", STREAM)
    project.write("samples/merged.yaml", "spec:\n  <<: {size: 4, label: roses}\n  size: 5\n")
    for number, (section, text) in enumerate(cases):
        project.cases(f"{HEAD}{section}:\n- {{name: a, {text}}}\n", name=f"tests/test_{number:02}.crd.yaml")


SOURCES = [
    pytest.param(
        "create",
        "inputFile: ../samples/one.yaml, contains: {spec: {size: 5, label: roses}}",
        id="a file beside the case file",
    ),
    pytest.param(
        "create",
        "inputFile: ../samples/several.yaml, document: 2, contains: {metadata: {name: second}, spec: {size: 7}}",
        id="a document",
    ),
    pytest.param(
        "create",
        "inputFile: ../samples/merged.yaml, contains: {spec: {size: 5, label: roses}}",
        id="a file with a key that overrides what is merged",
    ),
    pytest.param(
        "create",
        "inputFile: ../samples/one.yaml, patch: {spec: {size: 6, label: null}}, pruned: [], "
        "expected: {spec: {size: 6, watering: {hour: 6}}}",
        id="a merge patch",
    ),
    pytest.param(
        "create",
        "inputFile: ../samples/one.yaml, patch: [{op: replace, path: /spec/size, value: six}], "
        "errors: [{field: spec.size}]",
        id="a JSON Patch",
    ),
    pytest.param(
        "pruning",
        "input: {spec: {size: 1}}, patch: {spec: {bogus: 1}}, pruned: [spec.bogus], expected: {spec: {size: 1}}",
        id="a patched input",
    ),
    pytest.param(
        "update",
        "oldFile: ../samples/one.yaml, inputFile: ../samples/one.yaml, patch: {spec: {label: tulips}}, "
        "contains: {spec: {label: tulips}}",
        id="an old file",
    ),
    pytest.param(
        "update",
        "oldFile: ../samples/several.yaml, oldDocument: 2, oldPatch: {spec: {label: x}}, input: {spec: {}}, "
        "contains: {metadata: {name: second}}, absent: [spec.label]",
        id="an old document, patched",
    ),
]


def test_an_object_is_read_from_the_source_of_the_case(project: Project) -> None:
    _write_cases(project, [(str(source.values[0]), str(source.values[1])) for source in SOURCES])

    project.run().assert_outcomes(passed=len(SOURCES))


MISTAKES = [
    ("inputFile: ../samples/none.yaml", "'inputFile' of create case \"a\" cannot be read: No such file or directory: ../samples/none.yaml"),
    ("inputFile: ../samples/several.yaml", "'inputFile' of create case \"a\" has 2 documents; say which with `document:`: 1 (an object), 2 (Garden second)"),
    ("inputFile: ../samples/several.yaml, document: 3", "'inputFile' of create case \"a\" has no document 3; it has: 1 (an object), 2 (Garden second)"),
    ("inputFile: broken.yaml", "'inputFile' of create case \"a\" cannot be read: broken.yaml:2: *"),
    ("inputFile: twice.yaml", "'inputFile' of create case \"a\": key 'a' is set twice, on line 2 again"),
    ("inputFile: list.yaml", "'inputFile' of create case \"a\": document 1 is no object, but array"),
    ("inputFile: mixed.yaml", "'inputFile' of create case \"a\" has 2 documents; say which with `document:`: 1 (array), 2 (Garden)"),
    ("inputFile: empty.yaml", "'inputFile' of create case \"a\" has no document 1; it has: none"),
    ("input: 'spec: {}', patch: {spec: {size: 1}}", "'patch' of create case \"a\" is for an object, not for a text: write 'input' as a mapping"),
    ("input: {spec: {size: 1}}, patch: {spec: {size: 1}}", "'patch' of create case \"a\" changes nothing"),
    ("input: {spec: {size: 1}}, patch: {spec: {siez: null}}", "'patch' of create case \"a\" cannot be applied: the null at spec.siez removes nothing; to send a null, write operations (`op: add`)"),
    ("input: {spec: {size: 1}}, patch: [{op: replace, path: /spec/size, value: 1, times: 2}]", "'patch' of create case \"a\" cannot be applied: replace '/spec/size': 'times' is for a text or a list, not for integer"),
    ("input: {spec: {size: 1}}, patch: [{op: remove, path: /spec/siez}]", "'patch' of create case \"a\" cannot be applied: remove '/spec/siez': error in remove for path: '/spec/siez': Unable to remove nonexistent key: siez: missing value"),
]  # fmt: skip


def test_a_source_without_an_object_is_a_mistake_of_the_file(project: Project) -> None:
    for name, text in (
        ("broken", "a: [\n"),
        ("twice", "a: 1\na: 2\n"),
        ("list", "[]\n"),
        ("mixed", "[]\n---\nkind: Garden\n"),
        ("empty", ""),
    ):
        project.write(f"tests/{name}.yaml", text)
    _write_cases(project, [("create", f"{case}, accepted: true") for case, _ in MISTAKES])

    result = project.run()

    result.assert_outcomes(errors=len(MISTAKES))
    for number, (_, words) in enumerate(MISTAKES):
        result.stdout.fnmatch_lines([f"*tests/test_{number:02}.crd.yaml:3: {words.replace('[', '[[]')}"])


def test_the_mistakes_of_all_cases_are_one_error(project: Project) -> None:
    case = "- {{name: {}, inputFile: {}.yaml, accepted: true}}\n"
    project.cases(f"{HEAD}create:\n{case.format('a', 'x')}{case.format('b', 'y')}")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_garden.crd.yaml:3: *x.yaml", "*test_garden.crd.yaml:4: *y.yaml"])
