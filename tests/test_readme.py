"""The README and the pages of docs/ agree with the code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from handbook import markdown
from support import sessions

from pytest_crd import plugin
from pytest_crd.cases import caseformat as case_format
from pytest_crd.cases import casekeys
from pytest_crd.engine import profile
from pytest_crd.plugin.settings.allsettings import SETTINGS
from pytest_crd.plugin.settings.setting import Setting

ROOT: Final = Path(__file__).parents[1]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")


def _page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def _block_text(page: str, kind: str, *, index: int = 0) -> str:
    """Return the text of a block of a page; the first block of its kind by default."""
    return [block.text for block in markdown.blocks(page) if block.kind == kind][index]


def _rows(page: str) -> list[list[str]]:
    """Return the cells of the tables of a page, without the lines that head them."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _first_words(page: str) -> set[str]:
    return {word for row in _rows(page) for word in re.findall(r"`([\w…-]+)", row[0])}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.ini or setting.option)
def test_the_table_has_every_setting_with_its_help(setting: Setting[Any]) -> None:
    ini, option = (f"`{name}`" if name else "" for name in (setting.ini, setting.option))

    assert [ini, option, setting.help] in [
        [cell.replace("\\*", "*") for cell in row] for row in _rows(_page("reference/settings"))
    ]


def test_the_table_has_no_unknown_setting() -> None:
    names = {setting.ini or setting.option for setting in SETTINGS}
    rows = [[cell.strip("`") for cell in row] for row in _rows(_page("reference/settings"))]

    assert {ini or option for ini, option, *_ in rows} - {"ini", "---"} == names


def test_every_fixture_and_marker_is_listed() -> None:
    named = _page("reference/fixtures-and-markers")

    for fixture in ("crds", "crd", "crd_version", "crd_case"):
        assert hasattr(plugin, fixture)
        assert f"| `{fixture}` |" in named
    for marker in plugin.MARKERS:
        assert f"`@pytest.mark.{marker.split('(')[0]}(" in named


def test_every_key_of_a_case_file_is_explained() -> None:
    schema = case_format.schema()
    top_level = set(schema["properties"]) - {"$schema"}

    assert top_level | set(casekeys.CASE_KEYS) <= _first_words(_page("reference/case-file"))


def test_the_known_kubernetes_versions_are_listed() -> None:
    assert f"\n{profile.list_versions()}; " in _page("reference/kubernetes-versions")


def test_shown_failures_are_real_output(pytester: pytest.Pytester) -> None:
    block = _block_text(_page("how-to/read-a-failure"), "console")
    result = _run(pytester, CASES)

    result.stdout.fnmatch_lines(_as_patterns(block))


def _run(pytester: pytest.Pytester, case_file: str, *arguments: str) -> pytest.RunResult:
    """Run cases about the CRD of backups of the example project."""
    backups = ROOT / "example_project/config/crd/bases/backups.yaml"
    (pytester.mkdir("crds") / "backups.yaml").write_text(backups.read_text(encoding="utf-8"), encoding="utf-8")
    if case_file:
        (pytester.path / "test_backup.crd.yaml").write_text(case_file, encoding="utf-8")
    return sessions.Project(pytester.path).run(*arguments)


def _as_patterns(shown: str) -> list[str]:
    expected = [line for line in shown.splitlines() if line and not line.startswith(("$", "=", "_"))]
    return [line.replace("[", "[[]") for line in expected]


def test_the_first_case_fails_as_shown(pytester: pytest.Pytester) -> None:
    case_file = _block_text(README, "yaml")
    block = _block_text(README, "console")

    result = _run(pytester, case_file)

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(_as_patterns(block))


def test_the_example_of_every_section_holds(pytester: pytest.Pytester) -> None:
    case_file = _block_text(_page("reference/case-file"), "yaml")

    _run(pytester, case_file).assert_outcomes(passed=5)


def test_the_crd_built_in_python_is_checked(pytester: pytest.Pytester) -> None:
    block = _block_text(_page("how-to/crds-made-in-python"), "python")
    pytester.makeconftest(block)

    result = sessions.Project(pytester.path).run("--crd-checks")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["crd: 1 CRD, 1 version from conftest.py (pytest_crd_manifests); *"])


def test_cases_are_written_as_shown(pytester: pytest.Pytester) -> None:
    page = _page("how-to/fill-and-update")
    before, after = (_block_text(page, "yaml", index=index) for index in (0, 1))

    result = _run(pytester, before, "--crd-update")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(_as_patterns(_block_text(page, "console")))
    assert (pytester.path / "test_backup.crd.yaml").read_text(encoding="utf-8") == after


def test_generated_cases_are_shown_as_they_are(pytester: pytest.Pytester) -> None:
    page = _page("how-to/generate-cases")
    smallest, _, cases = _block_text(page, "yaml").partition("\n\ncreate:\n# spec.retention\n- ")
    pytester.mkdir("tests")

    result = _run(pytester, "", "--crd-generate", "backups.storage.example.com")

    result.stdout.fnmatch_lines(_as_patterns(_block_text(page, "console")))
    written = (pytester.path / "tests/test_backups.crd.yaml").read_text(encoding="utf-8")
    for part in (smallest, *cases.split("\n- ")):
        assert f"{part.strip()}\n" in written


def test_their_coverage_is_shown_as_it_is(pytester: pytest.Pytester) -> None:
    case_file = _block_text(_page("reference/case-file"), "yaml")
    block = _block_text(_page("how-to/measure-coverage"), "console")
    result = _run(pytester, case_file, "--crd-cov", "--crd-cov-report=term-missing")
    result.stdout.fnmatch_lines([line for line in _as_patterns(block) if line.strip() != "…"])


def test_samples_with_comments_behave_as_described(pytester: pytest.Pytester) -> None:
    block = _block_text(_page("how-to/check-without-cases"), "yaml")
    (pytester.mkdir("samples") / "backup.yaml").write_text(block, encoding="utf-8")

    result = _run(pytester, "", "--crd-checks", "-k", "samples")

    result.assert_outcomes(passed=1, deselected=7)
    result.stdout.fnmatch_lines(["crd: samples/backup.yaml:8: ignored: shows what the next release will take"])


def test_mistakes_of_each_kind_are_shown_as_they_are(pytester: pytest.Pytester) -> None:
    block = _block_text(_page("how-to/check-without-cases"), "console")
    for name, text in MISTAKES.items():
        (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
        (pytester.path / name).write_text(text, encoding="utf-8")
    pytester.makeini("[pytest]\ncrd_lints = ssatags\ncrd_rule_budget = 0.1%\ncrd_checks = false\n")

    result = sessions.Project(pytester.path).run("--crd-checks")

    result.stdout.fnmatch_lines(_as_patterns(block))


HEAD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
"""
MISTAKES = {
    "config/crd/bases/gardens.yaml": f"""\
{HEAD}            properties:
              owner: {{description: who waters it}}
              prefix: {{type: string}}
              prefix: {{type: string}}
""",
    "config/crd/bases/ponds.yaml": HEAD.replace("gardens", "ponds")
    .replace("Garden", "Pond")
    .replace("singular: garden", "singular: pond, shortNames: [garden]")
    + """\
            x-kubernetes-validations:
            - rule: self.fish.all(one, self.fish.exists_one(other, other == one))
              message: no fish twice
            properties:
              depth: {type: integer, minimum: 1, default: 2}
              unit: {type: string, format: metre}
              fish: {type: array, maxItems: 50, items: {type: string, maxLength: 20}}
""",
    "config/samples/pond.yaml": """\
apiVersion: stories.example.com/v1
kind: Pond
metadata: {name: koi}
spec:
  dept: 3
  fish: []
---
apiVersion: stories.example.com/v1
kind: Pond
metadata: {name: carp}
spec:
  depth: 0
  fish: [a, a]
""",
}


def test_an_upgrade_fails_as_shown(pytester: pytest.Pytester) -> None:
    block = _block_text(_page("how-to/guard-upgrades"), "console")
    backups = ROOT / "example_project/config/crd/bases/backups.yaml"
    text = backups.read_text(encoding="utf-8")
    path = pytester.mkdir("crds") / "backups.yaml"
    path.write_text(text, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"], ["tag", "v1"]):
        command = [
            "git",
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.com",
            "-c",
            "commit.gpgsign=false",
            *arguments,
        ]
        subprocess.run(command, cwd=pytester.path, check=True)
    path.write_text(text.replace("enum: [none, gzip, zstd]", "enum: [gzip, zstd]"), encoding="utf-8")

    result = sessions.Project(pytester.path).run("--crd-baseline", "git:v1")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(_as_patterns(block), consecutive=False)


CASES = """\
crd: backups.storage.example.com
version: v1

pruning:
- name: a misspelt field is kept
  input:
    spec: {schedule: "@daily", retentoin: {days: 7}}
  expected:
    spec: {schedule: "@daily", retentoin: {days: 7}}
  pruned: []

defaulting:
- name: only the schedule is stored
  input:
    spec: {schedule: null, volumes: [{name: data}, {name: config}], retention: {days: 7}}
  expected:
    spec:
      schedule: ""
      volumes: [{name: config}]
      parallelism: "1"
      retention: {days: 7}
      compression: zstd
      bandwidth: 10Mi

create:
- name: a nightly backup is stored
  input:
    spec: {retention: {days: 0}, compression: lzma}
  accepted: true
- name: the limits of a backup
  input:
    spec: {schedule: "@daily", retention: {days: 0}, compression: lzma, parallelism: true}
  errors:
  - {field: spec.retention.days, type: Invalid, detail: spec.retention.days in body should be greater than or equal to 7}
  - {field: spec.bandwidth, type: Required}
  - {field: spec.compression, type: NotSupported}
"""


@pytest.mark.session
def test_the_cases_about_appliers_are_run_as_shown(pytester: pytest.Pytester) -> None:
    page = _page("how-to/test-applies")
    cases, output = (block.text for block in markdown.blocks(page))
    project = sessions.Project(pytester.path)
    crd = "config/crd/bases/backups.yaml"
    project.write(crd, (ROOT / "example_project" / crd).read_text(encoding="utf-8"))
    project.write("test_owners.crd.yaml", cases)

    result = project.run("-q", "test_owners.crd.yaml")

    result.assert_outcomes(passed=3, failed=1)
    _command, _title, *lines = output.splitlines()
    assert "\n".join(lines) in result.stdout.str()

    project.write(
        crd, project.read(crd).replace("exclude:\n", "exclude:\n                      x-kubernetes-list-type: set\n")
    )
    project.run("-q", "test_owners.crd.yaml").assert_outcomes(passed=4)
