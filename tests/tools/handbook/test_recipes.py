"""The recipes run: each case passes, fails without the part of the CRD that it is about, and each command prints the shown output."""

from __future__ import annotations

import os
import re
from typing import Final

import pydantic  # noqa: F401 - the page shares it with its sessions
import pytest
import yaml
from handbook import markdown, parts, running, sitesearch
from support import sessions
from support.sessions import Project

from pytest_crd.classes import draws

SHOPS: Final = "crds/shops.yaml"
PAGE: Final = (parts.DOCS / "how-to/recipes.md").read_text(encoding="utf-8")
(CRD,) = (block.text for block in markdown.blocks(PAGE) if (block.kind, block.title) == ("yaml", SHOPS))
INDEX: Final = re.findall(r"^\| (.+) \| \[(.+)\]\(#.+\) \|$", PAGE, re.MULTILINE)
RECIPES: Final = {title: markdown.section(PAGE, title) for _, title in INDEX}
LIST_MAP: Final = "                x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [name]\n"
# A part of the CRD, or of a file of the recipe, for each recipe with cases, and its replacement, with which a case of the recipe fails.
CHANGES: Final = {
    "Test that a field is immutable": ("rule: self == oldSelf", "rule: 'true'"),
    "Test that a field is required": ("required: [region]", "required: []"),
    "Test a default": ("default: 1", "default: 2"),
    "Test an enum": ("enum: [eu, us]", "enum: [eu]"),
    "Test a minimum and a maximum": ("maximum: 9", "maximum: 10"),
    "Test a pattern": ("'^[a-z][a-z0-9-]*$'", "'^[A-Za-z0-9-]*$'"),
    "Test a CEL rule over two fields": ("self.replicas <= self.maxReplicas", "true"),
    "Test that list items are unique": (LIST_MAP, ""),
    "Test that a misspelt field is dropped": (
        "tags: {type: array",
        "hots: {type: string}\n              tags: {type: array",
    ),
    "Test a null": ("note: {type: string, nullable: true}", "note: {type: string}"),
    "Test the status subresource": ("      status: {}\n", ""),
    "Test kubectl scale": (".spec.replicas,", ".spec.maxReplicas,"),
    "Test a conflict of server-side apply": (LIST_MAP, ""),
    "Test that old objects stay valid after a stricter schema": ("- rule: self == oldSelf", "- rule: self != 'asia'"),
    "Find out why a default is not applied": ("backup: {type: object,", "backup: {type: object, default: {},"),
    "Test that the metadata of a template stays": (
        "metadata: {type: object}",
        "metadata: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    ),
    "Find out why a rule fails with no such key": (
        "- rule: self.image != ''",
        "- rule: '!has(self.image) || size(self.image) > 0'",
    ),
    "Test a field selector": ("    selectableFields:\n    - {jsonPath: .spec.region}\n", ""),
    "Test that an operator may set blockOwnerDeletion": ("shops/finalizers", "shops/status"),
    "Test that a manifest is stored as it is in git": ("host: {type: string,", "host: {type: string, default: a,"),
    "Test that a pydantic model and a CRD agree": ("maximum: 9", "maximum: 10"),
    "Test a Python operator against an API server, without a cluster": ("default: 1", "default: 2"),
}
pytestmark = pytest.mark.session


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with the CRD of the page, which is the current folder."""
    monkeypatch.chdir(pytester.path)
    project = sessions.Project(pytester.path)
    project.write(SHOPS, CRD)
    monkeypatch.setattr(draws, "_EXAMPLES", 2)
    return project


def test_the_page_has_twenty_nine_recipes_and_an_index_of_all() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)

    assert headings == [*RECIPES, "The CRD of this page"]
    assert len(RECIPES) == 29
    assert {title for title, text in RECIPES.items() if "test_" in text} == {*CHANGES}
    assert all(markdown.blocks(section) for section in RECIPES.values())


def test_the_site_is_searched_with_the_words_of_the_index() -> None:
    words = [word for listed, _ in INDEX for word in listed.split(", ")]

    assert {query for query, page in sitesearch.QUERIES.items() if page == sitesearch.RECIPES} == {*words}
    assert len(words) > 50


def changed(title: str) -> tuple[str, str]:
    """Return the name and the changed text of the file of a recipe, or of the page, with the change of the recipe."""
    old, new = CHANGES[title]
    files = {SHOPS: CRD} | {block.title: block.text for block in markdown.blocks(RECIPES[title])}
    ((name, text),) = ((name, text) for name, text in files.items() if name.endswith(".yaml") and old in text)
    assert text.count(old) == 1
    return name, text.replace(old, new)


CASE_FILES: Final = {
    title: block
    for title, text in RECIPES.items()
    for block in markdown.blocks(text)
    if block.title.endswith(".crd.yaml") and title in CHANGES
}


def test_the_cases_of_recipes_pass_and_notice_a_change(project: Project) -> None:
    for title in CASE_FILES:
        running.run(RECIPES[title], project)
    assert set(project.run("-p", "no:cacheprovider").parseoutcomes()) == {"passed"}

    for number, (title, block) in enumerate(CASE_FILES.items()):
        name, text = changed(title)
        assert name == SHOPS
        assert "crd: Shop\n" in block.text
        project.write(f"changed/{number}.yaml", text)
        project.write(block.title, block.text.replace("crd: Shop\n", f"crd: changed/{number}.yaml\n"))
    result = project.run("-p", "no:cacheprovider", "--crd-path", "changed")
    assert "errors" not in result.parseoutcomes()
    for title, block in CASE_FILES.items():
        assert any(line.startswith(f"FAILED {block.title}::") for line in result.outlines), title


@pytest.mark.parametrize("title", [title for title in CHANGES if title not in CASE_FILES])
def test_the_tests_of_a_recipe_pass_and_notice_a_change(title: str, project: Project) -> None:
    running.run(RECIPES[title], project)
    result = project.run("-p", "no:cacheprovider")
    assert set(result.parseoutcomes()) == {"passed"}

    project.write(*changed(title))
    assert project.run("-p", "no:cacheprovider").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("title", [title for title, text in RECIPES.items() if "```console" in text])
def test_the_commands_of_a_recipe_print_what_is_shown(title: str, project: Project) -> None:
    assert running.run(RECIPES[title], project) >= 1


def test_the_crds_of_controller_gen_are_those_of_the_moment(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    running.run(RECIPES["Test CRDs of controller-gen before they are committed"], project)
    project.write("generated.yaml", CRD.replace("default: 1", "default: 2"))
    project.write(
        "bin/controller-gen", '#!/bin/sh\n[ "$*" = "crd paths=./... output:crd:stdout" ] && cat generated.yaml\n'
    ).chmod(0o755)
    monkeypatch.setenv("PATH", f"{project.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    project.write(
        "test_a.crd.yaml",
        "crd: Shop\ncreate:\n- {name: a, input: {spec: {region: eu}}, contains: {spec: {replicas: 2}}}\n",
    )
    project.path.joinpath("crds/shops.yaml").unlink()

    project.run().assert_outcomes(passed=1)


def test_the_job_for_gitlab_writes_the_reports_that_it_hands_over(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = markdown.blocks(RECIPES["Show results in GitLab with JUnit"])
    job = yaml.safe_load(block.text)["crds"]
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)

    install, test = job["script"]
    assert install == "pip install pytest-crd"
    running.run(f"```console\n$ {test}\n```\n", project)

    assert [name for name in job["artifacts"]["reports"].values() if not (project.path / name).is_file()] == []
