"""`--crd-cov`: coverage of schemas in sessions."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from support.sessions import GARDEN, Project

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


def _report(project: Project, name: str = "crd_coverage.json") -> Any:
    return json.loads((project.path / name).read_text(encoding="utf-8"))


def _reached(project: Project, crd: str = "gardens.stories.example.com") -> set[str]:
    [version] = [version_ for version_ in _report(project)["versions"] if version_["crd"] == crd]
    return {*version["held"], *(point["id"] for point in version["seen"])}


def _measured(project: Project, *arguments: str) -> pytest.RunResult:
    return project.run("--crd-cov", "--crd-cov-report=json", *arguments)


SPEC = "properties/spec/properties"


def test_a_table_shows_the_coverage(project: Project) -> None:
    project.cases(COVERED)

    result = project.run("--crd-cov")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*_ coverage of CRDs _*",
            "Name * Points   Held   Seen   Miss   Cover",
            "-----*",
            "gardens.stories.example.com v1 * 63      6      8     49     10%",
            "-----*",
            "TOTAL * 63      6      8     49     10%",
        ]
    )
    assert result.ret == 0


def test_a_session_without_the_option_measures_and_writes_nothing(project: Project) -> None:
    project.cases(COVERED)
    before = sorted(path.name for path in project.path.iterdir())

    result = project.run()

    result.stdout.no_fnmatch_line("*coverage*")
    assert sorted(path.name for path in project.path.iterdir()) == before


def test_missing_points_are_listed_by_file_and_line(project: Project) -> None:
    project.cases(COVERED)

    result = project.run("--crd-cov", "--crd-cov-report", "term-missing")

    line = next(number for number, text in enumerate(GARDEN.splitlines(), 1) if "rows: {type: integer, minimum" in text)
    result.stdout.fnmatch_lines(
        [
            "Name * Points   Held   Seen   Miss   Cover   Missing",
            "gardens.stories.example.com v1: * points missing",
            f"  config/crd/bases/gardens.yaml:{line}: spec.rows: no value is refused by minimum 1",
        ]
    )
    result.stdout.no_fnmatch_line("*maximum 10")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("test_a.crd.yaml", COVERED, f"{SPEC}/rows/maximum:broken"),
        (
            "test_a.crd.yaml",
            "crd: gardens.stories.example.com\npruning:\n- name: a\n  input: {spec: {bogus: 1}}\n  expected: {spec: {}}\n  pruned: [spec.bogus]\n",
            "properties/spec:unknown-dropped",
        ),
        (
            "test_a.crd.yaml",
            "crd: gardens.stories.example.com\ndefaulting:\n- name: a\n  input: {spec: {}}\n  contains: {spec: {size: 3}}\n",
            f"{SPEC}/size/default:applied",
        ),
        (
            "test_a.crd.yaml",
            "crd: gardens.stories.example.com\nupdateStatus:\n- name: a\n  old: {}\n  input: {status: {phase: Wet}}\n  accepted: true\n",
            "properties/status/properties/phase/enum/1:used",
        ),
        (
            "test_a.py",
            "def test_a(crd_version):\n    assert not crd_version.create({'spec': {'rows': 11}}).accepted\n",
            f"{SPEC}/rows/maximum:broken",
        ),
        (
            "test_a.py",
            "def test_a(crds):\n    assert not crds['Garden'].version('v1').create({'spec': {'rows': 11}}).accepted\n",
            f"{SPEC}/rows/maximum:broken",
        ),
        (
            "test_a.py",
            ("import pytest\n@pytest.fixture(scope='session')\ndef made(crds):\n    yield\n    crds['Garden'].version('v1').create({'spec': {'rows': 11}})\n"
            "def test_a(made):\n    pass\n"),
            f"{SPEC}/rows/maximum:broken",
        ),
        (
            "test_a.py",
            "from pytest_crd import engine\ndef test_a():\n    crd = engine.load(['config'])[0]\n    crd.version('v1').create({'spec': {'rows': 11}})\n",
            f"{SPEC}/rows/maximum:broken",
        ),
    ],
)  # fmt: skip
def test_every_kind_of_test_counts(project: Project, name: str, text: str, expected: str) -> None:
    project.write(name, text)

    result = _measured(project)

    assert result.ret == 0
    assert expected in _reached(project)


def test_crds_that_a_conftest_loads_count(project: Project) -> None:
    project.write("conftest.py", "from pytest_crd import engine\nCRD = engine.load(['config'])[0]\n")
    project.write(
        "test_a.py",
        "from conftest import CRD\ndef test_a():\n    CRD.version('v1').create({'spec': {'rows': 11}})\n",
    )

    assert _measured(project).ret == 0

    assert f"{SPEC}/rows/maximum:broken" in _reached(project)


def test_cases_of_a_marker_count(project: Project) -> None:
    project.cases(COVERED, "cases/rows.yaml")
    project.write(
        "test_a.py",
        "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\ndef test_case(crd_case):\n    crd_case.check()\n",
    )

    _measured(project).assert_outcomes(passed=2)

    assert f"{SPEC}/rows/maximum:broken" in _reached(project)


def test_samples_count_with_checks(project: Project) -> None:
    sample = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {soil: sand}\n"
    project.write("config/samples/garden.yaml", sample)

    assert _measured(project, "--crd-checks").ret == 0

    assert f"{SPEC}/soil/enum/1:used" in _reached(project)


def test_suites_count_for_the_crd_in_their_folder(project: Project) -> None:
    folder = "stories/v1"
    project.write(f"{folder}/zz_generated.crd-manifests/gardens.yaml", OTHER)
    suite = (
        "apiVersion: apiextensions.k8s.io/v1\nname: Yard\ncrdName: yards.stories.example.com\ntests:\n  onCreate:\n"
        "  - name: rows\n    initial: |\n      apiVersion: stories.example.com/v1\n      kind: Yard\n      spec: {rows: 10}\n"
        "    expected: |\n      apiVersion: stories.example.com/v1\n      kind: Yard\n"
        "      spec: {rows: 10, size: 3, watering: {hour: 6}}\n"
    )
    project.write(f"{folder}/tests/yards.stories.example.com/a.testsuite.yaml", suite)
    project.ini("crd_case_files = *.testsuite.yaml", "crd_paths = config")

    result = _measured(project)

    result.assert_outcomes(passed=1)
    assert f"{SPEC}/rows/maximum:held" in _reached(project, "yards.stories.example.com")
    assert _reached(project) == set()  # the CRD counts, although no request was made for it


def test_a_crd_that_a_case_file_names_by_path_counts(empty: Project) -> None:
    empty.write("elsewhere/.crds/yards.yaml", OTHER)
    empty.cases(COVERED.replace("gardens.stories.example.com", "elsewhere/.crds/yards.yaml"))

    result = _measured(empty)

    result.assert_outcomes(passed=2)
    assert result.ret == 0
    assert f"{SPEC}/rows/maximum:broken" in _reached(empty, "yards.stories.example.com")


def test_a_crd_declared_stored_counts(project: Project) -> None:
    project.crd("config/crd/bases/gardens.yaml").write_text(
        GARDEN.replace("scope: Namespaced", "scope: Namespaced\n  preserveUnknownFields: true"), encoding="utf-8"
    )
    project.cases(f"storedCRD: true\n{COVERED}")

    _measured(project).assert_outcomes(passed=2)

    assert f"{SPEC}/rows/maximum:broken" in _reached(project)


def test_the_old_object_of_an_update_does_not_count(project: Project) -> None:
    project.cases(
        "crd: gardens.stories.example.com\nupdate:\n- name: a\n  old: {spec: {rows: 10}}\n  input: {spec: {rows: 5}}\n"
        "  accepted: true\n"
    )

    _measured(project).assert_outcomes(passed=1)

    assert f"{SPEC}/rows:set" in _reached(project)
    assert f"{SPEC}/rows/maximum:held" not in _reached(project)


def test_a_crd_built_by_a_test_is_no_crd_of_the_project(project: Project) -> None:
    project.write(
        "test_a.py",
        "from pytest_crd.engine import CustomResourceDefinition\ndef test_a(crd):\n"
        "    made = CustomResourceDefinition.from_manifest({**crd.manifest, 'metadata': {'name': 'gardens.stories.example.com'}})\n"
        "    assert not made.version('v1').create({'spec': {'rows': 11}}).accepted\n",
    )

    result = _measured(project, "--crd-cov-report=term")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: no test that passed has made a request for an object of these CRDs: *"])
    assert _reached(project) == set()


def test_requests_of_collection_and_upgrades_do_not_count(project: Project) -> None:
    project.write("before/gardens.yaml", GARDEN.replace("maximum: 10", "maximum: 20"))
    project.ini("crd_paths = config", "crd_baseline = before")

    result = _measured(project)

    result.assert_outcomes(failed=1)
    assert _reached(project) == set()


def test_several_kubernetes_versions_add_up(project: Project) -> None:
    project.cases(COVERED)

    _measured(project, "--crd-kubernetes-version=1.37", "--crd-kubernetes-version=1.32").assert_outcomes(passed=4)

    [version] = _report(project)["versions"]
    assert version["requests"] == 4
    assert f"{SPEC}/rows/maximum:broken" in version["held"]


# Coverage below the limit


def test_too_little_coverage_fails(project: Project) -> None:
    project.cases(COVERED)

    result = project.run("--crd-cov", "--crd-cov-fail-under=90")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["crd: coverage is 9.52%, less than the 90% of crd_cov_fail_under; 22.22% with seen points (no *"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(("wanted", "code"), [("9", 0), ("9%", 0), ("99.9", 1)])
def test_the_least_percentage_can_be_set_in_the_ini_file(project: Project, wanted: str, code: int) -> None:
    project.cases(COVERED)
    project.ini("crd_cov = true", f"crd_cov_fail_under = {wanted}")

    assert project.run().ret == code


def test_the_command_line_overrides_the_least_percentage(project: Project) -> None:
    project.cases(COVERED)
    project.ini("crd_cov = true", "crd_cov_fail_under = 99", "crd_cov_report = json lcov")

    result = project.run("--crd-cov-fail-under=1", "--crd-cov-report=")

    assert result.ret == 0
    assert not list(project.path.glob("crd_coverage.*"))


def test_a_run_without_requests_is_reported(project: Project) -> None:
    project.write("test_a.py", "def test_a(crd):\n    crd.assert_accepted()\n")

    result = project.run("--crd-cov")

    result.stdout.fnmatch_lines(
        ["gardens.stories.example.com v1 * 0%", "TOTAL * 0%", "crd: no test that passed has made a request*"]
    )


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


def test_a_failed_session_stays_a_failed_one(project: Project) -> None:
    project.cases(COVERED.replace("rows: 11", "rows: 9"))

    result = project.run("--crd-cov")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["TOTAL*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_collect_only_measures_and_reports_nothing(project: Project) -> None:
    project.cases(COVERED)

    result = project.run("--crd-cov", "--collect-only")

    result.stdout.no_fnmatch_line("*coverage*")
    assert not (project.path / ".crd_coverage").exists()


def test_mistakes_in_comments_and_settings_are_reported(project: Project) -> None:
    project.crd().write_text(GARDEN.replace("group:", "# crd: no cover\n  group:"), encoding="utf-8")
    project.cases(COVERED)
    project.ini(
        "crd_cov_exclude = ", "  gardens.stories.example.com spec.label", "  gardens.stories.example.com spec.lable"
    )

    result = project.run("--crd-cov")

    result.stdout.fnmatch_lines(
        [
            "3 points left out by *",
            "crd: config/crd/bases/gardens.yaml:5: `# crd: no cover` leaves out nothing: *",
            "crd: crd_cov_exclude: `gardens.stories.example.com spec.lable` leaves out nothing",
        ]
    )


# Settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--crd-cov", "--crd-cov-report=xml"], "--crd-cov-report: there is no report 'xml'; there are term, term-missing, *"),
        (["--crd-cov", "--crd-cov-report=term:a"], "--crd-cov-report: 'term:a': term goes to the terminal, not to a file"),
        (["--crd-cov", "--crd-cov-report=lcov:"], "--crd-cov-report: 'lcov:': name a file behind the colon"),
        (["--crd-cov", "--crd-cov-report=lcov:config"], "--crd-cov-report: 'lcov:config': *config is a folder; name a file in it"),
        (["--crd-cov", "--crd-cov-report=json:new/"], "--crd-cov-report: 'json:new/': *new is a folder; name a file in it"),
        (["--crd-cov", "--crd-cov-report=lcov:a", "--crd-cov-report=json:a"], "--crd-cov-report: several reports go to */a"),
        (["--crd-cov", "--crd-cov-report=json:crds/a.yaml"], "--crd-cov-report: */crds/a.yaml would be replaced by a report; *"),
        (["--crd-cov", "--crd-cov-report=json:.crd_coverage"], "--crd-cov-report: .crd_coverage keeps what runs have reached; *"),
        (["--crd-cov", "--crd-cov-fail-under=101"], "--crd-cov-fail-under: '101': write a percentage from 0 to 100"),
        (["--crd-cov", "--crd-cov-fail-under=much"], "--crd-cov-fail-under: 'much': write a percentage from 0 to 100"),
        (["--crd-cov", "--crd-cov-fail-under=nan"], "--crd-cov-fail-under: 'nan': write a percentage from 0 to 100"),
        (["--crd-cov-report=lcov"], "--crd-cov-report does nothing without --crd-cov"),
        (["--crd-cov-seen"], "--crd-cov-seen does nothing without --crd-cov"),
        (["--crd-cov", "-o", "crd_cov_seen=perhaps"], "crd_cov_seen: *; write true or false"),
        (["--crd-cov-append"], "--crd-cov-append does nothing without --crd-cov"),
        (["--crd-cov-fail-under=3"], "--crd-cov-fail-under does nothing without --crd-cov"),
        (["-o", "crd_cov=perhaps"], "crd_cov: *; write true or false"),
        (["--crd-cov", "-o", "crd_cov_exclude=a.b"], "crd_cov_exclude: 'a.b': write the name of a CRD and a path, as in *"),
        (["--crd-cov", "-o", "crd_cov_fail_under=-1"], "crd_cov_fail_under: '-1': write a percentage from 0 to 100"),
        (["--crd-cov", "-o", "crd_cov_report=xml"], "crd_cov_report: there is no report 'xml'; *"),
    ],
)  # fmt: skip
def test_a_wrong_setting_of_coverage_is_a_usage_error(project: Project, arguments: list[str], message: str) -> None:
    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_settings_of_coverage_have_no_effect_without_the_option(project: Project) -> None:
    project.cases(COVERED)
    project.ini("crd_cov_report = lcov", "crd_cov_fail_under = 99")

    assert project.run().ret == 0


# Several processes, and several runs


def test_coverage_of_earlier_runs_counts_with_append(project: Project) -> None:
    project.cases(COVERED)
    _measured(project, "-k", "boundary")
    boundary = _reached(project)
    _measured(project, "-k", "many", "--crd-cov-append")
    both = _reached(project)
    _measured(project, "-k", "many")
    many = _reached(project)

    assert boundary | many == both
    assert boundary - many
    assert many - boundary


def test_coverage_of_a_changed_crd_is_dropped(project: Project) -> None:
    project.cases(COVERED)
    _measured(project, "-k", "boundary")
    project.crd().write_text(GARDEN.replace("label: {type: string}", "label: {type: integer}"), encoding="utf-8")

    result = _measured(project, "-k", "many", "--crd-cov-append")

    result.stdout.fnmatch_lines(
        ["crd: the stored coverage of gardens.stories.example.com is dropped: the CRD has changed, or is gone"]
    )
    assert f"{SPEC}/rows/maximum:held" not in _reached(project)
    assert len(json.loads((project.path / ".crd_coverage").read_text(encoding="utf-8"))["crds"]) == 1


def test_a_new_comment_in_a_crd_keeps_its_coverage(project: Project) -> None:
    project.cases(COVERED)
    _measured(project, "-k", "boundary")
    project.crd().write_text(f"# now with a comment\n{GARDEN}", encoding="utf-8")

    _measured(project, "-k", "many", "--crd-cov-append")

    assert {f"{SPEC}/rows/maximum:held", f"{SPEC}/rows/maximum:broken"} <= _reached(project)


def test_coverage_of_a_crd_outside_of_the_project_is_kept(project: Project) -> None:
    project.write("elsewhere/yards.yaml", OTHER)
    project.ini("crd_paths = config")
    project.cases(COVERED)
    project.cases(COVERED.replace("gardens.stories.example.com", "elsewhere/yards.yaml"), "test_yard.crd.yaml")

    _measured(project, "test_yard.crd.yaml")
    _measured(project, "test_garden.crd.yaml", "--crd-cov-append")
    assert f"{SPEC}/rows/maximum:broken" in _reached(project, "yards.stories.example.com")

    (project.path / "elsewhere/yards.yaml").unlink()
    result = _measured(project, "test_garden.crd.yaml", "--crd-cov-append")
    result.stdout.fnmatch_lines(["crd: the stored coverage of yards.stories.example.com is dropped: *"])


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
def test_a_foreign_data_file_is_an_error_and_stays(project: Project, text: str, why: str) -> None:
    project.cases(COVERED)
    file = project.write(".crd_coverage", text)

    result = project.run("--crd-cov", "--crd-cov-append")

    result.stdout.fnmatch_lines(
        [f"crd: .crd_coverage is no data file of --crd-cov: {why}; remove it, or omit --crd-cov-append"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert file.read_text(encoding="utf-8") == text


def test_a_folder_in_place_of_the_data_is_an_error(project: Project) -> None:
    project.cases(COVERED)
    (project.path / ".crd_coverage").mkdir()

    appended = project.run("--crd-cov", "--crd-cov-append")
    written = project.run("--crd-cov")

    appended.stdout.fnmatch_lines(
        ["crd: .crd_coverage is no data file of --crd-cov: it cannot be read: Is a directory; *"]
    )
    written.stdout.fnmatch_lines(["crd: .crd_coverage cannot be written: Is a directory"])
    assert (appended.ret, written.ret) == (1, 1)
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


def test_reports_go_to_the_files_of_the_setting(project: Project) -> None:
    project.cases(COVERED)
    project.ini("crd_cov = true", "crd_cov_report = term json:out/cov.json lcov", "crd_paths = config")

    result = project.run()

    result.stdout.fnmatch_lines(
        ["TOTAL*", "crd: coverage is written to out/cov.json", "crd: coverage is written to *.lcov"]
    )
    assert _report(project, "out/cov.json")["totals"]["percent"] > 0
    assert (project.path / "crd_coverage.lcov").is_file()


def test_a_report_that_cannot_be_written_fails(project: Project) -> None:
    project.cases(COVERED)
    project.write("file", "")

    result = project.run("--crd-cov", "--crd-cov-report=json:file/cov.json")

    result.stdout.fnmatch_lines(["crd: file/cov.json cannot be written: *"])
    result.stdout.no_fnmatch_line("*is written to*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_files_that_are_replaced_keep_their_mode_and_links_stay(project: Project) -> None:
    project.cases(COVERED)
    file = project.write("real.json", "")
    file.chmod(0o600)
    (project.path / "link.json").symlink_to(file)

    project.run("--crd-cov", "--crd-cov-report=json:link.json")

    assert (project.path / "link.json").is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    assert _report(project, "real.json")["totals"]["points"] > 0


@pytest.mark.parametrize(
    ("name", "report"),
    [
        (".crd_coverage", "term"),
        ("crd_coverage.json", "json:FOLDER/crd_coverage.json"),
        ("crd_coverage.html", "html:FOLDER/crd_coverage.html"),
        ("pages", "html:FOLDER/pages/"),
    ],
)
def test_a_link_out_of_the_project_is_not_followed(
    name: str, report: str, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project.cases(COVERED)
    target = tmp_path_factory.mktemp("outside") / "target"
    if report.endswith("/"):
        target.mkdir()
    else:
        target.touch()
    (project.path / name).symlink_to(target)

    result = project.run("--crd-cov", f"--crd-cov-report={report.replace('FOLDER', str(project.path))}")

    result.stdout.fnmatch_lines([f"crd: {name}* cannot be written: it is a link to {target}, out of its folder; *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [*target.iterdir()] == [] if target.is_dir() else target.read_bytes() == b""


def test_the_page_has_the_crd_and_objects_for_missing_points(project: Project) -> None:
    project.cases(COVERED)

    result = project.run("--crd-cov", "--crd-cov-report=html:build/page.html")

    result.stdout.fnmatch_lines(["crd: coverage is written to build/page.html"])
    text = (project.path / "build/page.html").read_text(encoding="utf-8")
    assert "<li>spec.rows: no value is refused by minimum 1<pre>apiVersion: stories.example.com/v1\n" in text
    assert "spec: {rows: 0}</pre>" in text


@pytest.mark.parametrize("is_there", [False, True])
def test_a_folder_has_a_page_for_each_crd(project: Project, *, is_there: bool) -> None:
    project.cases(COVERED)
    project.write("config/crd/bases/yards.yaml", OTHER)
    if is_there:
        (project.path / "build/crds.py").mkdir(parents=True)

    result = project.run("--crd-cov", f"--crd-cov-report=html:build/crds.py{'' if is_there else '/'}")

    result.stdout.fnmatch_lines(["crd: coverage is written to build/crds.py/index.html"])
    pages = {path.name: path.read_text(encoding="utf-8") for path in (project.path / "build/crds.py").iterdir()}
    assert pages.keys() == {"index.html", "gardens.stories.example.com.html", "yards.stories.example.com.html"}
    assert "<li>spec.rows: no value is refused by minimum 1<pre>" in pages["gardens.stories.example.com.html"]


def test_a_folder_that_cannot_be_created_is_reported(project: Project) -> None:
    project.cases(COVERED)
    project.write("build", "")

    result = project.run("--crd-cov", "--crd-cov-report=html:build/")

    result.stdout.fnmatch_lines(["crd: build/* cannot be written: *"])
    result.stdout.no_fnmatch_line("crd: coverage is written to *")
    assert result.ret == 1


def test_lcov_has_the_lines_and_points_of_each_file(project: Project) -> None:
    project.cases(COVERED)

    project.run("--crd-cov", "--crd-cov-report=lcov", "--crd-cov-report=json")

    text = (project.path / "crd_coverage.lcov").read_text(encoding="utf-8")
    rows = next(number for number, line in enumerate(GARDEN.splitlines(), 1) if "rows: {type: integer, minimum" in line)
    of_rows = re.findall(rf"BRDA:{rows},0,(\d+),(\S+)", text)
    assert text.startswith("TN:\nSF:config/crd/bases/gardens.yaml\nDA:")
    assert text.endswith("end_of_record\n")
    assert f"DA:{rows},3\n" in text
    # set; left out; a text; minimum held, broken; maximum held, broken
    assert of_rows == [("0", "1"), ("1", "0"), ("2", "0"), ("3", "0"), ("4", "0"), ("5", "1"), ("6", "1")]
    assert re.search(r"^BRDA:\d+,0,0,-$", text, re.MULTILINE)
    total, hit = (sum(map(int, re.findall(rf"^{name}:(\d+)$", text, re.MULTILINE))) for name in ("BRF", "BRH"))
    assert (total, hit) == (
        len(re.findall("^BRDA", text, re.MULTILINE)),
        len(re.findall("^BRDA.*,1$", text, re.MULTILINE)),
    )


def test_cobertura_has_the_same_lines_and_points(project: Project) -> None:
    project.cases(COVERED)

    project.run("--crd-cov", "--crd-cov-report=cobertura", "--crd-cov-report=lcov")

    top = ET.parse(project.path / "crd_coverage.xml").getroot()  # noqa: S314 - written here
    [file] = top.iter("class")
    lines = {line.get("number"): line for line in file.iter("line")}
    lcov = (project.path / "crd_coverage.lcov").read_text(encoding="utf-8")
    assert file.get("filename") == "config/crd/bases/gardens.yaml"
    assert [f"DA:{line.get('number')},{line.get('hits')}" for line in lines.values()] == re.findall(
        "DA:.*(?<!,-)", lcov
    )[: len(lines)]
    assert {line.get("condition-coverage") for line in lines.values()} >= {"42% (3/7)"}
    assert top.get("lines-valid") == str(len(lines))
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


def test_two_versions_in_a_file_have_one_record(project: Project) -> None:
    version = GARDEN.split("  versions:\n")[1]
    both = GARDEN + version.replace("name: v1", "name: v2").replace("storage: true", "storage: false")
    Path(project.crd()).write_text(both, encoding="utf-8")
    project.cases(f"version: v1\n{COVERED}")

    project.run("--crd-cov", "--crd-cov-report=lcov")

    assert (project.path / "crd_coverage.lcov").read_text(encoding="utf-8").count("SF:") == 1
