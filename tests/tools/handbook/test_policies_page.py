"""Files and commands of the page about admission policies."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

import pytest
from handbook import markdown, parts

from pytest_crd import __main__ as program

if TYPE_CHECKING:
    from support.sessions import Project

PAGE: Final = (parts.DOCS / "how-to/test-admission-policies.md").read_text(encoding="utf-8")
BLOCKS: Final = list(markdown.blocks(PAGE))
FILES: Final = {block.title: block.text for block in BLOCKS if block.title}
CASES: Final = "tests/test_few_replicas.crd.yaml"


@pytest.fixture
def policies(project: Project) -> Project:
    """A project with the files of the page."""
    for name, text in FILES.items():
        project.write(name, text)
    (settings,) = (block.text for block in BLOCKS if block.kind == "ini")
    project.write("pytest.ini", settings)
    return project


@pytest.mark.session
def test_the_cases_of_the_page_hold(policies: Project) -> None:
    policies.run().assert_outcomes(passed=5)


@pytest.mark.session
def test_the_commands_of_the_page_print_its_lines(policies: Project) -> None:
    head, deployment = FILES[CASES].split("cases:")[0], "  input: *deployment\n  patch: {spec: {replicas: 6}}\n"
    text = head.replace(", namespace: shop", "")
    unmatched = f"- name: six replicas are denied\n{deployment}  denied: [{{by: few-replicas}}]\n"
    wrong = f"- name: six replicas are allowed\n  namespaceObject: *production\n{deployment}  accepted: true\n"
    policies.cases(f"{text}cases:\n{unmatched}", "tests/test_unmatched.crd.yaml")
    policies.cases(f"{text}cases:\n{wrong}", "tests/test_wrong.crd.yaml")
    consoles = [
        block.text.splitlines()
        for block in BLOCKS
        if block.kind == "console" and block.text.startswith("$ pytest tests/")
    ]

    for command, *lines in (console for console in consoles if "pytest-crd" not in console[0]):
        printed = [_without_line(line) for line in policies.run(command.split()[-1]).outlines]
        assert [line for line in map(_without_line, lines) if line != "…" and line not in printed] == []


@pytest.mark.session
def test_the_expression_of_the_page_has_its_value(
    policies: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = (block for block in BLOCKS if block.kind == "console" and "pytest-crd cel" in block.text)
    command, output = block.text.split("\n", 1)
    policies.write("web.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 6}}")
    policies.write("limits.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: '5'}}")
    monkeypatch.chdir(policies.path)
    assert program.main(shlex.split(command)[2:]) == 1
    assert capsys.readouterr().out == f"{output.rstrip()}\n"


def _without_line(text: str) -> str:
    """Return a line of output without its line number: the page leaves out the head of the case file."""
    name, colon, rest = text.partition(".crd.yaml:")
    return f"{name}{colon}{rest.lstrip('0123456789')}"
