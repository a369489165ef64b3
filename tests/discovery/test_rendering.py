"""Commands to suggest for a project with only templates or kustomizations of CRDs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from support.sessions import GARDEN

if TYPE_CHECKING:
    from support.sessions import Project

TEMPLATE = "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n"
PATCH = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec: {conversion: {strategy: Webhook}}
"""


@pytest.fixture
def programs(empty: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a PATH that has git and the folder `bin` of the project only."""
    bin_ = empty.path / "bin"
    bin_.mkdir()
    (bin_ / "git").symlink_to(str(shutil.which("git")))
    (bin_ / "sh").symlink_to("/bin/sh")
    (bin_ / "cat").symlink_to(str(shutil.which("cat")))
    monkeypatch.setenv("PATH", str(bin_))
    return empty


def _program(project: Project, name: str, script: str) -> None:
    project.write(f"bin/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def _advice(project: Project) -> list[str]:
    lines = project.run("--crd-checks").outlines
    return [line.partition("write ")[2] for line in lines if ": write crd_commands = " in line]


def _chart(project: Project) -> None:
    project.write("charts/garden/Chart.yaml", "name: garden\n")
    project.write("charts/garden/templates/crds/garden.yaml", TEMPLATE)


HELM = "crd_commands = helm template charts/garden --include-crds"
ONLY = "a command is run only if crd_commands names it"
KUSTOMIZE = "crd_commands = kubectl kustomize config/crd"


@pytest.mark.parametrize("arguments", [("--crd-checks",), ("--crd-checks", "--crd-path=charts", "--crd-path=config")])
def test_no_command_is_run_unless_a_setting_names_it(programs: Project, arguments: tuple[str, ...]) -> None:
    _chart(programs)
    programs.write("config/crd/patches/webhook.yaml", PATCH)
    programs.write("config/crd/kustomization.yaml", "resources: [https://example.com/crds]\n")
    for name in ("helm", "kubectl", "kustomize"):
        _program(programs, name, "echo was run > was-run; cat crd.txt")
    programs.write("crd.txt", GARDEN)

    programs.run(*arguments)

    assert not (programs.path / "was-run").exists()


def test_a_chart_is_rendered_by_helm(programs: Project) -> None:
    _chart(programs)

    assert _advice(programs) == [f"{HELM}; {ONLY}"]


def test_patches_are_applied_by_kustomize(programs: Project) -> None:
    programs.write("config/crd/patches/webhook.yaml", PATCH)
    assert _advice(programs) == []  # no kustomization names them

    programs.write("config/crd/kustomization.yaml", "resources: [https://example.com/crds]\n")
    assert _advice(programs) == [f"{KUSTOMIZE}; {ONLY}"]

    _program(programs, "kustomize", "exit 1")
    assert _advice(programs) == [f"crd_commands = kustomize build config/crd; {ONLY}"]


def test_a_template_without_a_chart_has_no_command(programs: Project) -> None:
    programs.write("templates/garden.yaml", TEMPLATE)

    assert _advice(programs) == []


def test_a_crd_that_is_judged_without_its_conversion_has_a_note(project: Project) -> None:
    project.ini("crd_paths = config/crd")
    project.write("config/crd/patches/webhook.yaml", PATCH)
    project.write("config/crd/patches/other.yaml", PATCH.replace("conversion", "scale"))
    project.write(
        "config/crd/patches/bare.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    )

    project.run("--crd-checks", "-v").stdout.fnmatch_lines(
        [
            "crd: *accepted*: judged without config/crd/patches/webhook.yaml:1, a patch of spec.conversion: crd_commands = *"
        ]
    )

    project.write("config/crd/bases/gardens.yaml", GARDEN.replace("scope: Namespaced", "scope: Space"))
    project.run("--crd-checks").stdout.fnmatch_lines(
        [
            "refused (422):",
            "  config/crd/patches/webhook.yaml:1: judged without a patch of spec.conversion: crd_commands*",
        ]
    )
