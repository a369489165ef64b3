"""Copies of a CRD in several places of a project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from support import projectchecks
from support.sessions import GARDEN

from pytest_crd.checks.verdict import CheckVerdict

if TYPE_CHECKING:
    from support.sessions import Project

MAIN = "config/crd/bases/gardens.yaml"
CHART = "charts/garden/crds/gardens.yaml"
NAME = "gardens.stories.example.com"
DESCRIBED = GARDEN.replace("soil: {type: string,", "soil: {type: string, description: the ground,")


def find_copies(project: Project, *paths: str, commands: Sequence[str] = ()) -> dict[str, CheckVerdict]:
    """Return the verdicts on copies by the name of their CRD, with the settings `crd_paths` and `crd_commands`."""
    planned = projectchecks.plan(project.path, paths, commands=commands)
    return {check.subject: check.run() for check in projectchecks.find(planned, "copies")}


def compare(project: Project, copy: str, main: str = GARDEN) -> CheckVerdict:
    """Return the verdict on a CRD and its copy in a chart."""
    project.write(MAIN, main)
    project.write(CHART, copy)
    return find_copies(project)[NAME]


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

    assert compare(project, both.replace("[name, plant]", "[plant, name]"), both).notes == (f"copies: {CHART}:1",)


def test_values_in_defaults_are_compared(project: Project) -> None:
    default = "default: {required: [b, a], description: [b, a]}"
    main = GARDEN.replace("free: {type: object,", f"free: {{type: object, {default},")

    findings = compare(project, main.replace("[b, a]", "[a, b]"), main).findings

    words = {f"v1 spec.free default.{keyword}.0: the copy has another value" for keyword in ("description", "required")}
    assert words <= {finding.text.partition(" than ")[0] for finding in findings}


def test_many_differences_are_shortened(project: Project) -> None:
    findings = compare(project, re.sub(r"(size|label|note|soil|rows|free): ", r"\\1x: ", GARDEN, count=6)).findings

    assert len(findings) == 6
    assert findings[-1][:2] == (f"{CHART}:1", f"2 more differences from {MAIN}:1")


def test_a_project_without_copies_has_no_check(project: Project) -> None:
    project.write("config/crd/bases/other.yaml", GARDEN.replace("label", "tag"))

    assert find_copies(project) == {}


def test_a_copy_whose_metadata_no_server_takes_fails(project: Project) -> None:
    labelled = GARDEN.replace("metadata: {name", "metadata: {labels: {a: not valid}, name")

    assert compare(project, labelled).findings == ()
    own, of_copy = projectchecks.find(projectchecks.plan(project.path), "accepted")
    assert own.run().findings == ()
    assert of_copy.source == f"{CHART}:1"
    (finding,) = of_copy.run().findings
    assert finding.place.startswith(f"{CHART}:")
    assert finding.text.startswith("metadata.labels: Invalid value: ")
    project.write(CHART, GARDEN)
    assert len(projectchecks.find(projectchecks.plan(project.path), "accepted")) == 1


def test_a_copy_may_equal_any_alternative_in_the_main_place(project: Project) -> None:
    other = GARDEN.replace("label", "tag")
    project.write("config/crd/bases/other.yaml", other)

    assert compare(project, other).notes == (f"copies: {CHART}:1",)


def test_a_crd_without_a_kubebuilder_folder_is_compared_with_the_first_usual_place(project: Project) -> None:
    (project.path / MAIN).unlink()
    project.write("deploy/crds/gardens.yaml", GARDEN)
    project.write(CHART, GARDEN.replace("label", "tag"))

    assert find_copies(project)[NAME].heading == "copies of deploy/crds/gardens.yaml:1 differ from it"


def test_crds_of_the_setting_are_alternatives(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))

    assert find_copies(project, CHART, MAIN) == {}


@pytest.mark.parametrize(
    ("paths", "is_stale"),
    [
        (MAIN, True),
        ("config/crd", True),
        (f"{CHART} config/crd", False),
        ("**/gardens.yaml !charts !api", False),
        ("!charts !helm", False),
        ("api", True),
        ("charts", True),
    ],
)
def test_usual_places_that_the_setting_does_not_name_have_copies(
    project: Project,
    paths: str,
    is_stale: bool,  # noqa: FBT001
) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))
    project.write("api/gardens.yaml", GARDEN)
    project.write("charts/garden/crds/others.yaml", GARDEN.replace("gardens", "others"))
    project.write("helm/garden/crds/broken.yaml", "kind: CustomResourceDefinition\na: [\n")

    verdict = find_copies(project, *paths.split()).get(NAME)

    assert bool(verdict is not None and verdict.findings) == is_stale


def test_a_chart_does_not_differ_from_variants_in_one_usual_place(project: Project) -> None:
    (project.path / MAIN).unlink()
    project.write("config/crd/full/gardens.yaml", GARDEN)
    project.write("config/crd/minimal/gardens.yaml", GARDEN.replace("label", "tag"))

    assert find_copies(project, "config/crd/full") == {}


def test_the_output_of_commands_has_no_copies(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label", "tag"))

    assert find_copies(project, commands=[f"cat {MAIN}"]) == {}


def test_a_project_without_usual_places_has_no_copies(project: Project) -> None:
    (project.path / MAIN).rename(project.path / "gardens.yaml")
    (project.path / "config/crd/bases").rmdir()

    assert find_copies(project, "gardens.yaml") == {}


TEMPLATE = "charts/garden/templates/gardens.yaml"
WRAPPED = f"{{{{- if .Values.crds }}}}\n{GARDEN}{{{{- end }}}}\n"
UNREAD = GARDEN.replace("scope: Namespaced", "scope: {{ .Values.scope }}")
REASON = f"not compared: {TEMPLATE}:6: a template that only Helm can read: an action sets spec.scope"


TEMPLATES = (TEMPLATE, "charts/garden/templates/crds/a.yaml", "charts/garden/templates/a/b.yaml")


@pytest.mark.parametrize("paths", [[], ["config/crd"]])
def test_a_template_is_a_copy(project: Project, paths: Sequence[str]) -> None:
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    files = []
    for number, template in enumerate((*TEMPLATES, *TEMPLATES)):
        text = WRAPPED if number < len(TEMPLATES) else WRAPPED.replace("label: ", "tag: ")
        project.write(name(MAIN, number), name(GARDEN, number))
        files.append(template.replace(".yaml", f"{number}.yaml"))
        project.write(files[-1], name(text, number))

    verdicts = find_copies(project, *paths)

    assert [*verdicts] == [name(NAME, number) for number in range(6)]
    for number, (equal, stale) in enumerate(zip(files[:3], files[3:], strict=True)):
        assert verdicts[name(NAME, number)].notes == (f"copies: {equal}:2",)
        findings = verdicts[name(NAME, number + 3)].findings
        assert (f"{stale}:22", "v1 spec.tag: only the copy has it") in [finding[:2] for finding in findings]


def test_a_template_that_only_helm_can_read_is_named(project: Project) -> None:
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    project.write(TEMPLATE, UNREAD)
    alone = project.run("--crd-checks", "-k", "copies", "-rs")
    project.write(CHART, GARDEN)
    beside = find_copies(project)[NAME]

    alone.assert_outcomes(skipped=1, deselected=5)
    alone.stdout.fnmatch_lines([f"SKIPPED *: {REASON}"])
    assert beside.notes == (f"copies: {CHART}:1", REASON)


@pytest.mark.parametrize(
    ("name", "paths", "commands"),
    [
        ("test/charts/garden/templates/gardens.yaml", [], []),
        (TEMPLATE, ["!charts"], []),
        ("charts/other/templates/gardens.yaml", [], []),
        (TEMPLATE, [], [f"cat {MAIN}"]),
        (TEMPLATE, [TEMPLATE, MAIN], []),
    ],
)
def test_templates_elsewhere_and_those_that_are_read_as_files_are_no_copies(
    project: Project, name: str, paths: Sequence[str], commands: Sequence[str]
) -> None:
    project.write("test/charts/garden/Chart.yaml", "name: garden\n")
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    project.write(name, (GARDEN if TEMPLATE in paths else WRAPPED).replace("label", "tag"))

    assert find_copies(project, *paths, commands=commands) == {}


def test_a_template_of_another_crd_is_no_copy(project: Project) -> None:
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    project.write(TEMPLATE, UNREAD.replace("gardens", "ponds"))

    assert find_copies(project) == {}
