"""The scope of a generated file: requested paths, exclusions, and Kubernetes types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.cases import loader
from pytest_crd.coverage.lines import read_exclusion
from pytest_crd.generation import NothingToStateError, Wanted, add, generate

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULES = "x-kubernetes-validations"
TOLERATION = fields(effect=TEXT, key=TEXT, operator={**TEXT, "enum": ["Exists"]}, tolerationSeconds=NUMBER, value=TEXT)
RESOURCES = fields(limits={"type": "object"}, requests={"type": "object"})
SPEC = fields(
    size={**NUMBER, "maximum": 3},
    tls=fields(name_=TEXT, mode={**TEXT, "enum": ["a", "b"]}),
    tolerations={"type": "array", "items": TOLERATION},
    pod=fields(resources=RESOURCES, replicas={**NUMBER, "minimum": 1}),
)
VERSION = versions.create_version(SPEC)


def _names(text: str) -> list[str]:
    return [case.name for file in loader.load(text, source="new") for case in file.cases]


def _about(version: engine.CrdVersion, wanted: Wanted) -> list[str]:
    return _names(generate([version], wanted).text)


def test_types_of_kubernetes_are_left_out_by_name() -> None:
    generated = generate([VERSION])

    assert generated.left_out[:2] == (
        "spec.tolerations.*: Toleration of Kubernetes",
        "spec.pod.resources: ResourceRequirements of Kubernetes",
    )
    assert "# - spec.tolerations.*: Toleration of Kubernetes\n" in generated.text
    assert not any(name.startswith("spec.tolerations.*") for name in _names(generated.text))
    assert "spec.pod.replicas: 0 is too small" in _names(generated.text)


def test_a_frequent_type_is_listed_once() -> None:
    version = versions.create_version(fields(a=TEXT, **{f"part{index}": RESOURCES for index in range(7)}))

    assert generate([version]).left_out[0] == (
        "ResourceRequirements of Kubernetes: spec.part0, spec.part1, spec.part2, spec.part3, spec.part4 and 2 more"
    )


def test_fields_of_kubernetes_types_are_set() -> None:
    assert any("resources" in case.get("contains", {}).get("spec", {}).get("pod", {}) for case in _created(VERSION))


def _created(version: engine.CrdVersion) -> list[Any]:
    files = loader.load(generate([version]).text, source="new")
    return [{"contains": case.expected or case.contains or {}} for file in files for case in file.cases]


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(("spec.tolerations",), is_whole=True),
        Wanted(("spec.tolerations[*]",)),
        Wanted(("spec.tolerations.*.operator",)),
    ],
)
def test_a_kubernetes_type_is_covered_on_request(wanted: Wanted) -> None:
    assert 'spec.tolerations.*.operator: "Existsx" is not allowed' in _about(VERSION, wanted)


def test_kubernetes_types_below_a_requested_path_are_left_out() -> None:
    generated = generate([VERSION], Wanted(("spec.pod",)))

    assert "spec.pod.resources: ResourceRequirements of Kubernetes" in generated.left_out
    assert "spec.tolerations.*: Toleration of Kubernetes" not in generated.left_out


def test_a_type_with_rules_is_the_projects_own() -> None:
    ruled = {**TOLERATION, RULES: [{"rule": "!has(self.value) || has(self.key)"}]}

    names = _about(versions.create_version(fields(toleration=ruled)), Wanted())

    assert "spec.toleration: breaks the rule '!has(self.value) || has(self.key)'" in names


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("Affinity", fields(nodeAffinity=fields(), podAffinity=fields(), podAntiAffinity=fields())),
        ("LabelSelector", fields(matchExpressions={"type": "array", "items": TEXT}, matchLabels=fields())),
        ("ObjectMeta", fields(**dict.fromkeys(("annotations", "finalizers", "labels", "name", "namespace"), TEXT))),
        ("Container", fields(**dict.fromkeys(("env", "name", "resources", "volumeMounts", "image", "newField"), TEXT))),
    ],
)
def test_types_are_recognized_by_their_fields(name: str, schema: dict[str, Any]) -> None:
    assert (
        f"spec.part: {name} of Kubernetes" in generate([versions.create_version(fields(a=TEXT, part=schema))]).left_out
    )


@pytest.mark.parametrize(
    "schema",
    [
        fields(nodeAffinity=fields(), podAffinity=fields()),
        fields(matchExpressions=TEXT, matchLabels=fields(), mine=TEXT),
        fields(annotations=TEXT, labels=TEXT),
        fields(**dict.fromkeys(("annotations", "finalizers", "labels", "name", "namespace", "mine"), TEXT)),
    ],
)
def test_objects_with_other_fields_are_no_kubernetes_types(schema: dict[str, Any]) -> None:
    assert not any(
        "Kubernetes" in line for line in generate([versions.create_version(fields(a=TEXT, part=schema))]).left_out
    )


def test_only_requested_paths_are_covered() -> None:
    generated = generate([VERSION], Wanted(("spec.tls",)))

    assert all(name.startswith("spec.tls") for name in _names(generated.text))
    assert 'spec.tls.mode: "ax" is not allowed' in _names(generated.text)
    assert "spec.tls: name is missing" in _names(generated.text)
    assert generated.left_out[0] == "all that does not lie at spec.tls, or below"


def test_several_paths_add_up() -> None:
    names = _about(VERSION, Wanted(("spec.tls", "spec.size")))

    assert "spec.size: 4 is too large" in names
    assert 'spec.tls.mode: "ax" is not allowed' in names


def test_a_path_adds_to_an_existing_file() -> None:
    text = generate([VERSION]).text
    assert not any(name.startswith("spec.tolerations.*") for name in _names(text))

    generated = add([VERSION], text.encode(), source="old", folder=Path(), wanted=Wanted(("spec.tolerations[*]",)))

    added = [name for name in _names(generated.text) if name not in _names(text)]
    assert added
    assert all(name.startswith("spec.tolerations.*") for name in added)


@pytest.mark.parametrize(
    ("path", "hint"), [("spec.tsl", "; did you mean spec.tls?"), ("nowhere.at.all.to.be.found", "$")]
)
def test_a_path_that_is_not_there_is_an_error(path: str, hint: str) -> None:
    with pytest.raises(NothingToStateError, match=rf"tabs\.example\.com v1 has nothing at '{path}'{hint}"):
        generate([VERSION], Wanted((path,)))


def test_a_path_without_cases_is_an_error() -> None:
    with pytest.raises(NothingToStateError, match="no case was found for extra of "):
        generate(
            [versions.create_version(fields(a=TEXT), root={"properties": {"extra": TEXT}})],
            Wanted(("extra",)),
            most_lines=0,
        )


def test_paths_excluded_from_coverage_are_left_out() -> None:
    exclusions = tuple(
        map(
            read_exclusion,
            ("tabs.example.com spec.tls", "tabs.example.com/v2 spec.size", "others.example.com spec.pod"),
        )
    )

    generated = generate([VERSION], Wanted(exclusions=exclusions))

    assert not any(name.startswith("spec.tls") for name in _names(generated.text))
    assert "spec.size: 4 is too large" in _names(generated.text)
    assert "spec.tls: by crd_cov_exclude" in generated.left_out


def test_a_path_that_is_excluded_is_an_error() -> None:
    with pytest.raises(NothingToStateError, match=r"crd_cov_exclude leaves out all of spec\.tls"):
        generate([VERSION], Wanted(("spec.tls",), exclusions=(read_exclusion("tabs.example.com spec.tls"),)))
