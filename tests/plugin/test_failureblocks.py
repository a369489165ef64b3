"""Failures in blocks: upgrades, checks, cases, other tests, and one block for each cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
import yaml

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

MANY: Final = "crd: gardens.stories.example.com\ncreate:\n" + "".join(
    f"- {{name: rows-{rows}, input: {{spec: {{rows: {rows}}}}}, accepted: true}}\n" for rows in (7, 8, 9)
)
SAMPLE: Final = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: NAME}\nspec: {rows: 9}\n"


@pytest.fixture
def stricter(project: Project) -> Project:
    """Return a project with a lower limit of rows than its last release, and with cases, samples and a Python test that fail."""
    crd = project.crd("old/gardens.yaml").read_text(encoding="utf-8")
    project.write("config/crd/bases/gardens.yaml", crd.replace("maximum: 10", "maximum: 5"))
    project.ini()
    project.cases(MANY)
    for name in "abcd":
        project.write(f"config/samples/{name}.yaml", SAMPLE.replace("NAME", name))
    project.write("test_a.py", "def test_it():\n    assert 0\n")
    return project


def _titles(result: pytest.RunResult) -> list[str]:
    return [line.strip("_ ") for line in result.outlines if line.startswith("___")]


def test_upgrades_come_first_and_one_cause_is_one_block(stricter: Project) -> None:
    result = stricter.run("--crd-checks", "--crd-baseline=old", "-p", "no:cacheprovider")

    result.assert_outcomes(failed=9, passed=5, skipped=4)
    assert _titles(result) == ["upgrade[gardens.stories.example.com]", "test_it"]
    (line,) = (line for line in result.outlines if line.startswith("the same cause"))
    assert line == (
        "the same cause fails 4 checks in config/samples/a.yaml, config/samples/b.yaml, config/samples/c.yaml and 1 more file, "
        "and 3 cases in test_garden.crd.yaml; -v shows them"
    )
    assert len([line for line in result.outlines if line.startswith("FAILED")]) == 2


def test_with_v_each_failure_has_a_block(stricter: Project) -> None:
    titles = _titles(stricter.run("--crd-checks", "--crd-baseline=old", "-v"))

    assert len(titles) == 9
    assert [title.partition("[")[0] for title in titles[:5]] == ["upgrade", *["samples"] * 4]
    assert titles[-1] == "test_it"


def test_a_failure_with_another_cause_keeps_its_block(stricter: Project) -> None:
    stricter.cases(MANY.replace("{rows: 9}}", "{rows: 9, size: many}}"))

    result = stricter.run()

    assert _titles(result) == ["rows-7", "rows-9", "test_it"]
    result.stdout.fnmatch_lines(["the same cause fails 1 case in test_garden.crd.yaml; -v shows them"])


@pytest.mark.parametrize(
    ("cases", "titles"),
    [
        ("rows: -1, rows: -2, rows: 11, rows: 12", ["a", "c"]),
        ("rows: 3, rows: 4", ["a", "b"]),
    ],
    ids=["limits", "rules"],
)
def test_keywords_and_rules_on_one_line_are_different_causes(project: Project, cases: str, titles: list[str]) -> None:
    rules = "[{rule: '!has(self.rows) || self.rows != 3', message: a}, {rule: '!has(self.rows) || self.rows != 4', message: b}]"
    rows = "{type: integer, minimum: 0, maximum: 10}"
    path = project.crd("config/crd/bases/gardens.yaml")
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = yaml.safe_load(
        f"{{type: object, x-kubernetes-validations: {rules}, properties: {{rows: {rows}}}}}"
    )
    path.write_text(json.dumps(manifest), encoding="utf-8")
    project.ini()
    project.cases(
        "crd: gardens.stories.example.com\ncreate:\n"
        + "".join(
            f"- {{name: {name}, input: {{spec: {{{spec}}}}}, accepted: true}}\n"
            for name, spec in zip("abcd", cases.split(", "), strict=False)
        )
    )

    assert _titles(project.run()) == titles


def test_a_wrong_expectation_has_a_block_unless_only_its_number_is_old(stricter: Project) -> None:
    words = "spec.rows in body should be less than or equal to"
    stricter.cases(
        f"""
        crd: gardens.stories.example.com
        create:
        - {{name: refused, input: {{spec: {{rows: 7}}}}, accepted: true}}
        - {{name: old number, input: {{spec: {{rows: 11}}}}, errors: [{{field: spec.rows, detail: {words} 10}}]}}
        - {{name: misspelt, input: {{spec: {{rows: 12}}}}, errors: [{{field: spec.rows, detail: {words.upper()} 5}}]}}
        - {{name: other field, input: {{spec: {{rows: 13}}}}, errors: [{{field: spec.row, type: Invalid}}]}}
        """
    )

    assert _titles(stricter.run()) == ["refused", "misspelt", "other field", "test_it"]


def test_a_refusal_by_another_keyword_than_the_changed_one_keeps_its_block(stricter: Project) -> None:
    stricter.cases(MANY.replace("rows: 9}}", "rows: 0}}"))

    result = stricter.run("--crd-baseline=old", "--crd-checks")

    assert _titles(result) == ["upgrade[gardens.stories.example.com]", "rows-9", "test_it"]


def test_a_wrong_value_of_the_input_is_not_caused_by_a_new_default(project: Project) -> None:
    crd = project.crd("old/gardens.yaml").read_text(encoding="utf-8")
    for name, default in (("old", 3), ("config/crd/bases", 4)):
        project.write(f"{name}/gardens.yaml", crd.replace("maximum: 10", f"maximum: 10, default: {default}"))
    project.ini()
    project.cases(
        """
        crd: gardens.stories.example.com
        create:
        - {name: default, input: {spec: {}}, contains: {spec: {rows: 3}}}
        - {name: value, input: {spec: {rows: 5}}, contains: {spec: {rows: 6}}}
        """
    )

    assert _titles(project.run("--crd-baseline=old", "--crd-checks")) == [
        "upgrade[gardens.stories.example.com]",
        "value",
    ]


@pytest.mark.parametrize("style", ["no", "line"])
def test_each_failure_is_listed_where_no_block_counts_it(stricter: Project, style: str) -> None:
    result = stricter.run(f"--tb={style}")

    result.assert_outcomes(failed=4)
    assert len([line for line in result.outlines if line.startswith("FAILED")]) == 4


def test_failures_without_an_origin_in_a_crd_keep_their_blocks(project: Project) -> None:
    wrong = "{input: {spec: {rows: 1}}, expected: {spec: {rows: 2}}}"
    project.cases(
        f"crd: gardens.stories.example.com\ndefaulting:\n- {{name: a, {wrong[1:]}\n- {{name: b, {wrong[1:]}\n"
    )

    assert _titles(project.run()) == ["a", "b"]


def test_workers_send_the_causes_along(stricter: Project) -> None:
    result = stricter.run("-n1", "-p", "xdist", "-p", "pytest_crd.plugin")

    assert _titles(result) == ["rows-7", "test_it"]
    result.stdout.fnmatch_lines(["the same cause fails 2 cases in test_garden.crd.yaml; -v shows them"])
