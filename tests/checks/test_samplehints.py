"""Hints about unnamed samples, `crd_samples = auto`, and objects of similar kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import projectchecks

from pytest_crd import suggestions
from pytest_crd.checks import samplefiles, samplehints
from pytest_crd.discovery import samplepaths
from pytest_crd.engine.yaml.manifest import ManifestFile

if TYPE_CHECKING:
    from pathlib import Path

    from support.sessions import Project

GARDEN = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: eden}\n"


@pytest.fixture
def scattered(project: Project) -> Project:
    """A project with objects in several places."""
    project.write("config/samples/garden.yaml", GARDEN)
    project.write("docs/examples/tls/garden.yaml", GARDEN)
    project.write("docs/examples/ha/garden.yaml", GARDEN)
    project.write("deploy/cr.yaml", GARDEN)
    project.write("cr.yaml", GARDEN)
    project.write("testdata/garden.yaml", GARDEN)
    project.write("docs/pod.yaml", "apiVersion: v1\nkind: Pod\n")
    return project


def _hints(project: Project, samples: str = "") -> tuple[str, ...]:
    """Return the hints of the plan of checks, with the setting `crd_samples`."""
    return projectchecks.plan(project.path, samples=samples.split()).hints


def test_objects_that_are_no_samples_are_counted_with_the_line_to_write(scattered: Project) -> None:
    line = "crd_samples = config/samples cr.yaml deploy docs/examples"

    (hint,) = _hints(scattered)
    assert (
        hint
        == f"4 objects of the project's kinds are no sample: 2 in docs/examples, 1 in cr.yaml, 1 in deploy; to check more: {line}"
    )
    assert f"crd: {hint}" in scattered.run("--crd-checks", "--collect-only").outlines
    assert _hints(scattered, line.partition(" = ")[2]) == ()
    scattered.ini(line)
    scattered.run("--crd-checks").assert_outcomes(passed=5 + 5 * 2)


def test_fields_left_out_by_a_case_stay_left_out(scattered: Project) -> None:
    (scattered.path / "deploy" / "link.yaml").symlink_to("nowhere")
    scattered.write("config/samples/more.yaml", GARDEN)

    (line,) = _hints(scattered, "!config/samples/garden.yaml")

    assert line.startswith("4 objects of the project's kinds are no sample: 2 in docs/examples, ")
    assert line.endswith("crd_samples = !config/samples/garden.yaml config/samples cr.yaml deploy docs/examples")


def test_a_single_object_is_reported_in_the_singular(project: Project) -> None:
    project.write("deploy/cr.yaml", GARDEN)

    assert _hints(project) == (
        "1 object of the project's kinds is no sample: 1 in deploy; to check more: crd_samples = deploy",
    )


def test_of_many_folders_the_line_is_auto(project: Project) -> None:
    for number in range(7):
        project.write(f"docs/{number}/garden.yaml", GARDEN)

    (line,) = _hints(project)

    assert line.endswith(", others in 2 more folders; to check more: crd_samples = auto")


def test_auto_takes_all_but_test_data(scattered: Project) -> None:
    planned = projectchecks.plan(scattered.path, samples=["auto", "!docs/examples/ha"])

    assert {check.source for check in projectchecks.find(planned, "samples")} == {
        f"{name}.yaml:1" for name in ("config/samples/garden", "docs/examples/tls/garden", "deploy/cr", "cr")
    }
    assert planned.hints == ()


def test_auto_that_finds_nothing_is_a_mistake(project: Project) -> None:
    project.ini("crd_samples = auto")
    (project.path / "folder.yaml").mkdir()
    locked = project.write("locked.yaml", GARDEN)
    locked.unlink()
    locked.symlink_to("locked.yaml")

    project.run("--crd-checks").stdout.fnmatch_lines(
        ["*crd_samples: auto: no custom resource of a CRD of the project*"]
    )


@pytest.mark.parametrize("pattern", ["auto", "auto !docs/examples/ha"])
def test_auto_is_for_upgrades_too(scattered: Project, pattern: str) -> None:
    scattered.crd("old/gardens.yaml")
    scattered.ini(f"crd_samples = {pattern}")

    scattered.run("--crd-baseline", "old").assert_outcomes(passed=1)


def test_two_letters_or_the_case_are_a_misspelling(project: Project) -> None:
    misspelt = ("kind: GArdEn", "kind: GARDEN", "kind: Garden\n# of storie.example.com")
    for number, kind in enumerate((*misspelt, "kind: Gradne")):
        group = "storie.example.com" if "storie" in kind else "stories.example.com"
        text = GARDEN.replace("kind: Garden", kind).replace("stories.example.com", group)
        project.write(f"samples/{number}.yaml", text)

    result = project.run("--crd-checks", "-k", "samples")

    result.assert_outcomes(failed=3, passed=0, deselected=5)
    for number in range(3):
        result.stdout.fnmatch_lines([f"  samples/{number}.yaml:1: *; did you mean *"])


def test_a_kind_of_the_project_in_another_group_is_named(project: Project) -> None:
    versions = ("v1beta1", "v1", "stories.example.com.stories.example.com/v1", "gardens.pivotal.io/v1")
    for number, version in enumerate(versions):
        for name in ("garden", "more"):
            project.write(f"samples/{number}/{name}.yaml", GARDEN.replace("stories.example.com/v1", version))

    assert [*_hints(project)][-4:] == [
        f"samples/{number}/garden.yaml:1 and 1 more: no sample, for kind Garden of {version} is not the project's,"
        " which is of stories.example.com"
        for number, version in enumerate(versions)
    ]


@pytest.mark.parametrize(
    ("group", "version", "kind", "expected"),
    [
        ("", "v1", "Service", True),
        ("", "v1beta1", "Service", False),
        ("", "v1", "Garden", False),
        ("apps", "v1", "Deployment", True),
        ("networking.k8s.io", "v1", "Ingress", True),
        ("example.com", "v1", "Ingress", False),
    ],
)
def test_kinds_of_kubernetes_are_none_of_a_project(group: str, version: str, kind: str, *, expected: bool) -> None:
    assert samplefiles._is_of_kubernetes(group, version, kind) == expected


def test_the_nearest_word_is_meant() -> None:
    assert (
        suggestions.nearest_name("RabbitMQCluster", ["RabbitmqCluster", "User"], suggestions.WorkBudget())
        == "RabbitmqCluster"
    )
    assert suggestions.nearest_name("rabbitmq.com.rabbitmq.com", ["rabbitmq.com"], suggestions.WorkBudget()) == ""
    assert suggestions.nearest_name("x", [], suggestions.WorkBudget()) == ""


def test_a_file_that_cannot_be_read_is_looked_at_where_it_was_named(tmp_path: Path) -> None:
    actual = ManifestFile(tmp_path, "a.yaml", named=False, patterns=(samplepaths.AUTO,))
    named = actual._replace(patterns=("a.yaml",))

    assert samplehints.select_files([actual, named], {}) == [named]


COLLIDING = f"{GARDEN}spec:\n  beds:\n  {{{{- range .Values.beds }}}}\n  - {{{{ . }}}}\n  {{{{- else }}}}\n  []\n  {{{{- end }}}}\n"


@pytest.mark.parametrize(
    ("file", "text", "is_template"),
    [
        ("chart/templates/garden.yaml", COLLIDING, True),
        ("chart/templates/gardens/garden.yaml", COLLIDING, True),
        ("docs/garden.yaml", COLLIDING, False),
        ("other/templates/garden.yaml", COLLIDING, False),
        ("chart/templates/garden.yaml", f"{GARDEN}spec: [\n", False),
    ],
)
def test_a_file_with_actions_in_a_chart_is_a_template(
    tmp_path: Path, file: str, text: str, *, is_template: bool
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    (tmp_path / "chart").mkdir(exist_ok=True)
    (tmp_path / "chart/Chart.yaml").touch()

    samples = samplefiles.read([ManifestFile(path, file, named=False)], {("stories.example.com", "Garden"): []})

    assert bool(samples.broken) is not is_template
    assert [note.message for note in samples.notes] == (["passed over, a template"] if is_template else [])
