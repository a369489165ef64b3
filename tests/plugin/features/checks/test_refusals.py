"""One failure for a CRD that a server refuses: checks, samples and upgrades with its cause are skipped."""

from __future__ import annotations

import pytest
from support.sessions import GARDEN, Project

pytestmark = pytest.mark.session
FILE = "config/crd/bases/gardens.yaml"
RULES = "note: {type: string, x-kubernetes-validations: [{rule: self.a}, {rule: 'true', messageExpression: '1'}]}"
# The CRDs of a project, and the change of each: no type, rules that do not compile, and an unknown field.
CHANGES = {
    "gardens": ("note: {type: string}", "note: {}"),
    "ponds": ("note: {type: string}", RULES),
    "hedges": ("note: {type: string}", "note: {patern: a}"),
}


# The checks that would fail for the same reason.
SKIPPED = {"gardens": ("structural*",), "ponds": ("rules*",)}


def _lay_out(project: Project, *plurals: str) -> None:
    """Write CRDs before and after their changes."""
    project.ini("crd_paths = config")
    for plural in plurals:
        singular, (old, new) = plural[:-1], CHANGES[plural]
        text = GARDEN.replace("gardens", plural).replace("garden,", f"{singular},")
        text = text.replace("Garden", singular.capitalize())
        project.write(f"before/{plural}.yaml", text)
        project.write(f"config/crd/bases/{plural}.yaml", text.replace(old, new))


def test_one_cause_of_a_refusal_is_one_failure(empty: Project) -> None:
    """Errors that the first check does not list fail the others."""
    _lay_out(empty, *CHANGES)
    for kind in ("Garden", "Pond"):
        sample = f"apiVersion: stories.example.com/v1\nkind: {kind}\nmetadata: {{name: a}}\n"
        empty.write(f"config/samples/{kind.lower()}.yaml", sample)

    result = empty.run("--crd-checks", "--crd-baseline", "before", "-k", "not applies", "-v", "-rs")

    for plural, names in SKIPPED.items():
        result.stdout.fnmatch_lines([f"config/crd/bases/{plural}.yaml::accepted* FAILED *"])
        for name in (*names, "conditions*", "upgrade*"):
            result.stdout.fnmatch_lines([f"config/crd/bases/{plural}.yaml::{name} SKIPPED *"])
        kind = plural[:-1].capitalize()
        result.stdout.fnmatch_lines([f"*::samples[[]{kind}/a[]] SKIPPED *"])
        reason = f"the server refuses the CRD, as accepted[[]{plural}.stories.example.com[]] says"
        result.stdout.fnmatch_lines([f"SKIPPED [[]4] *: not judged: {reason}"])
    result.stdout.fnmatch_lines(["*ponds.yaml::structural* PASSED *", "*ponds.yaml::published* PASSED *"])
    for name in ("accepted*", "structural*", "conditions*", "upgrade*"):
        result.stdout.fnmatch_lines([f"*hedges.yaml::{name} FAILED *"])


FIRST = ("accepted gardens.stories.example.com: x", "accepted ponds.stories.example.com: x")
STORED = ("gardens.stories.example.com", "ponds.stories.example.com")
# An upgrade to a rule that no object satisfies searches for long if its CRD counts as stored.
SEARCHING = "(upgrade and ponds)"


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ((), "accepted"),
        (tuple(word for line in FIRST for word in ("--crd-checks-allow", line)), ""),
        (tuple(word for name in STORED for word in ("--crd-stored", name)), SEARCHING),
    ],
    ids=["not selected", "allowed", "stored"],
)
def test_each_check_of_a_refused_crd_fails_without_the_first(
    empty: Project, options: tuple[str, ...], left_out: str
) -> None:
    _lay_out(empty, "gardens", "ponds")
    selected = f"not ({' or '.join(filter(None, ('applies', 'published', left_out)))})"

    result = empty.run("--crd-checks", "--crd-baseline", "before", "-v", "-k", selected, *options)

    for name in ("structural[[]gardens*", "conditions[[]gardens*", "upgrade[[]gardens*"):
        result.stdout.fnmatch_lines([f"*gardens.yaml::{name} FAILED *"])
    for name in ("rules[[]ponds*", "conditions[[]ponds*", *([] if left_out == SEARCHING else ["upgrade[[]ponds*"])):
        result.stdout.fnmatch_lines([f"*ponds.yaml::{name} FAILED *"])


def test_rules_that_are_too_costly_for_the_setting_alone_fail(project: Project) -> None:
    rules = RULES.replace("[{rule: self.a}", "[{rule: self.a}, {rule: self.size() < 9}")
    project.write(FILE, GARDEN.replace("note: {type: string}", rules))

    result = project.run("--crd-checks", "--crd-rule-budget", "0.00001%", "-v", "-k", "accepted or rules")

    result.stdout.fnmatch_lines(["*::rules* FAILED *"])
