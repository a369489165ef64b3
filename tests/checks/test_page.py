"""The page of checks and lints has each that there is, as it is called, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from handbook import markdown
from support.sessions import GARDEN

from pytest_crd.checks.lints import LINTS
from pytest_crd.report.verdictrules import RULES

if TYPE_CHECKING:
    from support.sessions import Project

PAGE: Final = (Path(__file__).parents[2] / "docs/reference/checks-and-lints.md").read_text(encoding="utf-8")
RULED: Final = GARDEN.replace(
    "          spec:\n", "          spec:\n            x-kubernetes-validations: [{rule: 'true'}]\n"
)
OTHER: Final = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
POLICY: Final = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: rose}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [gardens]}]
  validations: [{expression: "true"}]
"""
SAMPLE: Final = "{apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: rose}}\n"


def _named(heading: str) -> list[str]:
    return re.findall(r"^\| `(.+?)` \|", markdown.section(PAGE, heading), re.MULTILINE)


def _rules(prefix: str) -> list[str]:
    """Return the kinds in the table of rules, which another test compares with the code."""
    return [name.partition("/")[2] for name in RULES if name.startswith(f"{prefix}/")]


def test_the_page_has_every_check_and_no_other() -> None:
    assert {name.partition("[")[0] for name in _named("Checks")} == {*_rules("check")}


def test_the_page_has_every_lint_once_and_no_other() -> None:
    assert sorted(_named("Lints")) == sorted(LINTS) == sorted(_rules("lint"))


def test_checks_are_called_as_the_page_has_it(project: Project) -> None:
    project.write("config/crd/bases/gardens.yaml", RULED + OTHER)
    project.write("charts/garden/crds/gardens.yaml", RULED + OTHER)
    project.write("config/samples/rose.yaml", SAMPLE)
    project.write("config/policies/rose.yaml", POLICY)
    project.ini("crd_lints = ssatags", "crd_policies = config/policies")

    result = project.run("--crd-checks", "--collect-only", "-q")

    words = {
        "gardens.stories.example.com": "CRD",
        "v1": "VERSION",
        "v2": "VERSION",
        "ssatags": "LINT",
        "ValidatingAdmissionPolicy": "KIND",
        "Garden": "KIND",
        "rose": "NAME",
    }
    called = re.findall(r"^.+::(.+\])$", result.stdout.str(), re.MULTILINE)
    assert {re.sub("|".join(words), lambda found: words[found[0]], name) for name in called} == {*_named("Checks")}
