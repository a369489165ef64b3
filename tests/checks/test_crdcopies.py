"""Copies of a CRD in several places of a project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from support.sessions import GARDEN

if TYPE_CHECKING:
    from support.sessions import Project

MAIN = "config/crd/bases/gardens.yaml"
CHART = "charts/garden/crds/gardens.yaml"
NAME = "gardens.stories.example.com"
DESCRIBED = GARDEN.replace("soil: {type: string,", "soil: {type: string, description: the ground,")


def run(project: Project, copy: str, *arguments: str, main: str = GARDEN) -> pytest.RunResult:
    project.write(MAIN, main)
    project.write(CHART, copy)
    return project.run("--crd-checks", "-k", "copies", *arguments)


def run_all(project: Project, copies: Sequence[str], *arguments: str) -> pytest.RunResult:
    """Run the check of several CRDs, which differ in a number in their names, with a copy of each."""
    (project.path / MAIN).unlink()
    for number, copy in enumerate(copies):
        project.write(name(MAIN, number), name(GARDEN, number))
        project.write(name(CHART, number), name(copy, number))
    return project.run("--crd-checks", "-k", "copies", *arguments)


def name(text: str, number: int) -> str:
    """Return *text* with the number in each name."""
    return re.sub("([Gg]arden)(?!/)", rf"\g<1>{number}", text)


DIFFERENCES = [
    ("label: {type: string}", "tag: {type: string}", f"v1 spec.label: the copy lacks it; {MAIN}:21 has it"),
    ("label: {type: string}", "tag: {type: string}", "v1 spec.tag: only the copy has it"),
    ("enum: [clay, sand]", "enum: [clay]", "v1 spec.soil enum: the copy has another value than *"),
    ("enum: [clay, sand]", "enum: [clay, silt]", "v1 spec.soil enum.1: the copy has another value than *"),
    (
        "rows: {type: integer, default: 1}",
        "rows: {type: integer}",
        "v1 spec.beds[[]*].rows default: the copy lacks it",
    ),
    ("  scope: Namespaced", "  scope: Cluster", "spec.scope: the copy has another value than *"),
    ("subresources: {status: {}}", "deprecated: true", "spec.versions.v1.subresources: the copy lacks it"),
    ("- name: v1\n", "- name: v2\n", "spec.versions.v1: the copy lacks it"),
    ("- name: v1\n", "- name: v2\n", "spec.versions.v2: only the copy has it"),
    (
        "type: object\n        properties",
        "type: object\n        nullable: true\n        properties",
        "v1 . nullable: *",
    ),
    ("phase: {type: string", "description: {type: string", "v1 status.phase: the copy lacks it"),
]


def test_a_copy_that_differs_fails_with_the_place(project: Project) -> None:
    result = run_all(project, [GARDEN.replace(old, new) for old, new, _ in DIFFERENCES])

    result.assert_outcomes(failed=len(DIFFERENCES), deselected=10 * len(DIFFERENCES))
    for number, (old, _, words) in enumerate(DIFFERENCES):
        assert old in GARDEN
        main, copy, crd, expected = (name(text, number) for text in (MAIN, CHART, NAME, words))
        result.stdout.fnmatch_lines(
            [
                f"{main}:1: copies[[]{crd}], Kubernetes 1.37",
                f"copies of {main}:1 differ from it:",
                f"  {copy}:*: {expected}*",
            ]
        )


WEBHOOK = "{conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com'}}"
EQUAL = [
    GARDEN,
    GARDEN.replace("metadata: {", "metadata: {labels: {a: b}, annotations: {c: d}, "),
    DESCRIBED,
    DESCRIBED.replace("the ground", "the earth"),
    GARDEN.replace("  scope:", "  preserveUnknownFields: false\n  scope:"),
    GARDEN.replace("  scope:", f"  conversion: {{strategy: Webhook, webhook: {WEBHOOK}}}\n  scope:"),
    GARDEN.replace("                  required: [name]\n", "").replace(
        "                  type: object\n", "                  type: object\n                  required: [name]\n"
    ),
]


def test_a_copy_may_differ_in_what_servers_do_not_judge(project: Project) -> None:
    result = run_all(project, EQUAL, "-v")

    assert result.parseoutcomes()["passed"] == len(EQUAL)
    for number in range(len(EQUAL)):
        result.stdout.fnmatch_lines([f"crd: *copies: {name(CHART, number)}:1"])


def test_the_order_of_required_fields_is_no_difference(project: Project) -> None:
    both = GARDEN.replace("required: [name]", "required: [name, plant]")

    run(project, both.replace("[name, plant]", "[plant, name]"), main=both).assert_outcomes(passed=1, deselected=10)


def test_values_in_defaults_are_compared(project: Project) -> None:
    default = "default: {required: [b, a], description: [b, a]}"
    main = GARDEN.replace("free: {type: object,", f"free: {{type: object, {default},")

    result = run(project, main.replace("[b, a]", "[a, b]"), main=main)

    result.assert_outcomes(failed=1, deselected=10)
    for keyword in ("description", "required"):
        result.stdout.fnmatch_lines([f"*v1 spec.free default.{keyword}.0: the copy has another value*"])


def test_many_differences_are_shortened(project: Project) -> None:
    result = run(project, re.sub(r"(size|label|note|soil|rows|free): ", r"\\1x: ", GARDEN, count=6))

    result.assert_outcomes(failed=1, deselected=10)
    result.stdout.fnmatch_lines([f"  {CHART}:1: 2 more differences from {MAIN}:1"])


def test_a_project_without_copies_has_no_check(project: Project) -> None:
    project.write("config/crd/bases/other.yaml", GARDEN.replace("label", "tag"))

    project.run("--crd-checks", "-k", "copies").assert_outcomes(deselected=10)


def test_a_copy_whose_metadata_no_server_takes_fails(project: Project) -> None:
    labelled = GARDEN.replace("metadata: {name", "metadata: {labels: {a: not valid}, name")

    assert run(project, labelled).parseoutcomes()["passed"] == 1  # `copies`
    result = project.run("--crd-checks")
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(
        [f"{CHART}:1: accepted[[]{NAME}], *", f"  {CHART}:*: metadata.labels: Invalid value: *"]
    )
    project.write(CHART, GARDEN)
    project.run("--crd-checks").assert_outcomes(passed=6)


def test_a_copy_may_equal_any_alternative_in_the_main_place(project: Project) -> None:
    other = GARDEN.replace("label", "tag")
    project.write("config/crd/bases/other.yaml", other)

    run(project, other).assert_outcomes(passed=1, deselected=10)


def test_a_crd_without_a_kubebuilder_folder_is_compared_with_the_first_usual_place(project: Project) -> None:
    (project.path / MAIN).unlink()
    project.write("deploy/crds/gardens.yaml", GARDEN)
    project.write(CHART, GARDEN.replace("label", "tag"))

    result = project.run("--crd-checks", "-k", "copies")

    result.stdout.fnmatch_lines([f"deploy/crds/gardens.yaml:1: copies[[]{NAME}], Kubernetes 1.37"])


def test_crds_of_the_setting_are_alternatives(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))
    project.ini(f"crd_paths = {CHART} {MAIN}")

    project.run("--crd-checks", "-k", "copies").assert_outcomes(deselected=10)


@pytest.mark.parametrize(
    ("paths", "failures"),
    [
        (MAIN, 1),
        ("config/crd", 1),
        (f"{CHART} config/crd", 0),
        ("**/gardens.yaml !charts !api", 0),
        ("!charts !helm", 0),
        ("api", 1),
        ("charts", 1),
    ],
)
def test_usual_places_that_the_setting_does_not_name_have_copies(project: Project, paths: str, failures: int) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))
    project.write("api/gardens.yaml", GARDEN)
    project.write("charts/garden/crds/others.yaml", GARDEN.replace("gardens", "others"))
    project.write("helm/garden/crds/broken.yaml", "kind: CustomResourceDefinition\na: [\n")
    project.ini(f"crd_paths = {paths}")

    outcomes = project.run("--crd-checks", "-k", "copies and gardens").parseoutcomes()

    assert outcomes.get("failed", 0) == failures
    assert "errors" not in outcomes


def test_a_chart_does_not_differ_from_variants_in_one_usual_place(project: Project) -> None:
    (project.path / MAIN).unlink()
    project.write("config/crd/full/gardens.yaml", GARDEN)
    project.write("config/crd/minimal/gardens.yaml", GARDEN.replace("label", "tag"))
    project.ini("crd_paths = config/crd/full")

    project.run("--crd-checks", "-k", "copies").assert_outcomes(deselected=5)


def test_the_output_of_commands_has_no_copies(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))
    project.ini(f"crd_commands = cat {MAIN}")

    project.run("--crd-checks", "-k", "copies").assert_outcomes(deselected=5)


def test_a_project_without_usual_places_has_no_copies(project: Project) -> None:
    (project.path / MAIN).rename(project.path / "gardens.yaml")
    (project.path / "config/crd/bases").rmdir()
    project.ini("crd_paths = gardens.yaml")

    project.run("--crd-checks", "-k", "copies").assert_outcomes(deselected=5)


TEMPLATE = "charts/garden/templates/gardens.yaml"
WRAPPED = f"{{{{- if .Values.crds }}}}\n{GARDEN}{{{{- end }}}}\n"
UNREAD = GARDEN.replace("scope: Namespaced", "scope: {{ .Values.scope }}")
REASON = f"not compared: {TEMPLATE}:6: a template that only Helm can read: an action sets spec.scope"


def run_with_template(
    project: Project, template: str, *arguments: str, name: str = TEMPLATE, words: str = "copies"
) -> pytest.RunResult:
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    project.write(name, template)
    return project.run("--crd-checks", "-k", words, "-rs", *arguments)


TEMPLATES = (TEMPLATE, "charts/garden/templates/crds/a.yaml", "charts/garden/templates/a/b.yaml")


@pytest.mark.parametrize("line", ["", "crd_paths = config/crd"])
def test_a_template_is_a_copy(project: Project, line: str) -> None:
    project.ini(line)
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    files = []
    for number, template in enumerate((*TEMPLATES, *TEMPLATES)):
        text = WRAPPED if number < len(TEMPLATES) else WRAPPED.replace("label: ", "tag: ")
        project.write(name(MAIN, number), name(GARDEN, number))
        files.append(template.replace(".yaml", f"{number}.yaml"))
        project.write(files[-1], name(text, number))

    result = project.run("--crd-checks", "-k", "copies", "-v")

    result.assert_outcomes(passed=3, failed=3, deselected=5 * 7)
    for equal, stale in zip(files[:3], files[3:], strict=True):
        result.stdout.fnmatch_lines([f"  {stale}:22: v1 spec.tag: only the copy has it"])
        result.stdout.fnmatch_lines([f"crd: *copies: {equal}:2"])


def test_a_template_that_only_helm_can_read_is_named(project: Project) -> None:
    alone = run_with_template(project, UNREAD)
    project.write(CHART, GARDEN)
    beside = run_with_template(project, UNREAD, "-v")

    alone.assert_outcomes(skipped=1, deselected=5)
    alone.stdout.fnmatch_lines([f"SKIPPED *: {REASON}"])
    beside.assert_outcomes(passed=1, deselected=5)
    beside.stdout.fnmatch_lines([f"crd: *: {REASON}"])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("test/charts/garden/templates/gardens.yaml", ""),
        (TEMPLATE, "crd_paths = !charts"),
        ("charts/other/templates/gardens.yaml", ""),
        (TEMPLATE, f"crd_commands = cat {MAIN}"),
    ],
)
def test_templates_elsewhere_are_no_copies(project: Project, name: str, line: str) -> None:
    project.write("test/charts/garden/Chart.yaml", "name: garden\n")
    project.ini(line)

    run_with_template(project, WRAPPED.replace("label", "tag"), name=name).assert_outcomes(deselected=5)


def test_a_template_that_is_read_as_a_file_is_no_copy(project: Project) -> None:
    project.ini(f"crd_paths = {TEMPLATE} {MAIN}")

    run_with_template(project, GARDEN.replace("label", "tag")).assert_outcomes(deselected=10)


def test_a_template_of_another_crd_is_no_copy(project: Project) -> None:
    run_with_template(project, UNREAD.replace("gardens", "ponds")).assert_outcomes(deselected=5)
