"""Failures in blocks: upgrades, checks, cases, other tests, and one block for each cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
import yaml
from _pytest._io import TerminalWriter  # nothing public
from support.sessions import GARDEN, Folder

from pytest_crd.plugin.items.failures import FailureText

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
    """A refusal by another keyword than the changed one, and a wrong value without a new default, keep their blocks."""
    stricter.cases(MANY + "- {name: rows-0, input: {spec: {rows: 0}}, accepted: true}\n")
    ponds = GARDEN.replace("gardens", "ponds").replace("garden,", "pond,").replace("Garden", "Pond")
    for folder, default in (("old", 3), ("config/crd/bases", 4)):
        stricter.write(f"{folder}/ponds.yaml", ponds.replace("maximum: 10", f"maximum: 10, default: {default}"))
    stricter.cases(
        """
        crd: ponds.stories.example.com
        create:
        - {name: default, input: {spec: {}}, contains: {spec: {rows: 3}}}
        - {name: value, input: {spec: {rows: 5}}, contains: {spec: {rows: 6}}}
        """,
        "test_pond.crd.yaml",
    )

    result = stricter.run("--crd-checks", "--crd-baseline=old", "-p", "no:cacheprovider", "-k", "not applies")

    result.assert_outcomes(failed=13, passed=8, deselected=6)
    upgrades = [f"upgrade[{name}.stories.example.com]" for name in ("gardens", "ponds")]
    assert _titles(result) == [*upgrades, "rows-0", "value", "test_it"]
    assert [line for line in result.outlines if line.startswith("the same cause")] == [
        (
            "the same cause fails 4 checks in config/samples/a.yaml, config/samples/b.yaml, config/samples/c.yaml and 1 more file, "
            "and 3 cases in test_garden.crd.yaml; -v shows them"
        ),
        "the same cause fails 1 case in test_pond.crd.yaml; -v shows them",
    ]
    assert len([line for line in result.outlines if line.startswith("FAILED")]) == 5


def test_with_v_each_failure_has_a_block(stricter: Project) -> None:
    assert _titles(stricter.run("-v")) == ["rows-7", "rows-8", "rows-9", "test_it"]


@pytest.mark.parametrize("style", ["no", "line"])
def test_each_failure_is_listed_where_no_block_counts_it(stricter: Project, style: str) -> None:
    result = stricter.run(f"--tb={style}")

    result.assert_outcomes(failed=4)
    assert len([line for line in result.outlines if line.startswith("FAILED")]) == 4


SPEC: Final = """
type: object
x-kubernetes-validations:
- {rule: '!has(self.rows) || self.rows != 3', message: a}
- {rule: '!has(self.rows) || self.rows != 4', message: b}
properties: {rows: {type: integer, minimum: 0, maximum: 10}}
"""
HEAD: Final = "crd: {}s.stories.example.com\n"
WORDS: Final = "spec.rows in body should be less than or equal to"
WRONG: Final = "{input: {spec: {rows: 1}}, expected: {spec: {rows: 2}}}"
# Sends each report through JSON, as pytest-xdist does.
TRANSPORT: Final = """\
import json
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item):
    report = yield
    hook, config = item.config.hook, item.config
    sent = json.dumps(hook.pytest_report_to_serializable(config=config, report=report))
    return hook.pytest_report_from_serializable(config=config, data=json.loads(sent))
"""
# The cases of a file, and those with a block.
CASES: Final = {
    "another cause": (HEAD.format("garden") + MANY.partition("\n")[2].replace("rows: 9}", "rows: 9, size: many}"), ["rows-7", "rows-9"]),
    "keywords and rules on one line": (
        HEAD.format("pond") + "create:\n" + "".join(
            f"- {{name: rows {rows}, input: {{spec: {{rows: {rows}}}}}, accepted: true}}\n" for rows in (-1, -2, 11, 12, 3, 4)
        ),
        ["rows -1", "rows 11", "rows 3", "rows 4"],
    ),
    "an old number": (
        f"""\
{HEAD.format("hedge")}create:
- {{name: refused, input: {{spec: {{rows: 7}}}}, accepted: true}}
- {{name: old number, input: {{spec: {{rows: 11}}}}, errors: [{{field: spec.rows, detail: {WORDS} 10}}]}}
- {{name: misspelt, input: {{spec: {{rows: 12}}}}, errors: [{{field: spec.rows, detail: {WORDS.upper()} 5}}]}}
- {{name: other field, input: {{spec: {{rows: 13}}}}, errors: [{{field: spec.row, type: Invalid}}]}}
""",
        ["refused", "misspelt", "other field"],
    ),
    "no origin": (
        f"{HEAD.format('garden')}defaulting:\n- {{name: a, {WRONG[1:]}\n- {{name: b, {WRONG[1:]}\n",
        ["a", "b"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of cases of three CRDs, sent as from a worker."""
    folder = Folder(tmp_path_factory.mktemp("blocks"))
    folder.write("config/crd/bases/gardens.yaml", GARDEN.replace("maximum: 10", "maximum: 5"))
    folder.crd("config/crd/bases/hedges.yaml", plural="hedges", kind="Hedge")
    folder.write(
        "config/crd/bases/hedges.yaml", folder.read("config/crd/bases/hedges.yaml").replace("maximum: 10", "maximum: 5")
    )
    manifest = yaml.safe_load(GARDEN.replace("gardens", "ponds").replace("Garden", "Pond"))
    manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = yaml.safe_load(SPEC)
    folder.write("config/crd/bases/ponds.yaml", json.dumps(manifest))
    folder.write("conftest.py", TRANSPORT)
    for name, (cases, _) in CASES.items():
        folder.cases(cases, f"{name.replace(' ', '_')}/test_it.crd.yaml")
    return folder.run()


@pytest.mark.parametrize("name", CASES)
def test_a_failure_with_another_cause_keeps_its_block(blocks: pytest.RunResult, name: str) -> None:
    """Keywords and rules on one line are different causes; a wrong expectation is one unless only its number is old."""
    titles, names = _titles(blocks), CASES[name][1]
    start = titles.index(names[0])

    assert titles[start : start + len(names)] == names
    assert len(titles) == sum(len(names) for _, names in CASES.values())


def test_reports_from_workers_have_their_causes(blocks: pytest.RunResult) -> None:
    blocks.stdout.fnmatch_lines(["the same cause fails 1 case in another_cause/test_it.crd.yaml; -v shows them"])


@pytest.mark.slow
def test_workers_send_the_causes_along(stricter: Project) -> None:
    result = stricter.run("-n1", "-p", "xdist", "-p", "pytest_crd.plugin")

    assert _titles(result) == ["rows-7", "test_it"]
    result.stdout.fnmatch_lines(["the same cause fails 2 cases in test_garden.crd.yaml; -v shows them"])


def test_a_failure_of_a_whole_file_has_no_line_number(capsys: pytest.CaptureFixture[str]) -> None:
    text = FailureText(plain="", coloured="", path="a.yaml", line=0, summary="it is wrong\nhere")

    assert text.reprcrash
    text.reprcrash.toterminal(TerminalWriter())

    assert capsys.readouterr().out == "a.yaml: it is wrong\n"
