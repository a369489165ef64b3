"""One failure for a CRD that a server refuses: checks, samples and upgrades with its cause are skipped."""

from __future__ import annotations

import pytest
from support.sessions import Project

pytestmark = pytest.mark.session
FILE = "config/crd/bases/gardens.yaml"
RULES = "note: {type: string, x-kubernetes-validations: [{rule: self.a}, {rule: 'true', messageExpression: '1'}]}"
REFUSALS = [
    pytest.param("note: {type: string}", "note: {}", ["structural*", "conditions*"], id="not structural"),
    pytest.param("note: {type: string}", RULES, ["rules*", "conditions*"], id="rules"),
]


def _change(project: Project, old: str, new: str) -> None:
    text = project.read(FILE)
    assert old in text
    project.write(FILE, text.replace(old, new))


@pytest.mark.parametrize(("old", "new", "names"), REFUSALS)
def test_one_cause_of_a_refusal_is_one_failure(project: Project, old: str, new: str, names: list[str]) -> None:
    project.write("before/gardens.yaml", project.read(FILE))
    project.ini("crd_paths = config")
    _change(project, old, new)
    project.write("config/samples/a.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\n")

    result = project.run("--crd-checks", "--crd-baseline", "before", "-k", "not applies", "-v", "-rs")

    reason = "the server refuses the CRD, as accepted[[]gardens.stories.example.com[]] says"
    is_structural = "rules" in names[0]
    result.assert_outcomes(failed=1, skipped=len(names) + 3 - is_structural, passed=2 * is_structural, deselected=2)
    for name in (*names, "samples[[]Garden/a[]]", "upgrade*"):
        result.stdout.fnmatch_lines([f"*::{name} SKIPPED *"])
    result.stdout.fnmatch_lines([f"SKIPPED [[]{len(names) + 2}] *: not judged: {reason}"])


@pytest.mark.parametrize(
    "options",
    [
        ("-k", "not accepted"),
        (
            "--crd-checks-allow",
            "accepted gardens.stories.example.com: x",
            "--crd-checks-allow",
            "accepted ponds.stories.example.com: x",
        ),
        ("--crd-stored", "gardens.stories.example.com", "--crd-stored", "ponds.stories.example.com"),
    ],
)
def test_each_check_of_a_refused_crd_fails_without_the_first(project: Project, options: tuple[str, ...]) -> None:
    ponds = project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond").read_text(encoding="utf-8")
    ponds = ponds.replace("singular: garden", "singular: pond")
    for name, text in (("gardens", project.read(FILE)), ("ponds", ponds)):
        project.write(f"before/{name}.yaml", text)
    project.ini("crd_paths = config")
    _change(project, "note: {type: string}", "note: {}")
    project.write("config/crd/bases/ponds.yaml", ponds.replace("note: {type: string}", RULES))

    result = project.run("--crd-checks", "--crd-baseline", "before", "-v", *options)

    for name in ("structural[[]gardens*", "conditions[[]gardens*", "upgrade[[]gardens*"):
        result.stdout.fnmatch_lines([f"*gardens.yaml::{name} FAILED *"])
    for name in ("rules[[]ponds*", "conditions[[]ponds*", "upgrade[[]ponds*"):
        result.stdout.fnmatch_lines([f"*ponds.yaml::{name} FAILED *"])


def test_errors_that_the_first_check_does_not_list_fail_others(project: Project) -> None:
    project.write("before/gardens.yaml", project.read(FILE))
    project.ini("crd_paths = config")
    _change(project, "note: {type: string}", "note: {patern: a}")

    result = project.run("--crd-checks", "--crd-baseline", "before", "-v")

    for name in ("accepted*", "structural*", "conditions*", "upgrade*"):
        result.stdout.fnmatch_lines([f"*::{name} FAILED *"])


def test_rules_that_are_too_costly_for_the_setting_alone_fail(project: Project) -> None:
    _change(
        project, "note: {type: string}", RULES.replace("[{rule: self.a}", "[{rule: self.a}, {rule: self.size() < 9}")
    )

    result = project.run("--crd-checks", "--crd-rule-budget", "0.00001%", "-v")

    result.stdout.fnmatch_lines(["*::rules* FAILED *"])
