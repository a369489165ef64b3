"""`--crd-cov`: coverage of schemas in sessions."""

from __future__ import annotations

import fnmatch
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from support import crds
from support.sessions import GARDEN, Folder, Project

from pytest_crd.coverage import data
from pytest_crd.plugin.settings import coverage as coveragesettings
from pytest_crd.plugin.settings.coverage import APPEND, COVERAGE, EXCLUDED, FAIL_UNDER, REPORTS, SEEN
from pytest_crd.plugin.settings.setting import Setting, SettingEntry

COVERED = """\
crd: gardens.stories.example.com
create:
- name: rows at their boundary
  input: {spec: {rows: 10, soil: clay}}
  contains: {spec: {rows: 10, soil: clay}}
- name: too many rows
  input: {spec: {rows: 11}}
  errors: [{field: spec.rows, detail: spec.rows in body should be less than or equal to 10}]
"""
OTHER = GARDEN.replace("gardens", "yards").replace("Garden", "Yard")
# A small CRD.
YARD = crds.text(
    "plural: yards, singular: yard, kind: Yard, listKind: YardList",
    "type: object\nproperties: {spec: {type: object, properties: {size: {type: integer}}}}\n",
    group="stories.example.com",
)


def _report(project: Project, name: str = "crd_coverage.json") -> Any:
    return json.loads((project.path / name).read_text(encoding="utf-8"))


def _reached(project: Project, crd: str = "gardens.stories.example.com") -> set[str]:
    [version] = [version_ for version_ in _report(project)["versions"] if version_["crd"] == crd]
    return {*version["held"], *(point["id"] for point in version["seen"])}


def _measured(project: Project, *arguments: str) -> pytest.RunResult:
    return project.run("--crd-cov", "--crd-cov-report=json", *arguments)


SPEC = "properties/spec/properties"


def test_a_session_without_tests_measures_and_writes_nothing(project: Project) -> None:
    project.cases(COVERED)
    project.ini("crd_cov_report = lcov", "crd_cov_fail_under = 99")
    before = sorted(path.name for path in project.path.iterdir())

    result = project.run("--crd-cov", "--collect-only")

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*coverage*")
    assert sorted(path.name for path in project.path.iterdir()) == before
    assert coveragesettings.read(project.parse()) is None


# A point that only one kind of test reaches.
KINDS = {
    "cases/marked.yaml": (
        "crd: gardens.stories.example.com\ncreate:\n- {name: a, input: {spec: {watering: {hour: 1}}}, accepted: true}\n",
        f"{SPEC}/watering/properties/hour:set",
    ),
    "config/samples/garden.yaml": (
        "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {soil: sand}\n",
        f"{SPEC}/soil/enum/1:used",
    ),
    "test_rows.crd.yaml": (COVERED, f"{SPEC}/rows/maximum:broken"),
    "test_pruning.crd.yaml": (
        "crd: gardens.stories.example.com\npruning:\n- name: a\n  input: {spec: {bogus: 1}}\n  expected: {spec: {}}\n  pruned: [spec.bogus]\n",
        "properties/spec:unknown-dropped",
    ),
    "test_defaulting.crd.yaml": (
        "crd: gardens.stories.example.com\ndefaulting:\n- name: a\n  input: {spec: {}}\n  contains: {spec: {size: 3}}\n",
        f"{SPEC}/size/default:applied",
    ),
    "test_status.crd.yaml": (
        "crd: gardens.stories.example.com\nupdateStatus:\n- name: a\n  old: {}\n  input: {status: {phase: Wet}}\n  accepted: true\n",
        "properties/status/properties/phase/enum/1:used",
    ),
    "test_version.py": (
        "def test_a(crd_version):\n    assert not crd_version.create({'spec': {'rows': 0}}).accepted\n",
        f"{SPEC}/rows/minimum:broken",
    ),
    "test_crds.py": (
        "def test_a(crds):\n    crds['Garden'].version('v1').create({'spec': {'label': 'a'}})\n",
        f"{SPEC}/label:set",
    ),
    "test_fixture.py": (
        ("import pytest\n@pytest.fixture(scope='session')\ndef made(crds):\n    yield\n"
        "    crds['Garden'].version('v1').create({'spec': {'note': 'a'}})\ndef test_a(made):\n    pass\n"),
        f"{SPEC}/note:set",
    ),
    "test_loaded.py": (
        ("from pytest_crd import engine\ndef test_a():\n    crd = engine.load(['config'])[0]\n"
        "    crd.version('v1').create({'spec': {'free': {}}})\n"),
        f"{SPEC}/free:set",
    ),
    "test_conftest.py": (
        "from conftest import CRD\ndef test_a():\n    CRD.version('v1').create({'spec': {'beds': [{'name': 'a'}]}})\n",
        f"{SPEC}/beds:set",
    ),
}  # fmt: skip


def test_every_kind_of_test_counts(project: Project) -> None:
    for name, (text, _) in KINDS.items():
        project.write(name, text)
    project.write("conftest.py", "from pytest_crd import engine\nCRD = engine.load(['config'])[0]\n")
    marked = "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\ndef test_case(crd_case):\n    crd_case.check()\n"
    project.write("test_marked.py", marked)

    result = _measured(project, "--crd-checks")

    assert result.ret == 0
    assert [name for name, (_, point) in KINDS.items() if point not in _reached(project)] == []


SUITE = """\
apiVersion: apiextensions.k8s.io/v1
name: Yard
crdName: yards.stories.example.com
tests:
  onCreate:
  - name: rows
    initial: |
      apiVersion: stories.example.com/v1
      kind: Yard
      spec: {rows: 10}
    expected: |
      apiVersion: stories.example.com/v1
      kind: Yard
      spec: {rows: 10, size: 3, watering: {hour: 6}}
"""


def test_crds_outside_of_the_project_count_and_the_others_although_no_request_was_made_for_them(
    project: Project,
) -> None:
    """Objects of collection, of upgrades and of a CRD that a test builds are no requests, and neither is the old object of an update."""
    for plural, kind in (("ponds", "Pond"), ("hedges", "Hedge")):
        project.crd(f"elsewhere/.crds/{plural}.yaml", plural=plural, kind=kind)
    lawns = project.crd("elsewhere/.crds/lawns.yaml", plural="lawns", kind="Lawn")
    stored = lawns.read_text(encoding="utf-8").replace(
        "scope: Namespaced", "scope: Namespaced\n  preserveUnknownFields: true"
    )
    lawns.write_text(stored, encoding="utf-8")
    project.cases(COVERED.replace("gardens.stories.example.com", "elsewhere/.crds/ponds.yaml"), "a.crd.yaml")
    project.cases(
        f"storedCRD: true\n{COVERED.replace('gardens.stories.example.com', 'elsewhere/.crds/lawns.yaml')}",
        "b.crd.yaml",
    )
    project.cases(
        "crd: elsewhere/.crds/hedges.yaml\nupdate:\n- name: a\n  old: {spec: {rows: 10}}\n  input: {spec: {rows: 5}}\n"
        "  accepted: true\n",
        "c.crd.yaml",
    )
    folder = "stories/v1"
    project.write(f"{folder}/zz_generated.crd-manifests/gardens.yaml", OTHER)
    project.write(f"{folder}/tests/yards.stories.example.com/a.testsuite.yaml", SUITE)
    project.write("before/gardens.yaml", GARDEN.replace("maximum: 10", "maximum: 20"))
    project.write(
        "test_a.py",
        "from pytest_crd.engine import CustomResourceDefinition\ndef test_a(crd):\n"
        "    made = CustomResourceDefinition.from_manifest({**crd.manifest, 'metadata': {'name': 'gardens.stories.example.com'}})\n"
        "    assert not made.version('v1').create({'spec': {'rows': 11}}).accepted\n",
    )
    project.ini("crd_case_files = *.testsuite.yaml *.crd.yaml", "crd_paths = config", "crd_baseline = before")

    result = _measured(project, "--crd-cov-report=term")

    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["gardens.stories.example.com v1 * 63      0      0     63      0%"])
    assert _reached(project) == set()
    assert f"{SPEC}/rows/maximum:held" in _reached(project, "yards.stories.example.com")
    assert f"{SPEC}/rows/maximum:broken" in _reached(project, "ponds.stories.example.com")
    assert f"{SPEC}/rows/maximum:broken" in _reached(project, "lawns.stories.example.com")
    updated = _reached(project, "hedges.stories.example.com")
    assert f"{SPEC}/rows:set" in updated
    assert f"{SPEC}/rows/maximum:held" not in updated


# Coverage below the limit


def test_too_little_coverage_fails_and_mistakes_in_comments_and_settings_are_reported(project: Project) -> None:
    """The requests of several Kubernetes versions add up."""
    project.crd().write_text(GARDEN.replace("group:", "# crd: no cover\n  group:"), encoding="utf-8")
    project.cases(COVERED)
    project.ini(
        "crd_cov_exclude = ", "  gardens.stories.example.com spec.label", "  gardens.stories.example.com spec.lable"
    )
    versions = ("--crd-kubernetes-version=1.37", "--crd-kubernetes-version=1.32")

    result = _measured(project, "--crd-cov-report=term", "--crd-cov-fail-under=90", *versions)

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "*_ coverage of CRDs _*",
            "Name * Points   Held   Seen   Miss   Cover",
            "-----*",
            "gardens.stories.example.com v1 * 60      6      7     47     10%",
            "-----*",
            "TOTAL * 60      6      7     47     10%",
            "3 points left out by *",
            "crd: config/crd/bases/gardens.yaml:5: `# crd: no cover` leaves out nothing: *",
            "crd: crd_cov_exclude: `gardens.stories.example.com spec.lable` leaves out nothing",
            "crd: coverage is 10%, less than the 90% of crd_cov_fail_under; 21.66% with seen points (no *",
        ]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    [version] = _report(project)["versions"]
    assert version["requests"] == 4
    assert f"{SPEC}/rows/maximum:broken" in version["held"]


def test_the_command_line_overrides_the_ini_file(empty: Project) -> None:
    empty.ini("crd_cov = true", "crd_cov_fail_under = 99.9%", "crd_cov_report = json lcov")

    overridden = coveragesettings.read(empty.parse("--crd-cov-fail-under=9%", "--crd-cov-report="))
    of_ini = coveragesettings.read(empty.parse())

    assert overridden is not None
    assert of_ini is not None
    assert (overridden.fail_under, overridden.reports) == (9.0, ())
    assert of_ini.fail_under == 99.9
    assert [report.path for report in of_ini.reports] == [
        empty.path / "crd_coverage.json",
        empty.path / "crd_coverage.lcov",
    ]


def test_a_failed_session_without_requests_stays_a_failed_one(project: Project) -> None:
    project.write("test_a.py", "def test_a(crd):\n    crd.assert_accepted()\n")
    project.cases("crd: gardens.stories.example.com\ncreate:\n- {name: a, input: {spec: {rows: 9}}, error: large}\n")

    result = project.run("--crd-cov")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["gardens.stories.example.com v1 * 0%", "TOTAL * 0%", "crd: no test that passed has made a request*"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_without_crds_fails(empty: Project) -> None:
    empty.write("test_a.py", "def test_a():\n    pass\n")

    result = empty.run("--crd-cov")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: coverage is not known: *no CRD was found*"])
    result.stdout.no_fnmatch_line("TOTAL*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert not (empty.path / ".crd_coverage").exists()


def test_an_unreadable_crd_fails_coverage_even_if_no_test_uses_it(project: Project) -> None:
    project.write("crds/broken.yaml", "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: [")
    project.ini("crd_paths = crds config")
    project.write("test_a.py", "def test_a():\n    pass\n")

    result = project.run("--crd-cov")

    result.stdout.fnmatch_lines(["crd: coverage is not known: *broken.yaml:4*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


# Settings


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        (REPORTS, ["xml"], "there is no report 'xml'; there are term, term-missing, *"),
        (REPORTS, ["term:a"], "'term:a': term goes to the terminal, not to a file"),
        (REPORTS, ["lcov:"], "'lcov:': name a file behind the colon"),
        (REPORTS, ["lcov:config"], "'lcov:config': *config is a folder; name a file in it"),
        (REPORTS, ["json:new/"], "'json:new/': *new is a folder; name a file in it"),
        (REPORTS, ["lcov:a", "json:a"], "several reports go to */a"),
        (REPORTS, ["json:crds/a.yaml"], "*/crds/a.yaml would be replaced by a report; *"),
        (FAIL_UNDER, "101", "'101': write a percentage from 0 to 100"),
        (FAIL_UNDER, "much", "'much': write a percentage from 0 to 100"),
        (FAIL_UNDER, "nan", "'nan': write a percentage from 0 to 100"),
        (FAIL_UNDER, "-1", "'-1': write a percentage from 0 to 100"),
        (EXCLUDED, ["a.b"], "'a.b': write the name of a CRD and a path, as in *"),
    ],
)
def test_a_wrong_value_of_a_setting_is_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory, setting: Setting[Any], value: Any, message: str
) -> None:
    folder = tmp_path_factory.mktemp("settings")
    (folder / "config").mkdir()

    with pytest.raises(pytest.UsageError) as error:
        setting.read(SettingEntry(value, setting.option, folder, root=folder))
    assert fnmatch.fnmatch(str(error.value), f"{setting.option}: {message}")


def test_a_folder_of_a_report_is_there_or_ends_with_a_slash(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    entry = SettingEntry(["html:there", "html:new.py/", "html:page.html"], REPORTS.option, tmp_path, root=tmp_path)

    assert [report.is_folder for report in REPORTS.read(entry)] == [True, True, False]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({COVERAGE: True, REPORTS: ["json:.crd_coverage"]}, "--crd-cov-report: .crd_coverage keeps what runs have reached; *"),
        ({REPORTS: ["lcov"]}, "--crd-cov-report does nothing without --crd-cov"),
        ({SEEN: True}, "--crd-cov-seen does nothing without --crd-cov"),
        ({APPEND: True}, "--crd-cov-append does nothing without --crd-cov"),
        ({FAIL_UNDER: "3"}, "--crd-cov-fail-under does nothing without --crd-cov"),
        ({EXCLUDED: ["a b"]}, "--crd-cov-exclude does nothing without --crd-cov"),
    ],
)  # fmt: skip
def test_a_setting_without_effect_is_a_usage_error(
    unset_config: pytest.Config, values: dict[Setting[Any], Any], message: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for setting, value in values.items():
            patch.setattr(unset_config.option, setting.dest, value)
        with pytest.raises(pytest.UsageError) as error:
            coveragesettings.read(unset_config)

    assert fnmatch.fnmatch(str(error.value), message)


# Several processes, and several runs


def test_coverage_of_earlier_runs_counts_with_append_until_a_crd_changes(project: Project) -> None:
    """A comment changes nothing; a CRD outside of the project is kept while no case asks for it."""
    project.write("elsewhere/yards.yaml", OTHER)
    project.ini("crd_paths = config")
    project.cases(COVERED)
    project.cases(COVERED.replace("gardens.stories.example.com", "elsewhere/yards.yaml"), "test_yard.crd.yaml")
    limit, excess = f"{SPEC}/rows/maximum:held", f"{SPEC}/rows/maximum:broken"

    _measured(project, "-k", "boundary")
    assert (limit in _reached(project), excess in _reached(project)) == (True, False)

    project.crd().write_text(f"# now with a comment\n{GARDEN}", encoding="utf-8")
    _measured(project, "-k", "many", "test_garden.crd.yaml", "--crd-cov-append")
    assert {limit, excess} <= _reached(project)
    assert limit in _reached(project, "yards.stories.example.com")

    project.crd().write_text(GARDEN.replace("label: {type: string}", "label: {type: integer}"), encoding="utf-8")
    (project.path / "elsewhere/yards.yaml").unlink()
    result = _measured(project, "-k", "many", "test_garden.crd.yaml", "--crd-cov-append")
    reason = "the CRD has changed, or is gone"
    result.stdout.fnmatch_lines_random(
        [
            f"crd: the stored coverage of {plural}.stories.example.com is dropped: {reason}"
            for plural in ("gardens", "yards")
        ]
    )
    assert (limit in _reached(project), excess in _reached(project)) == (False, True)
    assert len(json.loads((project.path / ".crd_coverage").read_text(encoding="utf-8"))["crds"]) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[", "it is no JSON (*"),
        ('{"format": 99}', "its format is not 2"),
        ("[]", "its format is not 2"),
        ('{"format": 2, "crds": [{}]}', "it is broken (KeyError: *"),
        ('{"format": 2, "crds": [{"versions": []}]}', "it is broken (AttributeError: *"),
    ],
)
def test_a_foreign_data_file_is_an_error(tmp_path_factory: pytest.TempPathFactory, text: str, why: str) -> None:
    file = tmp_path_factory.mktemp("data") / "data"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(data.DataError) as error:
        data.read(file)
    assert fnmatch.fnmatch(str(error.value), why)


def test_a_folder_in_place_of_the_data_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(data.DataError, match=r"^it cannot be read: Is a directory$"):
        data.read(tmp_path)


def test_a_foreign_data_file_fails_the_session_and_stays(project: Project) -> None:
    project.cases(COVERED)
    file = project.write(".crd_coverage", "[]")

    result = project.run("--crd-cov", "--crd-cov-append")

    result.stdout.fnmatch_lines(
        ["crd: .crd_coverage is no data file of --crd-cov: its format is not 2; remove it, or omit --crd-cov-append"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert file.read_text(encoding="utf-8") == "[]"


def test_a_folder_in_place_of_the_data_cannot_be_replaced(project: Project) -> None:
    project.cases(COVERED)
    (project.path / ".crd_coverage").mkdir()

    result = project.run("--crd-cov")

    result.stdout.fnmatch_lines(["crd: .crd_coverage cannot be written: Is a directory"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [path.name for path in project.path.iterdir() if path.name.startswith(".crd_coverage")] == [".crd_coverage"]


def test_a_crd_that_changes_during_tests_is_reported(empty: Project) -> None:
    empty.write(".crds/yards.yaml", OTHER)
    empty.cases(COVERED.replace("gardens.stories.example.com", ".crds/yards.yaml"))
    empty.write("test_z.py", "import pathlib\ndef test_z():\n    pathlib.Path('.crds/yards.yaml').unlink()\n")

    result = empty.run("--crd-cov")

    result.stdout.fnmatch_lines(
        ["crd: the coverage of yards.stories.example.com does not count: * changed during the run"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


# Files


LINKS = {
    ".crd_coverage": "term",
    "crd_coverage.json": "json:FOLDER/crd_coverage.json",
    "crd_coverage.html": "html:FOLDER/crd_coverage.html",
    "pages": "html:FOLDER/pages/",
}


def test_reports_that_cannot_be_written_and_links_out_of_the_project_fail(
    empty: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty.write("config/crd/bases/yards.yaml", YARD)
    empty.write("test_it.py", "def test_it(crd_version):\n    assert crd_version.create({}).accepted\n")
    empty.write("file", "")
    empty.write("build", "")
    outside = tmp_path_factory.mktemp("outside")
    for name in LINKS:
        (outside / name).mkdir() if name == "pages" else (outside / name).touch()
        (empty.path / name).symlink_to(outside / name)
    reports = [
        "json:file/cov.json",
        "html:build/",
        "html:whole.html",
        *(text.replace("FOLDER", str(empty.path)) for text in LINKS.values()),
    ]

    result = empty.run("--crd-cov", *(f"--crd-cov-report={report}" for report in reports))

    assert "<li>spec.size: " in empty.read("whole.html")
    for name in LINKS:
        words = f"cannot be written: it is a link to {outside / name}, out of its folder; *"
        result.stdout.fnmatch_lines([f"crd: {name}* {words}"])
    result.stdout.fnmatch_lines_random(["crd: file/cov.json cannot be written: *", "crd: build/* cannot be written: *"])
    written = [line for line in result.outlines if "is written to" in line]
    assert written == ["crd: coverage is written to whole.html"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [*(outside / "pages").iterdir()] == []
    assert {path.read_bytes() for path in outside.iterdir() if path.is_file()} == {b""}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, pytest.RunResult]:
    """A project after a run with each kind of report; one file is replaced, and one folder is there before."""
    folder = Folder(tmp_path_factory.mktemp("reported"))
    second = YARD.split("  versions:\n")[1].replace("name: v1", "name: v2").replace("storage: true", "storage: false")
    folder.crd()
    folder.write("config/crd/bases/yards.yaml", YARD + second)
    folder.cases(COVERED)
    folder.write("real.json", "").chmod(0o600)
    (folder.path / "link.json").symlink_to(folder.path / "real.json")
    (folder.path / "there/crds.py").mkdir(parents=True)
    folder.ini(
        "crd_cov = true",
        "crd_cov_report = term-missing json:out/cov.json json:link.json lcov cobertura html:there/crds.py",
        "crd_paths = config",
    )
    return folder, folder.run()


ROWS_LINE = next(number for number, line in enumerate(GARDEN.splitlines(), 1) if "rows: {type: integer, min" in line)


@pytest.mark.session
def test_reports_go_to_the_files_of_the_setting(reported: tuple[Folder, pytest.RunResult]) -> None:
    folder, result = reported
    files = (
        "out/cov.json",
        "link.json",
        "*.lcov",
        "*.xml",
        "there/crds.py/index.html",
    )

    result.stdout.fnmatch_lines(["TOTAL*", *(f"crd: coverage is written to {file}" for file in files)])
    assert result.ret == 0
    assert json.loads(folder.read("out/cov.json"))["totals"]["percent"] > 0


@pytest.mark.session
def test_missing_points_are_listed_by_file_and_line(reported: tuple[Folder, pytest.RunResult]) -> None:
    _, result = reported

    result.stdout.fnmatch_lines(
        [
            "Name * Points   Held   Seen   Miss   Cover   Missing",
            "gardens.stories.example.com v1: * points missing",
            f"  config/crd/bases/gardens.yaml:{ROWS_LINE}: spec.rows: no value is refused by minimum 1",
        ]
    )
    result.stdout.no_fnmatch_line("*gardens.yaml*maximum 10")


@pytest.mark.session
def test_files_that_are_replaced_keep_their_mode_and_links_stay(reported: tuple[Folder, pytest.RunResult]) -> None:
    folder, _ = reported

    assert (folder.path / "link.json").is_symlink()
    assert (folder.path / "real.json").stat().st_mode & 0o777 == 0o600
    assert json.loads(folder.read("real.json"))["totals"]["points"] > 0


@pytest.mark.session
def test_pages_have_the_crds_and_objects_for_missing_points(reported: tuple[Folder, pytest.RunResult]) -> None:
    folder, _ = reported
    missing = "<li>spec.rows: no value is refused by minimum 1<pre>apiVersion: stories.example.com/v1\n"

    pages = {path.name: path.read_text(encoding="utf-8") for path in (folder.path / "there/crds.py").iterdir()}
    assert pages.keys() == {"index.html", "gardens.stories.example.com.html", "yards.stories.example.com.html"}
    page = pages["gardens.stories.example.com.html"]
    assert missing in page
    assert "spec: {rows: 0}</pre>" in page


def _sections(lcov: str) -> dict[str, str]:
    """Return the records of a file in the format of lcov by the name of the file."""
    return {record.partition("\n")[0]: record for record in lcov.split("SF:")[1:]}


@pytest.mark.session
def test_lcov_has_the_lines_and_points_of_each_file(reported: tuple[Folder, pytest.RunResult]) -> None:
    text = reported[0].read("crd_coverage.lcov")

    assert text.startswith("TN:\nSF:config/crd/bases/gardens.yaml\nDA:")
    assert text.endswith("end_of_record\n")
    # Two versions in a file have one record.
    assert text.count("SF:") == 2
    gardens = _sections(text)["config/crd/bases/gardens.yaml"]
    assert f"DA:{ROWS_LINE},3\n" in gardens
    # set; left out; a text; minimum held, broken; maximum held, broken
    of_rows = re.findall(rf"BRDA:{ROWS_LINE},0,(\d+),(\S+)", gardens)
    assert of_rows == [("0", "1"), ("1", "0"), ("2", "0"), ("3", "0"), ("4", "0"), ("5", "1"), ("6", "1")]
    assert re.search(r"^BRDA:\d+,0,0,-$", gardens, re.MULTILINE)
    total, hit = (sum(map(int, re.findall(rf"^{name}:(\d+)$", gardens, re.MULTILINE))) for name in ("BRF", "BRH"))
    assert (total, hit) == (
        len(re.findall("^BRDA", gardens, re.MULTILINE)),
        len(re.findall("^BRDA.*,1$", gardens, re.MULTILINE)),
    )


@pytest.mark.session
def test_cobertura_has_the_same_lines_and_points(reported: tuple[Folder, pytest.RunResult]) -> None:
    folder, _ = reported

    top = ET.parse(folder.path / "crd_coverage.xml").getroot()  # noqa: S314 - written here
    files = {str(file.get("filename")): [*file.iter("line")] for file in top.iter("class")}
    records = _sections(folder.read("crd_coverage.lcov"))
    assert files.keys() == records.keys()
    for name, lines in files.items():
        assert [f"DA:{line.get('number')},{line.get('hits')}" for line in lines] == re.findall(
            "DA:.*(?<!,-)", records[name]
        )[: len(lines)]
    assert {line.get("condition-coverage") for line in files["config/crd/bases/gardens.yaml"]} >= {"42% (3/7)"}
    assert top.get("lines-valid") == str(sum(map(len, files.values())))
    assert 0 < float(str(top.get("line-rate"))) < 1


def test_crds_of_commands_are_measured_but_missing_in_reports_by_file(empty: Project) -> None:
    empty.write("hidden.txt", GARDEN)
    empty.ini("crd_commands = cat hidden.txt", "crd_cov_exclude = gardens.stories.example.com spec.label")
    empty.cases(COVERED)

    result = empty.run("--crd-cov", "--crd-cov-report=term-missing", "--crd-cov-report=json", "--crd-cov-report=lcov")

    result.stdout.fnmatch_lines(["  cat hidden.txt:*: spec.size: *"])
    assert f"{SPEC}/rows/maximum:broken" in _reached(empty)
    assert (empty.path / "crd_coverage.lcov").read_text(encoding="utf-8") == ""
    assert _report(empty)["versions"][0]["left_out"][0]["path"] == "spec.label"
