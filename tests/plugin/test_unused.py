"""Markers, cases and case files without effect are reported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support.sessions import Folder

if TYPE_CHECKING:
    from support.sessions import Project

MARK = '@pytest.mark.crd("gardens.stories.example.com")'
OVERRIDDEN = ("@pytest.fixture", "def crd_version(): return 'own'")
CASES_MARK = '@pytest.mark.crd_cases("*.crd.yaml")'


def _test(project: Project, *lines: str) -> None:
    _write(project, "test_it.py", *lines)


# Tests with marks that do nothing, and the messages about them.
UNUSED = {
    "crd": (
        (MARK, "def test_it(): pass"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: the test has no argument crd or crd_version",
    ),
    "crd with crds": (
        (MARK, "def test_it(crds): pass"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: the test has no argument crd or crd_version",
    ),
    "crd_cases": (
        (CASES_MARK, "def test_it(): pass"),
        "@pytest.mark.crd_cases('[*].crd.yaml') does nothing: the test has no argument crd_case",
    ),
    "a test that is to fail": (
        ("@pytest.mark.xfail(reason='why')", MARK, "def test_it(): assert False"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: *",
    ),
    "a method": (
        ("class TestIt:", f"    {MARK}", "    def test_it(self): pass"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: *",
    ),
    "an overridden fixture": (
        (*OVERRIDDEN, MARK, "def test_it(crd_version): assert crd_version == 'own'"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: the fixture crd_version of the project takes *",
    ),
    "an overridden fixture under a mark of the class": (
        (*OVERRIDDEN, MARK, "class TestIt:", "    def test_it(self, crd_version): pass"),
        "@pytest.mark.crd('gardens.stories.example.com') does nothing: the fixture crd_version of the project takes *",
    ),
}
# Tests that pass.
USED = {
    "crd": (MARK, "def test_it(crd): pass"),
    "crd_version": (MARK, "def test_it(crd_version): pass"),
    "a fixture of its own that has one": (
        "@pytest.fixture",
        "def version(crd_version): return crd_version",
        MARK,
        "def test_it(version): pass",
    ),
    "a mark without arguments": ("@pytest.mark.crd", "def test_it(): pass"),
    "a mark of the module": (f"pytestmark = pytest.mark{MARK[12:]}", "def test_it(): pass"),
    "a mark of the class": (MARK, "class TestIt:", "    def test_it(self): pass"),
    "no mark": ("def test_it(): pass",),
    "an overridden fixture without a mark": (*OVERRIDDEN, "def test_it(crd_version): pass"),
}


# Tests that are skipped or fail for a reason of their own.
ASIDE = (
    *("@pytest.mark.skip(reason='why')", f"{MARK}\ndef test_a(): pass"),
    *(MARK, "def test_b(): pytest.skip('why')"),
    *(MARK, "def test_c(): assert 'its own' == 'reason'"),
)


def _write(folder: Folder, name: str, *lines: str) -> None:
    folder.write(name, "import pytest\n\n\n" + "\n".join(lines) + "\n")


def test_a_marker_without_its_fixture_fails_its_test_and_others_are_left_alone(gardener: Project) -> None:
    for number, (lines, _) in enumerate(UNUSED.values()):
        _write(gardener, f"test_unused_{number}.py", *lines)
    for number, lines in enumerate(USED.values()):
        _write(gardener, f"test_used_{number}.py", *lines)

    _write(gardener, "test_aside.py", *ASIDE)
    ignores = ("pass", "repr(crd_case)", "crd_case.case, crd_case.name, crd_case.path")
    runs = ("crd_case.check()", "assert crd_case.run().holds")
    tests = ((CASES_MARK, f"def test_{number}(crd_case): {body}") for number, body in enumerate((*ignores, *runs)))
    _write(gardener, "test_ignores.py", *(line for test in tests for line in test))

    result = gardener.run("-rA", *sorted(path.name for path in gardener.path.glob("test_*.py")))

    result.assert_outcomes(
        failed=len(UNUSED) + 1 + 3 * len(ignores), passed=len(USED) + 3 * len(runs), skipped=len(ASIDE) // 2 - 1
    )
    result.stdout.no_fnmatch_line("FAILED test_aside.py*does nothing*")
    words = "did nothing with its crd_case: call crd_case.check() (<case test_garden.crd.yaml::unknown fields go>)"
    assert sum(words in line and not line.startswith("FAILED") for line in result.outlines) == len(ignores)
    own = "FAILED test_unused_"
    failures = {line.split()[1].partition("::")[0]: line for line in result.outlines if line.startswith(own)}
    sections = re.split(r"^_+ (?:TestIt\.)?test_it(?:\[.*\])? _+$", result.stdout.str(), flags=re.MULTILINE)[1:]
    assert [*failures] == [f"test_unused_{number}.py" for number in range(len(UNUSED))]
    for section, (_, words) in zip(sections, UNUSED.values(), strict=True):
        pytest.LineMatcher(section.splitlines()).fnmatch_lines([words])


def test_a_marker_of_the_project_is_left_alone(gardener: Project) -> None:
    gardener.ini("markers =", "  crd(number): the ticket of a change")
    _test(gardener, "@pytest.mark.crd(7)", "def test_it(): pass")

    gardener.run("test_it.py").assert_outcomes(passed=1)


def test_a_case_file_without_a_matching_pattern_is_named_in_the_header(gardener: Project) -> None:
    gardener.cases(name="garden.crd.yaml")
    gardener.cases(name="more/gardens.crd-cases.yml")
    gardener.crd("more/gardens.crd.yaml")

    result = gardener.run()
    patterns, names = "test_[*].crd.yaml test_[*].crd.yml", "garden.crd.yaml, more/gardens.crd-cases.yml"

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "crd: 1 CRD*",
            f"crd: not collected, as no pattern of crd_case_files ({patterns}) matches: {names}",
        ]
    )
    assert "gardens.crd.yaml" not in result.stdout.str()


def test_a_case_file_on_the_command_line_is_collected(gardener: Project) -> None:
    gardener.cases(name="garden.crd.yaml")

    result = gardener.run("garden.crd.yaml")

    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*not collected*")


def test_notes_about_a_passing_case_are_shown_on_demand(gardener: Project) -> None:
    case = "{name: a, input: {spec: {labl: x}}, accepted: true}"
    gardener.cases(f"crd: gardens.stories.example.com\nunknownFields: allow\ncreate:\n- {case}\n")
    _test(
        gardener,
        CASES_MARK,
        "def test_it(crd_case, record_property):\n    record_property('its', 'own')\n    crd_case.check()",
    )
    words = "the schema does not specify it; did you mean spec.label?"

    result = gardener.run("-v")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines_random(
        [f"crd: test_garden.crd.yaml::a: spec.labl: {words}", f"crd: test_it.py::test_it*a*: spec.labl: {words}"]
    )
