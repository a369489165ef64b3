"""Tutorials that are executed: files are written, commands run, and their output compared with the page."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Final

import pytest
import yaml
from handbook import markdown, parts, running
from support import sessions
from support.git import commit
from support.sessions import Project

from pytest_crd.classes import draws
from pytest_crd.cli import initproposals

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
CRD: Final = (parts.ROOT / "example_project/config/crd/bases/backups.yaml").read_text(encoding="utf-8")
SAMPLE: Final = """\
apiVersion: storage.example.com/v1
kind: Backup
metadata:
  name: nightly
spec:
  schedule: "@daily"
  compression: none
"""
# Prints the same as the real kustomize for a folder with a list of files and no patch.
KUSTOMIZE: Final = '#!/bin/sh\n[ "$1" = build ] && exec cat "$2"/bases/*.yaml\n'
pytestmark = pytest.mark.session


def _page(name: str) -> str:
    return (parts.DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def _shared_modules() -> None:
    """Import modules that the pages share with their sessions, which takes too long for each worker that only collects the tests."""
    for name in ("kopf", "pydantic"):
        importlib.import_module(name)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project, which is the current folder."""
    monkeypatch.chdir(pytester.path)
    return sessions.Project(pytester.path)


def test_the_tutorial_first_case_works_as_shown(project: Project) -> None:
    assert running.run(_page("tutorials/first-case"), project) == 3


@pytest.mark.long
def test_the_tutorial_ci_for_a_go_operator_works_as_shown(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("config/crd/bases/backups.yaml", CRD)
    project.write("config/samples/backup.yaml", SAMPLE)
    (project.path / ".github").mkdir()
    commit(project.path, tag="v1.0.0")
    project.write("bin/kustomize", KUSTOMIZE).chmod(0o755)
    monkeypatch.setenv("PATH", f"{project.path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    assert running.run(_page("tutorials/ci-for-a-go-operator"), project) == 7


@pytest.mark.parametrize("job", [initproposals._GITHUB_JOB, initproposals._GITLAB_JOB], ids=["GitHub", "GitLab"])
def test_the_page_shows_the_ci_jobs_that_init_writes(job: str) -> None:
    texts = [block.text for block in markdown.blocks(_page("tutorials/ci-for-a-go-operator")) if block.kind == "yaml"]

    assert job.replace("BRANCH", '"main"') in texts


def test_the_tutorial_ci_for_a_python_operator_works_as_shown(project: Project) -> None:
    project.write("crds/backups.yaml", CRD)
    project.write("samples/backup.yaml", SAMPLE)
    project.path.joinpath("tests").mkdir()
    page = _page("tutorials/ci-for-a-python-operator")

    assert running.run(page, project) == 3
    (job,) = (yaml.safe_load(block.text) for block in markdown.blocks(page) if block.kind == "yaml")
    assert job["jobs"]["test"]["steps"][0]["with"] == {"fetch-depth": 0}


def test_the_tutorial_about_pydantic_models_works_as_shown(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(draws, "_EXAMPLES", 2)

    crd, divider, parity = _page("tutorials/kopf-with-pydantic").partition("## A test that both agree")

    assert running.run(crd, project) == 1
    for name in ("myop", "myop.models"):
        del sys.modules[name]  # a command of a user ends with its process
    assert running.run(divider + parity, project) == 3


def test_the_tutorial_about_conversion_works_as_shown(project: Project) -> None:
    page = _page("tutorials/conversion-webhook")

    assert running.run(page, project) == 3
    assert markdown.blocks(page)[-1].text in project.read("tests/test_conversion.crd.yaml")


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs")
def test_the_readme_shows_real_output_for_keda(project: Project) -> None:
    folder = "kedacore+keda"
    for kind, name in (
        ("crds", "config/crd/bases/keda.sh_scaledjobs.yaml"),
        ("samples", "config/samples/keda_v1alpha1_scaledjob.yaml"),
    ):
        project.write(name, (Path(CORPUS) / kind / folder / name.replace("/", "__")).read_text(encoding="utf-8"))
    readme = (parts.ROOT / "README.md").read_text(encoding="utf-8")
    (output,) = (block.text for block in markdown.blocks(readme) if not block.kind)

    assert output in project.run("--crd-checks").stdout.str()
