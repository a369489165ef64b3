"""The check `published`: losses of a schema in OpenAPI v2, as a list with `-v`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import crds
from support.sessions import GARDEN

from pytest_crd.checks import published

if TYPE_CHECKING:
    from support.sessions import Project

CRD = "config/crd/bases/gardens.yaml"
_LABEL = "label: {type: string}"


def _notes(project: Project, *arguments: str, flag: str = "-vv") -> list[str]:
    """Run the check, and return the notes that it prints, without file and line."""
    result = project.run("--crd-checks", flag, "-k", "published", *arguments)

    result.assert_outcomes(passed=1, deselected=4)
    return [line.partition(": ")[2].partition(": ")[2] for line in result.outlines if line.startswith("crd: config")]


def test_defaults_are_listed(project: Project) -> None:
    assert _notes(project) == [
        "spec.size: OpenAPI v2 has no default",
        "spec.watering: OpenAPI v2 has no default",
        "spec.watering.hour: OpenAPI v2 has no default",
        "spec.beds[*].rows: OpenAPI v2 has no default",
    ]
    assert _notes(project, flag="-v") == [
        "4 places: OpenAPI v2 has no default: spec.size, spec.watering, spec.watering.hour, … (-vv: each)"
    ]


def test_losses_of_a_single_place_are_listed_with_it(project: Project) -> None:
    text = project.read(CRD).replace(_LABEL, "label: {type: string, nullable: true}")
    project.write(CRD, text.replace(", default: {}", "").replace(", default: 6", "").replace(", default: 3", ""))

    assert sorted(_notes(project, flag="-v")) == [
        "spec.beds[*].rows: OpenAPI v2 has no default",
        "spec.label: OpenAPI v2 has no type, as it may be null",
    ]


def test_nothing_is_said_without_v(project: Project) -> None:
    result = project.run("--crd-checks", "-k", "published")

    result.assert_outcomes(passed=1, deselected=4)
    assert "OpenAPI" not in result.stdout.str()


_FIELDS = "{type: object, properties: {a: {type: string, default: x}}"


@pytest.mark.parametrize(
    ("field", "notes"),
    [
        ("label: {type: string, anyOf: [{pattern: a}], not: {}}", ["spec.label: OpenAPI v2 has no anyOf, not"]),
        ("label: {type: string, allOf: []}", []),
        ("label: {type: string, nullable: true}", ["spec.label: OpenAPI v2 has no type, as it may be null"]),
        (
            f"label: {_FIELDS}, nullable: true}}",
            ["spec.label: OpenAPI v2 has no type, properties, as it may be null"],
        ),
        (
            f"label: {_FIELDS}, x-kubernetes-preserve-unknown-fields: true}}",
            ["spec.label: OpenAPI v2 has no properties, as unknown fields are preserved"],
        ),
        (
            f"label: {{type: array, x-kubernetes-preserve-unknown-fields: true, items: {_FIELDS}}}}}",
            ["spec.label: OpenAPI v2 has no items, as unknown fields are preserved"],
        ),
        (
            "label: {type: object, required: [a, b], properties: {a: {type: string, nullable: true}, b: {type: string}}}",
            [
                "spec.label: OpenAPI v2 does not require a, as it may be null",
                "spec.label.a: OpenAPI v2 has no type, as it may be null",
            ],
        ),
        (
            "label: {type: object, required: [a], additionalProperties: {type: string, nullable: true}}",
            [
                "spec.label: OpenAPI v2 does not require a, as values may be null",
                "spec.label[*]: OpenAPI v2 has no type, as it may be null",
            ],
        ),
        (
            "label: {type: object, nullable: true, required: [a], properties: {a: {type: string, nullable: true}}}",
            ["spec.label: OpenAPI v2 has no type, properties, as it may be null"],
        ),
    ],
)
def test_losses_are_listed(field: str, notes: list[str]) -> None:
    read = crds.read(GARDEN.replace(_LABEL, field), CRD)
    version = read.crd.version("v1")

    actual = published.find_losses(read, version).details

    assert [note for note in actual if note.startswith("spec.label")] == notes
    # The list is true: the document lacks everything in it.
    document = version.openapi(2) or {}
    label = document["definitions"]["com.example.stories.v1.Garden"]["properties"]["spec"]["properties"]["label"]
    lost = [word for note in actual if note.startswith("spec.label:") for word in note.split(" has no ")[-1].split(",")]
    assert not label.keys() & {word.strip() for word in lost}


def test_a_root_that_preserves_loses_all(project: Project) -> None:
    root = "        type: object\n        properties:\n          spec:"
    project.write(CRD, GARDEN.replace(root, f"        x-kubernetes-preserve-unknown-fields: true\n{root}"))

    assert _notes(project) == ["OpenAPI v2 has no fields at all, as unknown ones are preserved"]


def test_kubernetes_1_21_publishes_defaults(project: Project) -> None:
    assert _notes(project, "--crd-kubernetes-version", "1.21") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("served: true", "served: false"),
        (GARDEN[GARDEN.index("          spec:") :], "          spec: {type: object}\n"),
    ],
)
def test_where_nothing_is_published_or_lost_there_is_no_check(project: Project, old: str, new: str) -> None:
    project.write(CRD, GARDEN.replace(old, new))

    assert "published" not in project.run("--crd-checks", "--collect-only", "-q").stdout.str()


def test_a_schema_that_is_not_structural_is_passed_over(project: Project) -> None:
    project.write(CRD, GARDEN.replace(_LABEL, "label: {}"))

    result = project.run("--crd-checks", "-k", "published", "-rs")

    result.assert_outcomes(skipped=1, deselected=4)
    result.stdout.fnmatch_lines(["*the schema of v1 is not structural, so that it is not published"])
