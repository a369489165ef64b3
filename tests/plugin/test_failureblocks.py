"""Failures in blocks: upgrades, checks, cases, other tests, and one block for each cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

MANY: Final = "crd: gardens.stories.example.com\ncreate:\n" + "".join(
    f"- {{name: rows-{rows}, input: {{spec: {{rows: {rows}}}}}, accepted: true}}\n" for rows in (7, 8, 9)
)
SAMPLE: Final = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: NAME}\nspec: {rows: 9}\n"


@pytest.fixture
def stricter(project: Project) -> Project:
    """Return a project whose CRD takes fewer rows than the last release, with cases, samples and a Python test that fail."""
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
