"""Suites in the format of openshift/api are collected as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

FOLDER = "stories/v1/tests/gardens.stories.example.com"
SUITE = """\
apiVersion: apiextensions.k8s.io/v1 # Hack because controller-gen complains if we don't have this
name: Garden
crdName: gardens.stories.example.com
tests:
  onCreate:
  - name: Should keep the soil
    initial: |
      apiVersion: stories.example.com/v1
      kind: Garden
      spec:
        soil: clay
    expected: |
      apiVersion: stories.example.com/v1
      kind: Garden
      spec:
        soil: clay
        size: 3
        watering: {hour: 6}
  onUpdate:
  - name: Should refuse lava
    initial: |
      apiVersion: stories.example.com/v1
      kind: Garden
      spec: {}
    updated: |
      apiVersion: stories.example.com/v1
      kind: Garden
      spec:
        soil: lava
    expectedError: "not supported"
"""


@pytest.fixture
def suites(empty: Project) -> Project:
    """A project in the layout of openshift/api."""
    empty.crd("stories/v1/zz_generated.crd-manifests/gardens.crd.yaml")
    empty.cases(SUITE, name=f"{FOLDER}/AAA_ungated.yaml")
    empty.ini("crd_case_files = */tests/*/*.yaml")
    return empty


def test_a_suite_is_collected_and_its_failures_read_like_any(suites: Project) -> None:
    result = suites.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            f'{FOLDER}/AAA_ungated.yaml:20: update case "Should refuse lava"',
            "gardens.stories.example.com v1 (*gardens.crd.yaml:1), Kubernetes 1.37",
            "",
            "error:",
            '  missing  "not supported"',
            '  message  Garden.stories.example.com "example" is invalid: spec.soil: Unsupported value: "lava": *',
            f"FAILED {FOLDER}/AAA_ungated.yaml::Should refuse lava*",
        ]
    )


def test_each_crd_of_that_name_runs_the_cases(suites: Project) -> None:
    suites.crd("stories/v1/zz_generated.crd-manifests/gardens-TechPreview.crd.yaml")

    result = suites.run("--collect-only", "-q", "-k", "create")

    assert [line.partition("::")[2] for line in result.outlines if "::" in line] == [
        "Should keep the soil (gardens-TechPreview)",
        "Should keep the soil (gardens)",
    ]


def test_a_key_that_would_be_passed_over_is_a_collection_error(suites: Project) -> None:
    suites.cases(f"featureGate: [A]\n{SUITE}", name=f"{FOLDER}/AAA_ungated.yaml")

    result = suites.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"{FOLDER}/AAA_ungated.yaml:1: unknown key 'featureGate'; did you mean 'featureGates'?"]
    )


def test_an_object_that_cannot_be_created_is_shown_without_frames(suites: Project) -> None:
    suites.cases(SUITE.replace("spec: {}", "spec: {soil: lava}"), name=f"{FOLDER}/AAA_ungated.yaml")

    result = suites.run("-k", "update")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            (
                f"{FOLDER}/AAA_ungated.yaml:*: 'initial' of update case \"Should refuse lava\" is refused: "
                'Garden.stories.example.com "test-*" is invalid: spec.soil: Unsupported value: "lava": *'
            )
        ]
    )
    result.stdout.no_fnmatch_line("*nodes.py*")


@pytest.mark.parametrize("manifests", ["stories/v1/zz_generated.crd-manifests", "config/crd/bases"])
def test_a_suite_about_a_crd_that_is_stored_though_refused_is_run(empty: Project, manifests: str) -> None:
    path = empty.crd(f"{manifests}/gardens.crd.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("scope: Namespaced", "scope: Namespacd"), encoding="utf-8")
    empty.cases(SUITE, name=f"{FOLDER}/AAA_ungated.yaml")
    empty.ini("crd_case_files = */tests/*/*.yaml")
    empty.run().assert_outcomes(errors=1)
    empty.ini("crd_case_files = */tests/*/*.yaml\ncrd_stored = gardens.stories.example.com")

    empty.run().assert_outcomes(passed=1, failed=1)


def test_a_case_file_that_names_a_stored_crd_by_its_path_is_run(empty: Project) -> None:
    path = empty.crd("elsewhere/gardens.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("scope: Namespaced", "scope: Namespacd"), encoding="utf-8")
    empty.cases("crd: elsewhere/gardens.yaml\ncreate:\n- {name: a, input: {spec: {}}, accepted: true}\n")
    empty.run().assert_outcomes(errors=1)
    empty.ini("crd_stored = gardens.stories.example.com")

    empty.run().assert_outcomes(passed=1)


def test_a_suite_about_a_stored_crd_that_serves_nothing_says_so(suites: Project) -> None:
    path = suites.path / "stories/v1/zz_generated.crd-manifests/gardens.crd.yaml"
    text = path.read_text(encoding="utf-8").replace("label: {type: string}", 'label: {$ref: "#/x"}')
    path.write_text(text, encoding="utf-8")
    suites.ini("crd_case_files = */tests/*/*.yaml\ncrd_stored = gardens.stories.example.com")

    result = suites.run()

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*gardens.stories.example.com v1 serves no objects: *'$ref' is not supported*"])


def test_a_rule_that_the_engine_cannot_run_is_an_error_and_never_a_verdict(suites: Project) -> None:
    path = suites.path / "stories/v1/zz_generated.crd-manifests/gardens.crd.yaml"
    outside = "google.protobuf.Timestamp{seconds: size(self) - 99999999999}"
    rule = f"x-kubernetes-validations: [{{rule: \"{outside} < timestamp('2024-01-01T00:00:00Z')\"}}]"
    text = path.read_text(encoding="utf-8").replace(
        "label: {type: string}", f"label: {{type: string, maxLength: 9, {rule}}}"
    )
    path.write_text(text, encoding="utf-8")
    suites.cases(SUITE.replace("soil: clay", "label: clay"), name=f"{FOLDER}/AAA_ungated.yaml")

    result = suites.run("-k", "keep")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(['*what the server answers to create case "Should keep the soil" is not known: *'])
